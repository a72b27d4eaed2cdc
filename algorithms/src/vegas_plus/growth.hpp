#pragma once

#include <kubature/detail/policies/vegas_policy.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// Maximum number of samples of an iteration, in units of the first one's. Checkpoints are checked against it, so it is
/// the same in all calls.
inline constexpr double most_growth = 4096;

/// The samples of the next iteration, after one of `now` samples: more if many are still needed, because larger
/// iterations stratify more finely, and each has a fixed cost.
/// @param first the option `evaluations`
template <class Run>
std::uint64_t grown(Run const& run, std::uint64_t now, std::uint64_t first) {
  double const missing = run.missing(), last = static_cast<double>(now);
  auto const& by = policy<VegasPolicy>();
  if (missing < by.grow_from * last)
    return now;
  double const most = most_growth * static_cast<double>(first);
  double const wanted = std::min({missing / by.missing_part, by.grow_by * last, most, run.left_for_samples(), 0x1p62});
  return static_cast<std::uint64_t>(std::max(last, wanted)); // hardly anything may be left
}

} // namespace kubature::detail
