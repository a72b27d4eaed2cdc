#pragma once

#include <kubature/communicator.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace kubature::detail {

/// The division of work: `items` (cubes, samples or pairs of these) are divided into chunks, one team each, of
/// Tuning::segments segments, each of them `length` consecutive items. The last segments may be shorter or empty. If
/// there are many chunks, the sums of several consecutive ones, a group, are joined before all others. Each rank works
/// on consecutive groups.
struct Partition {
  std::uint64_t items = 0;
  std::uint64_t length = 0;
  int count = 0;
  int group = 1;
  /// The chunks of this rank.
  int first = 0, mine = 0;

  Partition() = default;

  /// @param samples the samples that each item stands for
  /// @param largest maximum number of samples per chunk, unless one item per segment exceeds it
  template <class Space>
  Partition(Space const&, Communicator const& ranks, std::uint64_t all, std::uint64_t samples,
            std::uint64_t largest = std::numeric_limits<std::uint64_t>::max())
      : items(all) {
    using T = Tuning<Space>;
    auto const of_segments = [&](std::uint64_t least) {
      return items / (T::segments * std::max<std::uint64_t>(1, least / samples));
    };
    auto const filling = T::filling_chunks;
    auto const wanted = std::clamp<std::uint64_t>(
        std::max({std::min(of_segments(T::short_segment), T::few_chunks),
                  std::min(of_segments(T::least_segment), filling), of_segments(T::long_segment) / filling * filling}),
        1, most<Space>(items, samples));
    length = std::max<std::uint64_t>(1, std::min(ceil(items, wanted * T::segments), largest / samples / T::segments));
    count = static_cast<int>(ceil(items, length * T::segments));
    group = static_cast<int>(ceil(static_cast<std::uint64_t>(count), T::most_groups));
    first = begin(ranks.rank(), ranks.size());
    mine = begin(ranks.rank() + 1, ranks.size()) - first;
  }

  /// Maximum number of chunks for this many items with `samples` samples each.
  template <class Space>
  static std::uint64_t most(std::uint64_t items, std::uint64_t samples) {
    return Tuning<Space>::most_chunks * ceil(items, ceil(Tuning<Space>::device_samples, samples));
  }

  KOKKOS_FUNCTION int groups() const { return (count + group - 1) / group; }

  /// The first group of rank `rank` of `size` ranks.
  KOKKOS_FUNCTION int begin_groups(int rank, int size) const {
    return static_cast<int>(static_cast<std::int64_t>(groups()) * rank / size);
  }

  /// The first chunk of rank `rank` of `size` ranks.
  KOKKOS_FUNCTION int begin(int rank, int size) const {
    int const chunk = group * begin_groups(rank, size);
    return chunk < count ? chunk : count;
  }

  /// The first item of rank `rank` of `size` ranks.
  template <class Space>
  KOKKOS_FUNCTION std::uint64_t begin_items(int rank, int size) const {
    return static_cast<std::uint64_t>(begin(rank, size)) * Tuning<Space>::segments * length;
  }

  static std::uint64_t ceil(std::uint64_t a, std::uint64_t b) { return a / b + (a % b == 0 ? 0 : 1); }
};

} // namespace kubature::detail
