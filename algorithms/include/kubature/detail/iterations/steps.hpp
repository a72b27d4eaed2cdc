#pragma once

#include <kubature/detail/call/estimates.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/several_result.hpp>

#include <cstdint>
#include <string>
#include <utility>

/// \file
/// Between sums of samples, whose type depends on the integrand, and Estimates, which are sized at run time.

namespace kubature::detail {

/// The estimates of one call for an integrand, whose kernels compute C components.
template <int C, class F>
Estimates estimates_for(F const& f, double epsilon, std::string_view method, Tolerance tolerance, Limits limits,
                        Callback const& callback, std::source_location where, Communicator const& ranks) {
  int const used = used_components<C>(f);
  return Estimates(epsilon, method, summed_elsewhere<F> ? used : C, used, tolerance, limits, callback, where, ranks);
}

/// What a draw contributes.
/// @param sums      of all samples, in the order of Moments
/// @param iteration their estimate, without the kernel's scale
/// @param exponent  of that scale
template <class F, class Sums, class Value>
Step step_of([[maybe_unused]] F const& f, Sums const& sums, Iteration<Value> const& iteration,
             [[maybe_unused]] int exponent, bool adaptive = false, double largest = 0) {
  Step step{{}, adaptive, sums.non_finite, largest, sums.serious, sums.on_poles};
  if constexpr (summed_elsewhere<F>) {
    auto estimate = f.sums->estimate(iteration.evaluations, exponent);
    step.iteration = {std::move(estimate.value), std::move(estimate.errors.error), iteration.evaluations,
                      iteration.included, std::move(estimate.errors.correlations)};
    step.degrees = estimate.degrees;
  } else {
    step.iteration = {to_numbers(iteration.value), to_numbers(iteration.error), iteration.evaluations,
                      iteration.included, iteration.correlations};
  }
  return step;
}

/// The result in the type that the integrand asks for.
template <class F, class Value>
auto result_for(SeveralResult result) {
  if constexpr (summed_elsewhere<F>)
    return result;
  else
    return to_result<Value>(std::move(result));
}

/// The number of components as a checkpoint states it: components known at run time are stored differently.
template <int C, class F>
std::string components_in_words([[maybe_unused]] F const& f) {
  if constexpr (summed_elsewhere<F>)
    return std::to_string(f.sums->components()) + " at run time" + (f.sums->full() ? " covariance full" : "");
  else
    return std::to_string(C);
}

} // namespace kubature::detail
