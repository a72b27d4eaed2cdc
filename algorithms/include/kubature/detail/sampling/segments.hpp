#pragma once

#include <kubature/detail/sampling/drawn_lanes.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace kubature::detail {

/// The state of W lanes that work on consecutive segments of a chunk: each at item begin + k of its own. Segments fill
/// up in order, so the active lanes, which have an item left, come first.
template <int W>
struct Segments {
  std::uint64_t begin[W];
  std::uint64_t k = 0, length, items;
  int active = 0;

  /// @param segment the first lane's
  /// @param all     items of all segments
  KOKKOS_FUNCTION Segments(std::uint64_t segment, std::uint64_t length_of_each, std::uint64_t all)
      : length(length_of_each), items(all) {
    for (int w = 0; w < W; ++w)
      begin[w] = (segment + static_cast<std::uint64_t>(w)) * length;
    count_active();
  }

  KOKKOS_FUNCTION void next() {
    ++k;
    if (k < length)
      count_active();
    else
      active = 0;
  }

  /// The items of lane w.
  KOKKOS_FUNCTION std::uint64_t size(int w) const {
    return begin[w] >= items ? 0 : items - begin[w] < length ? items - begin[w] : length;
  }
  KOKKOS_FUNCTION std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (int w = 0; w < W; ++w)
      sum += size(w);
    return sum;
  }

  /// The active lanes, and those at their first item.
  KOKKOS_FUNCTION LaneBits bits() const
    requires(W == DrawnLanes::lanes)
  {
    std::uint32_t const live = active < W ? (std::uint32_t{1} << active) - 1 : LaneBits::all;
    return {live, k == 0 ? live : 0};
  }

private:
  KOKKOS_FUNCTION void count_active() {
    active = 0;
    while (active < W && begin[active] + k < items)
      ++active;
  }
};

} // namespace kubature::detail
