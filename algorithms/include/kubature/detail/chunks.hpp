#pragma once

#include <kubature/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// How `items` (cubes or samples) are cut: into chunks, a team each, of Tuning::strands strands, each a run of
/// `length` consecutive items. The last strands may be shorter or empty.
struct Chunks {
  std::uint64_t items = 0;
  std::uint64_t length = 0;
  int count = 0;

  Chunks() = default;

  /// @param samples the samples that each item stands for
  /// @param shortest a strand has at least as many items
  template <class Space>
  Chunks(Space const&, std::uint64_t all, std::uint64_t samples, std::uint64_t shortest = 1) : items(all) {
    using T = Tuning<Space>;
    auto const of_strands = [&](std::uint64_t length) {
      return items / (T::strands * std::max<std::uint64_t>(1, length / samples));
    };
    auto const filling = T::filling_chunks;
    auto const wanted = std::clamp<std::uint64_t>(
        std::max(std::min(of_strands(T::least_strand), filling), of_strands(T::long_strand) / filling * filling), 1,
        T::most_chunks);
    length = std::max(shortest, ceil(items, wanted * T::strands));
    count = static_cast<int>(ceil(items, length * T::strands));
  }

  static std::uint64_t ceil(std::uint64_t a, std::uint64_t b) { return a / b + (a % b == 0 ? 0 : 1); }
};

} // namespace kubature::detail
