#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace kubature::detail {

/// The division of the points that an iteration adds: all shifts have the same number, a power of two, in whole groups
/// of their own chunks, so that the sums of a shift are those of consecutive groups.
struct ShiftPartition {
  Partition chunks;
  std::uint64_t points = 0;   ///< per shift
  std::uint64_t segments = 0; ///< per shift

  ShiftPartition() = default;

  /// @param each points per shift, a power of two
  template <class Space>
  ShiftPartition(Space const& exec, Communicator const& ranks, int shifts, std::uint64_t each) : points(each) {
    using T = Tuning<Space>;
    auto const all = static_cast<std::uint64_t>(shifts);
    auto const wanted = static_cast<std::uint64_t>(Partition(exec, Communicator(), all * each, 1).count);
    auto const most = std::max<std::uint64_t>(1, each / T::segments);
    auto const of_shift = std::min(most, std::bit_ceil(Partition::ceil(wanted, all)));
    auto const groups = std::min(of_shift, std::bit_floor(std::max<std::uint64_t>(1, T::most_groups / all)));
    segments = of_shift * T::segments;
    chunks.length = std::max<std::uint64_t>(1, each / segments);
    chunks.items = all * segments * chunks.length;
    chunks.count = static_cast<int>(all * of_shift);
    chunks.group = static_cast<int>(of_shift / groups);
    chunks.first = chunks.begin(ranks.rank(), ranks.size());
    chunks.mine = chunks.begin(ranks.rank() + 1, ranks.size()) - chunks.first;
  }
};

} // namespace kubature::detail
