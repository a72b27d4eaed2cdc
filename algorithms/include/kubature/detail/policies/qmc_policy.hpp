#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// Constants of quasi-Monte Carlo. Numbers of points are per shift, as binary logarithms where the name says `power`.
struct QmcPolicy {
  // Training of a map (docs/design/quasi-monte-carlo-maps.md#maps).

  /// Iterations of VEGAS+, and the number of the last ones that are averaged.
  int training_iterations = 10, averaged_iterations = 5;
  /// Bins of the trained map, and its damping.
  int training_bins = 500;
  double training_alpha = 1;
  /// Evaluations per iteration: 1 / training_part of all, and at most most_training.
  std::uint64_t training_part = 25, most_training = 200'000;

  // Refinement of a map by slabs (docs/design/quasi-monte-carlo-maps.md#maps).

  /// Points of the trained map through which the first spline goes.
  int trained_pieces = 32;
  /// Slabs take slab_rounds rounds, in all at most one evaluation in slab_part, one in single_part where each has a
  /// single point, and at most 2^most_slab_power points. Their first octave is this far below one point of all.
  int slab_rounds = 4, slab_part = 8, single_part = 3, most_slab_power = 8, slab_octaves = 13;
  /// Maximum mismatch between a map made from slabs and the last slabs.
  double most_mismatch = 0.01;
  /// Points of each shift that a map assigns to the empty parts of an axis: a third of a point from a whole number,
  /// also after doubling, since otherwise all shifts would have the same number of points up to the jump, and would not
  /// scatter.
  double empty_points = 25.0 / 3;
  /// Parts are empty if the density is below this fraction of the mean, unless they are narrower than that: then they
  /// are the end of a tail.
  double empty_density = 0.1, least_empty_width = 0x1p-24;
  /// A density is kept above this fraction of the mean, so that knots move by steps that the next round can resolve,
  /// and above this fraction of each neighbour's: a few points cannot prove that a piece is empty.
  double least_density = 1e-3, least_of_neighbour = 0.5;

  // Trials, and the choice among maps (docs/design/quasi-monte-carlo-maps.md#maps).

  /// A trial of each form of the map has 2^trial_part times fewer points than the call, and is not made for fewer than
  /// 2^least_trial_power points.
  int trial_part = 5, most_trial_power = 14, least_trial_power = 11;
  /// The error of an estimate is at least 1 / distance_part of its distance from another one that is trusted.
  double distance_part = 4;
  /// A trial that finds this many times more than another one has seen a peak that the other missed; so has one whose
  /// root mean square is this many times larger.
  double overlooked = 4, overlooked_magnitude = 4;
  /// Points are rotated or drawn in a peak if a trial's error is this many times smaller.
  double worth_moving = 4;
  /// The largest uncertainty of the mean square with which an error is trusted.
  double most_unsure = 0.2;
  /// The factor by which the root mean square without a map must exceed that of an unreliable map for the map to be
  /// used nevertheless.
  double necessary = 5;
  /// The factor by which another map's error has to be smaller: than without any; than in a smooth one, if lattices
  /// gain by it, and if they do not.
  double prefer_none = 2, prefer_smooth = 2, prefer_smooth_without_gain = 1.25;
  /// Lattices gain by their evenness if the error is this many times below that of random points.
  double least_gain = 2;

  // Choice of a transform (docs/design/quasi-monte-carlo.md#change-of-variables).

  /// Each is tried with 2^transform_part times fewer points than the call, or with 2^most_timed_power if a time limit
  /// may end the call before its first iteration; in calls of 2^least_transformed_power points and more, in up to
  /// most_transformed variables.
  int transform_part = 5, most_timed_power = 16, least_transformed_power = 16, most_transformed = 8;
  /// A polynomial of a higher order is chosen if its error is less than that of a lower one divided by this.
  double higher_order = 0.5;
  /// A later trial has 2^again_part times fewer points than drawn so far, and 2^again_after times as many as the last,
  /// if the tolerance is predicted to need `many_for_transform` times the points so far.
  int again_part = 3, again_after = 3;
  double many_for_transform = 8;

  // Rotations (docs/design/quasi-monte-carlo-maps.md#rotated-points).

  /// Differences use one evaluation in difference_part, least_ to most_differences points, and apply from least_rotated
  /// variables on.
  int difference_part = 32, least_differences = 4, most_differences = 512, least_rotated = 4;
  /// One point in outlier_part may lie at a jump, and counts no more than others; and the number of points of equal
  /// weights required to determine the directions.
  int outlier_part = 32;
  double effective_differences = 8;
  /// Integrands are rotated if this many directions leave at most that fraction of the variance, and as many axes at
  /// least that.
  int few_directions = 3;
  double most_left = 0.1, least_left_by_axes = 0.2;

  // Peaks across the axes (docs/design/quasi-monte-carlo-maps.md#peaks-across-the-axes).

  /// A peak is located in at most peak_rounds rounds, each of one evaluation in peak_part, and at most
  /// 2^most_peak_power.
  int peak_rounds = 12, peak_part = 64, most_peak_power = 12;
  /// The points of equal weights that its covariance requires per variable; and the fraction of a round's points, 1 /
  /// effective_part, that have to be effectively equal for the last round.
  double effective_per_variable = 10, effective_part = 4;
  /// The distance in standard normal deviations beyond which a point is hardly ever drawn.
  double peak_reach = 4;

  // Errors (docs/design/quasi-monte-carlo-errors.md#errors).

  /// The error of rounding, in units of the root mean square times epsilon; and the range of means, in units of that,
  /// that carries no information on jumps.
  double rounding = 4, rounding_range = 64;
  /// The minimum number of shifts whose means reveal jumps; and the number of earlier doublings used for the distance
  /// of groups.
  std::uint64_t least_shifts_for_jumps = 8, remembered_jumps = 8;
  /// The widest gap between two groups of means, as a fraction of their range; the maximum of gaps within groups, and
  /// the minimum of those between them; the fraction of the gaps that are within groups; and the fraction of the range
  /// between several groups.
  double widest_gap = 0.8, gap_within = 0.005, gap_between = 0.05, least_within = 0.4, groups_apart = 3;

  // Iterations, and another map on the way (docs/design/quasi-monte-carlo-errors.md#a-better-map-on-the-way).

  /// Minimum number of doublings up to the requested points, which determine the minimum error of the last; and the
  /// minimum and maximum of the points of the first iteration.
  int doublings = 8, least_first_power = 3, most_first_power = 10;
  /// Maximum number of maps that a call trains after the first.
  int most_retrained = 2;
  /// Another map is worth training if many_for_map times the points so far are needed; it uses one in retraining_part
  /// of these, and at most most_retraining; least_known iterations must be available for the prediction.
  double many_for_map = 32, retraining_part = 16, most_retraining = 1 << 22;
  int least_known = 3;
  /// The minimum and maximum power of 1/N with which errors are predicted to fall.
  double least_power = 1, most_power = 4;
  /// Maximum duration of the rest of a call with a time limit, in units of that of all iterations so far.
  int rest_of_time = 3;
};

template <>
QmcPolicy const& policy<QmcPolicy>();

} // namespace kubature::detail
