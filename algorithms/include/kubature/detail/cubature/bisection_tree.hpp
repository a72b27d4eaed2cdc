#pragma once

#include <kubature/detail/cubature/regions.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>

#include <cstddef>
#include <cstdint>

namespace kubature::detail {

/// The tree of all bisections of a call, by which the region that holds a given place is found. Its first nodes are the
/// parts of the start grid, its leaves the regions that are listed; a handle that kernels copy.
struct BisectionTree {
  int dimension = 0;
  Kokkos::Array<unsigned char, max_dimension> grid{}; ///< bisections of each axis before the first node
  /// Of a node its lower half, before its upper one, and the axis along which it was bisected, in the lowest five bits;
  /// 0 of a leaf.
  std::uint32_t* halves = nullptr;
  std::uint32_t* regions = nullptr; ///< the region of a leaf, where note() has said it

  static constexpr std::uint64_t most_nodes = std::uint64_t{1} << 27;
  static constexpr std::size_t node_bytes = 2 * sizeof(std::uint32_t);

  /// Lays out the arrays of so many nodes from `data` on.
  void lay_out(std::byte* data, std::uint64_t nodes) {
    halves = reinterpret_cast<std::uint32_t*>(data);
    regions = halves + nodes;
  }

  /// A place in the tree, and how many bisections of each axis made it.
  struct Leaf {
    std::uint32_t node = 0;
    Kokkos::Array<unsigned char, max_dimension> levels{};
  };

  /// The leaf that holds the box of intervals at(axis). Where a leaf is smaller than the box along some axis, the one
  /// at its lower end there, or, along axis `toward`, at the end that `upper` names.
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

  /// Node `lower` and the one behind it become the halves of region i, whose second half will be listed as `sibling`.
  KOKKOS_FUNCTION void bisect(Regions const& list, std::uint64_t i, std::uint64_t sibling, std::uint32_t lower) const {
    halves[list.nodes[i]] = lower << 5 | static_cast<unsigned>(list.axis(i));
    halves[lower] = halves[lower + 1] = 0;
    list.nodes[i] = lower;
    list.nodes[sibling] = lower + 1;
  }

  /// Says that the list has the leaf's region at i.
  KOKKOS_FUNCTION void note(Regions const& list, std::uint64_t i) const {
    regions[list.nodes[i]] = static_cast<std::uint32_t>(i);
  }
};

} // namespace kubature::detail
