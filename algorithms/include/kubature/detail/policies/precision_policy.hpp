#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// By what formats are chosen, in mixed precision and with the precision `adaptive`.
struct PrecisionPolicy {
  // The choice of a format (docs/mixed-precision.md#how-a-format-is-chosen).

  /// Points at which `adaptive` looks at an integrand.
  int points = 100;
  /// The share of a tolerance that rounding may take there; without one, the share of the integral.
  double rounding_part = 0.1, usual_relative = 1e-6;
  /// Operations per evaluation if nothing else is known.
  int usual_operations = 20;

  // What mixing costs (docs/mixed-precision.md#what-mixing-costs).

  /// The part of the cost that lower formats have to save.
  double least_gain = 0.05;

  // Regions (docs/mixed-precision.md#regions).

  /// Variance and gradient, relative to those of the whole, of a region that is not worth splitting.
  double small_variance = 1e-6, small_gradient = 1e-3;
  /// The part of the samples that is allocated by volume alone, so that what the points have not seen is sampled, too.
  double even_part = 0.25;
  /// The fewest samples that a region is meant to have: fewer say little of their own spread.
  std::uint64_t samples_per_region = 256;
  /// How many times a region is probed at most; all probes may take one part in so many of the evaluations allowed.
  std::uint64_t most_probes = 3, probes_part = 4;
};

template <>
PrecisionPolicy const& policy<PrecisionPolicy>();

} // namespace kubature::detail
