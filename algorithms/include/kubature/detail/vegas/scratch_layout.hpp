#pragma once

#include <kubature/backend.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kubature::detail {

/// The places of a team's edges and histogram, see MappedPoints. Edges have precedence in the fast level of scratch;
/// the histogram goes to the slow level if it does not fit beside them. So do edges that do not fit on a host, where
/// the levels do not differ.
/// @tparam Sample type of the edges
template <class Space, class Sample>
struct ScratchLayout {
  template <class T>
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  std::size_t bytes[2] = {0, 0}; ///< of each level
  bool edges_in_scratch;
  int edges_level, bins_level;

  /// @param tables of edges: one per axis, or one for all
  /// @param fill   whether there is a histogram
  /// @param taken  bytes of the fast level used otherwise
  ScratchLayout(int tables, int axes, int bins, bool fill, std::size_t taken = 0) {
    auto const edge_bytes = Scratch<Sample>::shmem_size(static_cast<std::size_t>(tables * (bins + 1)));
    auto const bin_bytes = fill ? Scratch<std::uint64_t>::shmem_size(static_cast<std::size_t>(axes * bins)) : 0;
    auto const most = [](int level) {
      return static_cast<std::size_t>(Kokkos::TeamPolicy<Space>::scratch_size_max(level));
    };
    auto const room = most(0) - std::min(most(0), taken);
    bool const slow = !on_device_of_its_own<Space> && edge_bytes > room && edge_bytes + bin_bytes <= most(1);
    edges_in_scratch = edge_bytes <= room || slow;
    edges_level = slow ? 1 : 0;
    bytes[edges_level] = edges_in_scratch ? edge_bytes : 0;
    bins_level = bin_bytes + bytes[0] <= room ? 0 : 1;
    bytes[bins_level] += bin_bytes;
  }
};

} // namespace kubature::detail
