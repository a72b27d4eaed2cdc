#pragma once

#include <kubature/detail/cubature/bisection_tree.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>

#include <cstdint>

namespace kubature::detail {

/// A list of regions as the steps below change it in place.
struct ListToBisect {
  Regions regions;
  std::uint64_t size;
  std::uint32_t* moved; ///< a word of device memory
};

/// Moves the selected regions to the front, given their number.
template <class Space>
void partition(Space const& exec, ListToBisect const& list, Selection const& selection, std::uint64_t selected);

/// Bisects the first `count` regions: their lower halves stay in place, their upper halves go to the end.
/// @param node the first of the halves in the tree
template <class Space>
void bisect_first(Space const& exec, ListToBisect const& list, std::uint64_t count, BisectionTree const& tree,
                  std::uint64_t node);

/// Both for a short list, by one team in one kernel.
template <class Space>
void partition_and_bisect(Space const& exec, ListToBisect const& list, Selection const& selection,
                          std::uint64_t selected, std::uint64_t count, BisectionTree const& tree, std::uint64_t node);

} // namespace kubature::detail
