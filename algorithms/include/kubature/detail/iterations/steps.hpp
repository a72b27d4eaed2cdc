#pragma once

#include <kubature/detail/call/estimates.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/iterations/sampling_engine.hpp>
#include <kubature/detail/launch/total.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/sampling/evaluate.hpp>
#include <kubature/several_result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// Conversions between sums of samples, whose type depends on the integrand, and estimates, which are sized at run
/// time.

namespace kubature::detail {

/// The memory of a method that samples, kept from call to call.
template <class Space>
struct SamplingMemory {
  Buffer<Space> partials;
  Total<Space> total;
  Batches<Space> batches;
  ComponentSums<Space> components;

  /// @param label of its Views and kernels
  explicit SamplingMemory(std::string const& label)
      : partials(label + "::partials"), total(label + "::total"), batches(label + "::batches"),
        components(label + "::components") {}
};

/// The estimates of one call for an integrand, whose kernels compute C components.
template <int C, class F>
Estimates estimates_for(F const& f, double epsilon, std::string_view method, Request const& request,
                        Communicator const& ranks) {
  int const used = used_components<C>(f);
  return Estimates(epsilon, method, summed_elsewhere<F> ? used : C, used, request, ranks);
}

/// The result of a draw.
/// @param sums      of all samples
/// @param iteration their estimate, as the kernel scaled it
template <class F, class Sums, class Value>
Drawn drawn_from([[maybe_unused]] F const& f, Sums const& sums, Iteration<Value> const& iteration,
                 ValueScale const& scale, [[maybe_unused]] SamplingPlan const& plan) {
  constexpr int components = ValueTraits<Value>::components;
  Drawn drawn{.step = {{}, false, sums.non_finite, 0, sums.serious, sums.on_poles},
              .samples = sums.count,
              .driving = {to_numbers(iteration.value), to_numbers(iteration.error), iteration.evaluations,
                          iteration.included, iteration.correlations}};
  if constexpr (requires { sums.largest; }) {
    drawn.size = drawn.largest = sums.largest;
    drawn.weights = sums.weights;
    drawn.spreads.assign(sums.spreads, sums.spreads + components);
    drawn.magnitudes = sums.all_magnitudes();
  }
  for (auto* const numbers : {&drawn.driving.value, &drawn.driving.error})
    for (double& x : *numbers) {
      drawn.size = ValueScale::larger(drawn.size, x);
      x = scale.restored(x);
    }
  if constexpr (!summed_elsewhere<F>) {
    drawn.step.iteration = drawn.driving;
  } else {
    if (plan.trains)
      drawn.magnitudes = f.sums->magnitudes();
    if (plan.estimates) {
      auto estimate = f.sums->estimate(iteration.evaluations, scale.exponent());
      drawn.step.iteration = {std::move(estimate.value), std::move(estimate.errors.error), iteration.evaluations,
                              iteration.included, std::move(estimate.errors.correlations)};
      drawn.step.degrees = estimate.degrees;
    }
  }
  return drawn;
}

/// The result in the type that the integrand requires.
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
