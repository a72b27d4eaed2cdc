#pragma once

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// How many times as many samples as at first an iteration may come to have.
inline constexpr double most_growth = 4096;

/// The samples of the next iteration, of which the last one had `now`: more where many would be needed, as larger
/// iterations stratify more finely, and an iteration has its cost.
/// @param first of the option `evaluations`
template <class Run>
std::uint64_t grown(Run const& run, std::uint64_t now, std::uint64_t first) {
  double const missing = run.missing(), last = static_cast<double>(now);
  if (missing < 8 * last)
    return now;
  double const most = most_growth * static_cast<double>(first);
  double const wanted = std::min({missing / 4, 2 * last, most, static_cast<double>(run.evaluations_left()), 0x1p62});
  return std::max(now, static_cast<std::uint64_t>(wanted));
}

} // namespace kubature::detail
