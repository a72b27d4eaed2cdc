#pragma once

#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/options.hpp>

#include <algorithm>
#include <cstdint>

namespace kubature::detail {

/// From this many samples per iteration on, noise is small enough for a map of more intervals that learns fast
/// (docs/monte-carlo.md, "Training").
inline constexpr std::uint64_t samples_to_learn_fast = 100'000;

/// The intervals of the map along an axis: as many as are asked for; if 0, a compromise, because more intervals fit the
/// integrand better, but each then has a noisier weight.
inline int wanted_bins(int asked, std::uint64_t evaluations) {
  return asked > 0 ? asked : evaluations < samples_to_learn_fast ? 500 : 1000;
}

/// How VEGAS+ refines its map after an iteration of this many samples.
/// @param asked     the option `alpha`
/// @param iteration of the training of a fresh map, from 0; -1: the map was trained before the call
/// @param resolved  whether the iteration has found what dominates the integral
inline Damping damping(double asked, std::uint64_t evaluations, int dimension, int iteration, bool resolved = false) {
  constexpr double cautious = 0.75, fast = 1.5, slow = 0.5;
  constexpr int fast_iterations = 7;
  if (evaluations < samples_to_learn_fast)
    return {asked == own_choice ? cautious : asked};
  if (asked != own_choice)
    return {asked, 0, resolved};
  // With each iteration the map comes closer to its optimum, while the noise of the samples remains: steps become
  // smaller.
  double const alpha = iteration < 0                 ? cautious
                       : iteration < fast_iterations ? fast
                                                     : std::max(slow, fast * fast_iterations / iteration);
  // In few variables the strata compensate for the map's coarse errors, and most of what remains is noise.
  return {alpha, dimension <= 2 ? 10 : dimension == 3 ? 6 : 2, resolved};
}

} // namespace kubature::detail
