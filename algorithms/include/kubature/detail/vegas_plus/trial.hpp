#pragma once

#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/result.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

/// \file
/// What an iteration of VEGAS+ in other strata requires, see Restratification.

namespace kubature::detail {

/// The purpose of samples: to determine the scale of the weights, for an iteration, or to try other strata.
enum class Purpose { scale, estimate, trial };

/// Strata besides those in use, distributed among the axes in their own way.
template <class Space>
struct OtherStrata {
  std::vector<double> shape;
  Stratification<Space> strata;

  OtherStrata(std::vector<double> shape_, Stratification<Space> strata_)
      : shape(std::move(shape_)), strata(std::move(strata_)) {}

  void exchange(std::vector<double>& other_shape, Stratification<Space>& other_strata) {
    std::swap(shape, other_shape);
    std::swap(strata, other_strata);
  }
};

/// Whether two iterations may be estimates of the same integral, judged by the components that drive the map.
template <class Value>
bool consistent(Iteration<Value> const& a, Iteration<Value> const& b, ComponentWeights const& weights) {
  Value away = a.value;
  for (int c = 0; c < ValueTraits<Value>::components; ++c)
    ValueTraits<Value>::get(away, c) -= ValueTraits<Value>::get(b.value, c);
  return driving(away, weights) < 5 * std::hypot(driving(a.error, weights), driving(b.error, weights));
}

/// How many iterations of this many evaluations are likely to follow the one being drawn.
/// @param asked whether the call has a tolerance
template <class Run>
double iterations_ahead(Run const& run, int iterations, std::uint64_t evaluations, bool asked) {
  auto const each = static_cast<double>(evaluations);
  double const most = std::min(static_cast<double>(iterations - 1) - static_cast<double>(run.steps().size()),
                               static_cast<double>(run.evaluations_left()) / each);
  return asked ? std::min(most, run.missing() / each) : most;
}

} // namespace kubature::detail
