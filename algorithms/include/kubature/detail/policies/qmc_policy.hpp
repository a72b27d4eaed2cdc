#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// By what quasi-Monte Carlo decides. Numbers of points are of each shift, as binary logarithms where the name says
/// `power`.
struct QmcPolicy {
  // Training of a map (docs/quasi-monte-carlo.md#maps).

  /// Iterations of VEGAS+, and how many of the last are averaged.
  int training_iterations = 10, averaged_iterations = 5;
  /// Bins of the trained map, and its damping.
  int training_bins = 500;
  double training_alpha = 1;
  /// Evaluations of an iteration: one in so many of all, and so many at most.
  std::uint64_t training_part = 25, most_training = 200'000;

  // Refinement of a map by slabs (docs/quasi-monte-carlo.md#maps).

  /// Points of the trained map through which the first spline goes.
  int trained_pieces = 32;
  /// Slabs take so many rounds, in all at most one evaluation in slab_part, one in single_part where each has a single
  /// point, and at most 2^most_slab_power points. Their first octave is this far below one point of all.
  int slab_rounds = 4, slab_part = 8, single_part = 3, most_slab_power = 8, slab_octaves = 13;
  /// By how much a map made from slabs may differ from what they tell in the end.
  double most_mismatch = 0.01;
  /// How many points of each shift a map leaves to the empty parts of an axis: a third of a point from a whole number,
  /// also after doubling, since otherwise all shifts would have the same number of points up to the jump, and would not
  /// scatter.
  double empty_points = 25.0 / 3;
  /// Parts are empty where the density is below this part of the mean, unless they are narrower than that: then they
  /// are the end of a tail.
  double empty_density = 0.1, least_empty_width = 0x1p-24;
  /// A density is kept above this part of the mean, so that knots move by steps that the next round can resolve, and
  /// above this part of each neighbour's: a few points cannot prove that a piece holds nothing.
  double least_density = 1e-3, least_of_neighbour = 0.5;

  // Trials, and the choice among maps (docs/quasi-monte-carlo.md#maps).

  /// A trial takes 2^trial_part times fewer points than the call for each form of the map, and is not made for less
  /// than 2^least_trial_power points.
  int trial_part = 5, most_trial_power = 14, least_trial_power = 11;
  /// An estimate is off by at least one part in so many of its distance from another one that is trusted.
  double distance_part = 4;
  /// A trial that finds so many times more than another one has seen a peak that the other missed; and so has one in
  /// which the root mean square is so many times larger.
  double overlooked = 4, overlooked_magnitude = 4;
  /// Points are rotated or drawn in a peak where a trial's error is so many times smaller.
  double worth_moving = 4;
  /// The largest uncertainty of the mean square with which an error can be trusted.
  double most_unsure = 0.2;
  /// By which factor values without a map in doubt have to be larger, in the root mean square, for it to be used
  /// nevertheless.
  double necessary = 5;
  /// By which factor another map's error has to be smaller: than without any; than in a smooth one, if lattices gain by
  /// it, and if they do not.
  double prefer_none = 2, prefer_smooth = 2, prefer_smooth_without_gain = 1.25;
  /// Lattices gain by their evenness where the error is so many times below that of random points.
  double least_gain = 2;

  // Choice of a transform (docs/quasi-monte-carlo.md#change-of-variables).

  /// Each is tried with 2^transform_part times fewer points than the call, or with 2^most_timed_power where a time
  /// limit may end the call before its first iteration; in calls of 2^least_transformed_power points and more, in up to
  /// most_transformed variables.
  int transform_part = 5, most_timed_power = 16, least_transformed_power = 16, most_transformed = 8;
  /// A polynomial of a higher order is taken where its error is less than that of a lower one divided by this.
  double higher_order = 0.5;
  /// A trial on the way takes 2^again_part times fewer points than there are, and 2^again_after times as many as the
  /// last, where the tolerance is predicted to need `many_for_transform` times the points so far.
  int again_part = 3, again_after = 3;
  double many_for_transform = 8;

  // Rotations (docs/quasi-monte-carlo.md#rotated-points).

  /// Differences take one evaluation in difference_part, least_ to most_differences points, and serve from
  /// least_rotated variables on.
  int difference_part = 32, least_differences = 4, most_differences = 512, least_rotated = 4;
  /// One point in so many may lie at a jump, and counts no more than others; and how many points of equal weights have
  /// to tell of the directions.
  int outlier_part = 32;
  double effective_differences = 8;
  /// Rotated are integrands of which so many directions leave at most that part of the variance, and as many axes at
  /// least that.
  int few_directions = 3;
  double most_left = 0.1, least_left_by_axes = 0.2;

  // Peaks across the axes (docs/quasi-monte-carlo.md#peaks-across-the-axes).

  /// A peak is located by up to so many rounds, each of one evaluation in peak_part, and 2^most_peak_power at most.
  int peak_rounds = 12, peak_part = 64, most_peak_power = 12;
  /// The points of equal weights that its covariance requires for each variable; and the part of a round's points, one
  /// in so many, that have to be as good as equal for the last round.
  double effective_per_variable = 10, effective_part = 4;
  /// How many standard normal deviations off a point is hardly ever drawn.
  double peak_reach = 4;

  // Errors (docs/quasi-monte-carlo.md#errors).

  /// The error of rounding, in units of the root mean square times epsilon; and the range of means, in units of that,
  /// that tells nothing of jumps.
  double rounding = 4, rounding_range = 64;
  /// Means say little of jumps where there are fewer shifts; and how many doublings before say how far groups are
  /// apart.
  std::uint64_t least_shifts_for_jumps = 8, remembered_jumps = 8;
  /// The widest gap between two groups of means, as a part of their range; gaps within groups, and between these, at
  /// most and at least; the part of the gaps that are within groups; and the part of the range that several groups are
  /// apart.
  double widest_gap = 0.8, gap_within = 0.005, gap_between = 0.05, least_within = 0.4, groups_apart = 3;

  // Iterations, and another map on the way (docs/quasi-monte-carlo.md#a-better-map-on-the-way).

  /// Doublings that lead to the points asked for at least, which tell what the error of the last is at least; and the
  /// points of the first iteration at least and at most.
  int doublings = 8, least_first_power = 3, most_first_power = 10;
  /// How many maps a call trains after the first at most.
  int most_retrained = 2;
  /// Another map is worth training where so many times the points so far are needed, of which it takes one in
  /// retraining_part, and most_retraining at most; least_known iterations have to tell.
  double many_for_map = 32, retraining_part = 16, most_retraining = 1 << 22;
  int least_known = 3;
  /// Errors are predicted to fall like 1/N to this power at least and at most.
  double least_power = 1, most_power = 4;
  /// How many times as long as all iterations together the rest of a call may take where time is limited.
  int rest_of_time = 3;
};

template <>
QmcPolicy const& policy<QmcPolicy>();

} // namespace kubature::detail
