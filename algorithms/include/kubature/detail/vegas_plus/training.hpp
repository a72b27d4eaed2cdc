#pragma once

#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/options.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// Whether iterations have enough samples for a map of more intervals that learns fast: their noise is then small
/// enough.
inline bool learns_fast(std::uint64_t evaluations) {
  return evaluations >= policy<VegasPolicy>().samples_to_learn_fast;
}

/// The intervals of the map along an axis: as requested; if 0, a compromise, because more intervals fit the integrand
/// better, but each then has a noisier weight.
inline int wanted_bins(int asked, std::uint64_t evaluations) {
  auto const& by = policy<VegasPolicy>();
  return asked > 0 ? asked : learns_fast(evaluations) ? by.many_bins : by.few_bins;
}

/// The damping of the map's refinement after an iteration of this many samples.
/// @param asked     the option `alpha`
/// @param iteration of the training of a fresh map, from 0; -1: the map was trained before the call
/// @param resolved  whether the iteration has found what dominates the integral
inline Damping damping(double asked, std::uint64_t evaluations, int dimension, int iteration, bool resolved = false) {
  auto const& by = policy<VegasPolicy>();
  if (!learns_fast(evaluations))
    return {asked == own_choice ? by.cautious_alpha : asked};
  if (asked != own_choice)
    return {asked, 0, resolved};
  // With each iteration the map comes closer to its optimum, while the noise of the samples remains: steps become
  // smaller.
  double const alpha = iteration < 0 ? by.cautious_alpha
                       : iteration < by.fast_iterations
                           ? by.fast_alpha
                           : std::max(by.least_alpha, by.fast_alpha * by.fast_iterations / iteration);
  return {alpha, dimension <= 2 ? by.reach_in_two : dimension == 3 ? by.reach_in_three : by.reach_in_more, resolved};
}

} // namespace kubature::detail
