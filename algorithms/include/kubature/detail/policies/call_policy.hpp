#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// Constants of the calls of several methods.
struct CallPolicy {
  // Calls with a time limit (docs/design/monte-carlo.md#time).

  /// Iterations are shortened if one is predicted to exceed this fraction of the time limit, and all of them twice
  /// that; then this many fit.
  double iteration_part = 0.25, iterations_that_fit = 16;
  /// The fraction of the time limit for a pilot, which begins with this many samples and grows by this factor.
  double pilot_part = 1.0 / 128;
  std::uint64_t least_pilot = 8, pilot_growth = 8;
  /// Seconds per launch, after which the clock is checked; and those for which a launch on a device may take longer, so
  /// that it fills the device.
  double launch_seconds = 0.05, filled_seconds = 0.5;

  // Agreement of iterations (docs/design/iterations.md#combining-iterations).

  /// If the probability of the estimates' spread is below this, their errors are not credible.
  double least_q = 1e-3;
  /// Distances from the mean that do not matter, in units of the allowed error.
  double immaterial = 0.25;
  /// The fraction of the tolerance that an iteration has to meet by itself to count before the map is trained. Its
  /// error may then be too small by that factor.
  double early_part = 0.25;

  // Values without variance (docs/design/iterations.md#values-without-variance-and-iterations-that-disagree).

  /// Two values whose relative difference is smaller are equal, including the rounding of weights in single precision.
  double alike = 1e-4;
  /// Estimates of one component disagree if the probability of their spread is below this: one in a hundred does by
  /// chance.
  double disagree_by_chance = 0.01;

  // Values that are not finite (docs/guide/errors.md#values-that-are-not-finite).

  /// Number of points searched for one whose value is not finite.
  std::uint64_t points_for_non_finite = 1 << 12;

  // Several components (docs/design/components.md#what-trains-the-map).

  /// A component whose error is this many times that of all others needs 16 times their samples.
  double dominant = 4;

  // Audits (docs/design/audits.md#audits).

  /// Audits use one evaluation in audit_part, and at most most_audited; most_for_poles times that where they close in
  /// on many poles. They are repeated after audit_again times the samples.
  std::uint64_t audit_part = 128, most_audited = 1 << 14, most_for_poles = 5, audit_again = 4;
  /// Maximum number of lines towards each end.
  std::uint64_t most_lines = 8;
  /// The least power of the distance with which mass may fall off towards an end: below, the mass within the last
  /// representable distances cannot be determined.
  double least_end_power = 0.02;
  /// The least magnitude assumed of a sample on a pole, in units of the integral: where a map is dense, its weight is
  /// that of others.
  double weight_on_pole = 16;
  /// The fraction of the error from which the contribution of the ends is reported in a remark.
  double worth_a_remark = 0.1;
  /// The shape of a tail from which on the variance of weights is unreliable (Vehtari et al. 2024, section 3.2.4); the
  /// number of weights from which it is well determined; and the fraction of the largest weight's contribution that an
  /// error has to exceed.
  double without_variance = 0.7;
  std::uint64_t enough_weights = 2048;
  double part_of_largest = 0.25;
  /// The shape from which on a few weights show only that there is a peak: well above 1, since it scatters; and how
  /// many weights are few.
  double no_integral = 1.5;
  std::uint64_t top_weights = 25;
  /// Lines along each axis on which poles are searched for; minimum and maximum number of points of a line in the first
  /// round, and their number in later ones; and the minimum growth factor of |f| per round.
  int pole_lines = 3, least_scan = 48, most_scan = 256, later_scan = 32;
  double least_pole_growth = 2;
};

template <>
CallPolicy const& policy<CallPolicy>();

} // namespace kubature::detail
