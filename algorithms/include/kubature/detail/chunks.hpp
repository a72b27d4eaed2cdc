#pragma once

#include <kubature/communicator.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// How `items` (cubes, samples or pairs of these) are cut: into chunks, a team each, of Tuning::strands strands, each a
/// run of `length` consecutive items. The last strands may be shorter or empty. Where there are many chunks, the
/// results of a bundle of them are joined before all others. Of all bundles, each process works on a run.
struct Chunks {
  std::uint64_t items = 0;
  std::uint64_t length = 0;
  int count = 0;
  int bundle = 1;
  /// This process's.
  int first = 0, mine = 0;

  Chunks() = default;

  /// @param samples the samples that each item stands for
  template <class Space>
  Chunks(Space const&, Communicator const& ranks, std::uint64_t all, std::uint64_t samples) : items(all) {
    using T = Tuning<Space>;
    auto const of_strands = [&](std::uint64_t least) {
      return items / (T::strands * std::max<std::uint64_t>(1, least / samples));
    };
    auto const filling = T::filling_chunks;
    auto const wanted = std::clamp<std::uint64_t>(
        std::max(std::min(of_strands(T::least_strand), filling), of_strands(T::long_strand) / filling * filling), 1,
        most<Space>(items, samples));
    length = std::max<std::uint64_t>(1, ceil(items, wanted * T::strands));
    count = static_cast<int>(ceil(items, length * T::strands));
    bundle = static_cast<int>(ceil(static_cast<std::uint64_t>(count), T::most_bundles));
    first = begin(ranks.rank(), ranks.size());
    mine = begin(ranks.rank() + 1, ranks.size()) - first;
  }

  /// Chunks at most, of so many items that stand for so many samples each.
  template <class Space>
  static std::uint64_t most(std::uint64_t items, std::uint64_t samples) {
    return Tuning<Space>::most_chunks * ceil(items, ceil(Tuning<Space>::device_samples, samples));
  }

  KOKKOS_FUNCTION int bundles() const { return (count + bundle - 1) / bundle; }

  /// The first bundle of a process, of so many.
  KOKKOS_FUNCTION int begin_bundles(int rank, int size) const {
    return static_cast<int>(static_cast<std::int64_t>(bundles()) * rank / size);
  }

  /// The first chunk of a process, of so many.
  KOKKOS_FUNCTION int begin(int rank, int size) const {
    int const chunk = bundle * begin_bundles(rank, size);
    return chunk < count ? chunk : count;
  }

  /// The first item of a process, of so many.
  template <class Space>
  KOKKOS_FUNCTION std::uint64_t begin_items(int rank, int size) const {
    return static_cast<std::uint64_t>(begin(rank, size)) * Tuning<Space>::strands * length;
  }

  static std::uint64_t ceil(std::uint64_t a, std::uint64_t b) { return a / b + (a % b == 0 ? 0 : 1); }
};

} // namespace kubature::detail
