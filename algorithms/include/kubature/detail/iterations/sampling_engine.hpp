#pragma once

#include <kubature/detail/call/estimates.hpp>
#include <kubature/detail/sampling/scaling.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/point.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace kubature::detail {

/// The purpose of samples: to determine the scale of the weights or the time per sample, for an iteration, or to try
/// other strata.
enum class Purpose { scale, estimate, trial };

/// The samples of one draw.
struct SamplingPlan {
  std::uint64_t samples = 0;   ///< approximate number
  std::uint32_t stream = 0;    ///< of random numbers
  Strata<dynamic> strata = {}; ///< for methods that have strata
  Purpose purpose = Purpose::estimate;
  bool trains = false;   ///< whether the map's histogram records samples
  bool weighs = false;   ///< whether the weights of cubes are recorded
  bool even = false;     ///< whether all cubes have the same number of samples, whatever their weights
  bool estimates = true; ///< whether the estimates of all components are wanted
};

/// The sums of one draw, of as many components as the integrand has.
struct Drawn {
  Step step = {};  ///< in true magnitude; the caller sets whether it adapts, and the largest value
  double size = 0; ///< the largest value, error or |J f|, as the kernel computed it; infinite where one is not finite
  double largest = 0; ///< |J f|, as the kernel computed it
  std::uint64_t samples = 0;
  double weights = 0; ///< sum over the cubes
  /// The quantities that drive the map: the estimate of each of its components in true magnitude; the variances of the
  /// strata's means, up to a factor; and estimates of the integrals of their magnitudes, up to another.
  Iteration<std::vector<double>> driving = {};
  std::vector<double> spreads = {}, magnitudes = {};
};

/// Draws the samples of one call and sums the values: all that a sampling strategy needs to know of the integrand, the
/// box and the device. Each draw is one launch, or one for each mix of formats.
class SamplingEngine {
public:
  virtual ~SamplingEngine() = default;

  /// @param scale of values in the kernel @returns nothing if the call has ended
  virtual std::optional<Drawn> draw(SamplingPlan const& plan, ValueScale const& scale) = 0;
  /// Discards what draws have recorded: later values are relative to 2^exponent.
  virtual void forget([[maybe_unused]] int exponent) {}
};

} // namespace kubature::detail
