#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// A part of a stratum: its samples, and its share of the stratum's.
struct PartOfStratum {
  std::uint64_t samples;
  double share;
  bool segment = false; ///< whether it is an entire segment, which may end before its neighbours
};

/// The data of a batch's samples besides their points, slot by slot (see Slots): their Jacobians, and which of them
/// make up a stratum, or a part of one.
template <class Space>
struct SampleTable {
  template <class T>
  using Column = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

  static constexpr bool kept = true;
  Column<double> jacobian;      ///< -1 in slots without a sample
  Column<double> share;         ///< the part's share of its stratum, at its first sample
  Column<std::uint64_t> length; ///< samples of a part, at its first one; 0 elsewhere

  template <class Points>
  KOKKOS_FUNCTION void sample(std::uint64_t slot, Points const& drawn, int w, bool live) const {
    jacobian(slot) = live ? static_cast<double>(drawn.jacobian[w]) : -1;
    length(slot) = 0;
  }
  /// Records a part, whose first sample is in that slot.
  KOKKOS_FUNCTION void close(std::uint64_t slot, PartOfStratum const& part) const {
    length(slot) = part.samples;
    share(slot) = part.share;
  }
};

} // namespace kubature::detail
