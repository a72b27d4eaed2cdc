#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/components/component_sum.hpp>
#include <kubature/detail/launch/partition.hpp>

#include <span>

namespace kubature::detail {

/// Adds up the sums of all processes' chunks, in the order of the chunks, on each process.
/// @param own    those of this process, [component][chunk]
/// @param totals one per component
void add_chunks_of_all(Communicator const& ranks, Partition const& chunks, std::span<ComponentSum const> own,
                       std::span<ComponentSum> totals);

/// Adds up each number over all processes, in the order of ranks.
void add_of_all(Communicator const& ranks, std::span<double> numbers);

} // namespace kubature::detail
