#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// Constants of the choice of formats, in mixed precision and with the precision `adaptive`.
struct PrecisionPolicy {
  // The choice of a format (docs/design/mixed-precision.md#how-a-format-is-chosen).

  /// Number of points at which `adaptive` evaluates an integrand.
  int points = 100;
  /// The fraction of a tolerance allowed for rounding; without a tolerance, the fraction of the integral.
  double rounding_part = 0.1, usual_relative = 1e-6;
  /// Operations per evaluation if nothing else is known.
  int usual_operations = 20;
  /// Whether mixed precision chooses by the paper's prediction P, each part for itself, instead of what is observed.
  bool by_prediction = false;

  // What mixing costs (docs/design/mixed-precision.md#what-mixing-costs).

  /// The fraction of the cost that lower formats have to save.
  double least_gain = 0.05;

  // The automatic strategy (docs/design/mixed-precision.md#the-automatic-strategy).

  /// Samples of the call for each evaluation of probing, so that probing takes a small part of its time.
  double samples_per_probe = 50;
  /// The fraction of the variance that regions may leave.
  double most_variance_left = 0.8;

  // Regions (docs/design/mixed-precision.md#regions).

  /// Variance and gradient, relative to those of the whole, of a region that is not worth splitting.
  double small_variance = 1e-6, small_gradient = 1e-3;
  /// The fraction of the samples allocated by volume alone, so that what the points missed is sampled, too.
  double even_part = 0.25;
  /// The fewest samples intended for a region: fewer reveal little of their own spread.
  std::uint64_t samples_per_region = 256;
  /// Maximum number of probes of a region; all probes may use 1 / probes_part of the allowed evaluations.
  std::uint64_t most_probes = 3, probes_part = 4;
};

template <>
PrecisionPolicy const& policy<PrecisionPolicy>();

} // namespace kubature::detail
