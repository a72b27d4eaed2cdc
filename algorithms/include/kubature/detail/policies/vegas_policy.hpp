#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// Constants of VEGAS+ and m-Cubes.
struct VegasPolicy {
  // Training of the map (docs/design/vegas-adaptation.md#training).

  /// From this many samples per iteration on, noise is small enough for a map of more intervals that learns fast.
  std::uint64_t samples_to_learn_fast = 100'000;
  /// Minimum number of samples per interval of the map.
  std::uint64_t samples_per_bin = 16;
  /// The samples that set the scale of the first histogram: 1 / scale_part of the first iteration's, and at most
  /// most_for_scale.
  std::uint64_t scale_part = 8, most_for_scale = 1 << 17;
  /// The fraction of the value below which an error shows that samples have found what dominates the integral.
  double resolved = 0.05;
  /// Intervals of the map along an axis below and above that number: more of them fit the integrand better, but each
  /// then has a noisier weight.
  int few_bins = 500, many_bins = 1000;
  /// Their maximum if there are more than 20 axes, whose intervals take memory (docs/many-variables.md).
  int bins_of_many_axes = 100;
  /// The relative error of an iteration below which it refines the map of as many axes.
  double known_by_many_axes = 0.02;
  /// The damping for few samples, and for a map that was trained before; for the first iterations; and the minimum for
  /// later ones, since the map comes closer to its optimum with each while the noise of the samples remains.
  double cautious_alpha = 0.75, fast_alpha = 1.5, least_alpha = 0.5;
  int fast_iterations = 7;
  /// Intervals on either side over which weights are averaged, in up to two variables, in three, and in more: in few
  /// variables the strata compensate for the map's coarse errors, and most of what remains is noise.
  int reach_in_two = 10, reach_in_three = 6, reach_in_more = 2;

  // Cubes or samples (docs/design/vegas-adaptation.md#cubes-or-samples).

  /// The fraction of the samples allocated to strata by weight.
  double part_by_weight = 0.75;
  /// There are few variables if there are more strata per axis than this.
  double few_variables = 6;
  /// The iterations, from 0, whose gain is measured.
  std::uint32_t first_measured = 2, last_measured = 4;
  /// The gain of finer cubes in many variables, as a power of the gain in few.
  double finer_power = 0.8;
  /// Samples and map have adapted to each other if all gains exceed the former and the largest is less than the latter
  /// times the smallest.
  double least_settled = 0.92, most_settled = 1.06;
  /// The choice is repeated once iterations are this many times larger.
  std::uint64_t outgrown = 16;

  // Strata where they matter (docs/design/vegas-adaptation.md#strata-where-they-matter).

  /// Iterations before the trial, and the number of the present size that must lie ahead.
  std::uint32_t trial_after = 8;
  double least_ahead = 10;
  /// The trial continues after its first iteration below this many times the known error, and its strata are adopted
  /// below that fraction of it.
  double may_pay = 3, pays = 0.75;
  /// The number of their errors by which the two iterations may differ.
  double consistent = 5;

  // Sizes of iterations (docs/methods/vegas-plus.md#what-it-does).

  /// Iterations without a tolerance, and their maximum with one.
  int iterations = 20, most_iterations = 200;
  /// Iterations that m-Cubes requires for convergence: two samples in a cube may both miss a jump in it, several times
  /// in a row.
  std::uint64_t mcubes_least_iterations = 4;

  /// Iterations grow while this many more of them are missing, by at most this factor, up to 1 / missing_part of the
  /// missing samples.
  double grow_from = 8, grow_by = 2, missing_part = 4;
};

template <>
VegasPolicy const& policy<VegasPolicy>();

} // namespace kubature::detail
