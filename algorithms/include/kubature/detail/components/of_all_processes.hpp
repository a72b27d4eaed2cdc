#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/components/component_sum.hpp>
#include <kubature/detail/launch/partition.hpp>

#include <span>

namespace kubature::detail {

/// Adds up the sums of all ranks' chunks, in the order of the chunks, on each rank.
/// @param own    those of this rank, [component][chunk]
/// @param totals one per component
void add_chunks_of_all(Communicator const& ranks, Partition const& chunks, std::span<ComponentSum const> own,
                       std::span<ComponentSum> totals);

/// Adds up each number over all ranks, in rank order.
void add_of_all(Communicator const& ranks, std::span<double> numbers);

} // namespace kubature::detail
