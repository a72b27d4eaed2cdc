#pragma once

#include <kubature/detail/cubature/regions.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>

#include <cstddef>
#include <cstdint>

namespace kubature::detail {

/// The tree of all bisections of a call, in which the region that contains a given box is found. Its first nodes are
/// the regions of the start grid, its leaves the regions listed on any rank; a handle that kernels copy.
struct BisectionTree {
  int dimension = 0;
  Kokkos::Array<unsigned char, max_dimension> grid{}; ///< levels of the start grid
  /// [node]: number of the lower half, which precedes the upper one, and in the lowest five bits the axis of the
  /// bisection; 0 for a leaf. Null if the tree is not known.
  std::uint32_t* halves = nullptr;
  std::uint32_t* sizes = nullptr; ///< [node]: sizes of leaves, as left by note()

  static constexpr std::uint64_t most_nodes = std::uint64_t{1} << 27;
  static constexpr std::size_t node_bytes = 2 * sizeof(std::uint32_t);

  KOKKOS_FUNCTION bool known() const { return halves != nullptr; }

  /// Lays out the arrays of this many nodes from `data` on.
  void lay_out(std::byte* data, std::uint64_t nodes) {
    halves = reinterpret_cast<std::uint32_t*>(data);
    sizes = halves + nodes;
  }

  /// A leaf, and the number of bisections along each axis that lead to it.
  struct Leaf {
    std::uint32_t node = 0;
    Kokkos::Array<unsigned char, max_dimension> levels{};
  };

  /// The leaf that contains the box of intervals at(axis). If leaves are smaller than the box along an axis, the one at
  /// the lower end of the box, or along axis `toward` at the end that `upper` names.
  template <class At>
  KOKKOS_FUNCTION Leaf find(At const& at, int toward, int upper) const {
    Leaf leaf{0, grid};
    std::uint32_t stride = 1;
    for (int k = 0; k < dimension; ++k) {
      Interval const interval = at(k);
      auto const parts = std::uint64_t{1} << grid[k];
      leaf.node += static_cast<std::uint32_t>((interval.code >> (interval.level() - grid[k])) - parts) * stride;
      stride *= static_cast<std::uint32_t>(parts);
    }
    for (std::uint32_t next = halves[leaf.node]; next != 0; next = halves[leaf.node]) {
      int const axis = static_cast<int>(next & 31u);
      Interval const interval = at(axis);
      int const below = interval.level() - 1 - leaf.levels[axis]++;
      auto const half = below >= 0 ? interval.code >> below & 1 : static_cast<unsigned>(axis == toward ? upper : 0);
      leaf.node = (next >> 5) + static_cast<std::uint32_t>(half);
    }
    return leaf;
  }

  /// The bisection of region i: its node, and in the lowest five bits the axis.
  KOKKOS_FUNCTION static std::uint32_t bisection_of(Regions const& list, std::uint64_t i) {
    return list.nodes[i] << 5 | static_cast<unsigned>(list.axis(i));
  }

  /// Nodes `lower` and `lower` + 1 become the halves of a leaf.
  KOKKOS_FUNCTION void bisect(std::uint32_t bisection, std::uint32_t lower) const {
    halves[bisection >> 5] = lower << 5 | (bisection & 31u);
    halves[lower] = halves[lower + 1] = 0;
  }

  /// Stores at its leaf the size of region i's estimate, and whether it had a second opinion.
  KOKKOS_FUNCTION void note(Regions const& list, std::uint64_t i, double const* weights) const {
    auto const bits = Kokkos::bit_cast<std::uint32_t>(static_cast<float>(Kokkos::fmin(list.size(i, weights), 3e38)));
    sizes[list.nodes[i]] = (bits & ~1u) | static_cast<unsigned>(list.seen_again(i));
  }
  KOKKOS_FUNCTION double size(std::uint32_t node) const {
    return static_cast<double>(Kokkos::bit_cast<float>(sizes[node] & ~1u));
  }
  KOKKOS_FUNCTION bool seen_again(std::uint32_t node) const { return (sizes[node] & 1u) != 0; }
};

} // namespace kubature::detail
