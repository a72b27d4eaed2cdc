#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/components/kernels.hpp>
#include <kubature/detail/sampling/partition.hpp>

#include <span>

namespace kubature::detail {

/// Adds up the sums of all processes' chunks, in the order of the chunks, on each of them.
/// @param own    of this process, [component][chunk]
/// @param totals of each component
void add_chunks_of_all(Communicator const& ranks, Partition const& chunks, std::span<ComponentSum const> own,
                       std::span<ComponentSum> totals);

/// Adds up the numbers of all processes, each for itself, in the order of ranks.
void add_of_all(Communicator const& ranks, std::span<double> numbers);

} // namespace kubature::detail
