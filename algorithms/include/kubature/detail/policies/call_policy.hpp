#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// By what the calls of several methods decide.
struct CallPolicy {
  // Calls with a time limit (docs/monte-carlo.md#time).

  /// Iterations are shortened where one is predicted to take more than this part of the time, and all of them twice
  /// that; then so many fit.
  double iteration_part = 0.25, iterations_that_fit = 16;
  /// A pilot of this part of the time tells; it begins with so many samples, and grows by this factor.
  double pilot_part = 1.0 / 128;
  std::uint64_t least_pilot = 8, pilot_growth = 8;
  /// Seconds of a launch, after which the clock is looked at.
  double launch_seconds = 0.05;

  // Agreement of iterations (docs/monte-carlo.md#combining-iterations).

  /// If the chance of the estimates' spread is below this, their errors are too small to be believed.
  double least_q = 1e-3;
  /// Distances from the mean that do not matter, in units of what the tolerance allows.
  double immaterial = 0.25;
  /// The part of the tolerance that an iteration has to meet by itself to count before the map is trained. Its error
  /// may be too small by that factor, then.
  double early_part = 0.25;

  // Values without variance (docs/monte-carlo.md#values-without-variance-and-iterations-that-disagree).

  /// Two values that differ by less are equal, including the rounding of weights in single precision.
  double alike = 1e-4;
  /// Estimates of one component disagree where the chance of their spread is below this: of many, one in a hundred
  /// does.
  double disagree_by_chance = 0.01;

  // Values that are not finite (docs/guide/errors.md#values-that-are-not-finite).

  /// Points among which one is searched whose value is not finite.
  std::uint64_t points_for_non_finite = 1 << 12;

  // Several components (docs/monte-carlo.md#several-components).

  /// A component whose error is this many times that of all others needs 16 times their samples.
  double dominant = 4;

  // Audits (docs/trust.md#audits).

  /// Audits use one evaluation in audit_part, and most_audited at most; so many times that where they close in on many
  /// poles. They are made again with so many times the samples.
  std::uint64_t audit_part = 128, most_audited = 1 << 14, most_for_poles = 5, audit_again = 4;
  /// Lines towards each end at most.
  std::uint64_t most_lines = 8;
  /// The least power of the distance with which mass may fall off towards an end: below, what the last representable
  /// distances hold is no longer a part that could be known.
  double least_end_power = 0.02;
  /// The least magnitude assumed of a sample on a pole, in units of the integral: where a map is dense, it weighs as
  /// much as others.
  double weight_on_pole = 16;
  /// The fraction of the error from which the contribution of the ends is reported in a remark.
  double worth_a_remark = 0.1;
  /// The shape of a tail from which on weights have no variance that could be relied on (Vehtari et al. 2024, section
  /// 3.2.4); the number of weights from which it is well determined; and the part of the largest weight's contribution
  /// that an error has to exceed.
  double without_variance = 0.7;
  std::uint64_t enough_weights = 2048;
  double part_of_largest = 0.25;
  /// The shape from which on a few weights tell only that there is a peak: well above 1, since it scatters; and how
  /// many are few.
  double no_integral = 1.5;
  std::uint64_t top_weights = 25;
  /// Lines along each axis on which poles are looked for; points of a line in the first round at least and at most, and
  /// in later ones; and by which factor |f| grows at least in every round.
  int pole_lines = 3, least_scan = 48, most_scan = 256, later_scan = 32;
  double least_pole_growth = 2;
};

template <>
CallPolicy const& policy<CallPolicy>();

} // namespace kubature::detail
