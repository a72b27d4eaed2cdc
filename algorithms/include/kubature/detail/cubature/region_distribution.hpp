#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/memory/messages.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace kubature::detail {

/// Gathers one number per rank on all ranks.
std::vector<std::uint64_t> gather(Communicator const& ranks, std::uint64_t mine);

/// Adds up the totals of all ranks, component by component, in rank order.
/// @param totals of this rank; afterwards of all
/// @param size   of this rank's list
/// @returns the sizes of all lists, which are sent along with the totals
std::vector<std::uint64_t> sum_over_ranks(Communicator const& ranks, std::span<RegionTotals> totals,
                                          std::uint64_t size);

/// The number of `all` regions that rank r has if they are evenly distributed.
std::uint64_t balanced_size(Communicator const& ranks, std::uint64_t all, int r);

/// Of the regions above a threshold: the number in this rank's list, the number taken from it, and the number taken
/// from all lists.
struct Taken {
  std::uint64_t above, mine, all;
};
/// Takes `count` regions, in the order of ranks.
/// @param above in this rank's list
/// @param room  the number of regions for which this rank has memory
Taken take_in_order(Communicator const& ranks, std::uint64_t count, std::uint64_t above, std::uint64_t room);

/// Whether the longest list exceeds the mean by a quarter, and by enough to be worth a transfer.
bool is_unbalanced(Communicator const& ranks, std::vector<std::uint64_t> const& sizes);

/// Moves regions from the ends of lists that are too long to the ends of those that are too short, both in the order of
/// ranks, until each has its balanced_size(), for which there is room.
/// @param sizes of all lists
template <class Space>
void balance(Space const& exec, Communicator const& ranks, Messages<Space>& messages, Regions const& regions,
             std::vector<std::uint64_t> sizes);

} // namespace kubature::detail
