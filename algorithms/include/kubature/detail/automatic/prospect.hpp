#pragma once

#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// \file
/// What a short call of a method tells about how many evaluations it would take to meet a tolerance.

namespace kubature::detail {

/// The error divided by the error that is allowed, of the worst component; infinite if there is no estimate.
template <class Value>
double worst_excess(Value const& value, Value const& error, Tolerance tolerance) {
  using Traits = ValueTraits<Value>;
  double worst = 0;
  for (int c = 0; c < Traits::components; ++c) {
    double const here = Traits::get(error, c) / tolerance.allowed(Traits::get(value, c));
    worst = std::isnan(here) ? std::numeric_limits<double>::infinity() : std::max(worst, here);
  }
  return worst;
}

/// The least and the greatest power with which an error may be expected to fall with the number N of evaluations: like
/// N^-power.
struct Powers {
  double least, most;
};

/// How far a method that refines one estimate has come: evaluations so far, and its error divided by the error that is
/// allowed.
struct Step {
  double evaluations, excess;
};

/// The evaluations after which the error of such a method will meet the tolerance, if it goes on falling by the power
/// of N that its steps show from a quarter of the evaluations to all of them.
inline double needed(std::vector<Step> const& steps, Powers powers) {
  if (steps.empty() || !std::isfinite(steps.back().excess))
    return std::numeric_limits<double>::infinity();
  Step const last = steps.back();
  if (last.excess <= 1)
    return last.evaluations;
  auto const earlier = std::find_if(steps.rbegin(), steps.rend(),
                                    [&](Step const& step) { return 4 * step.evaluations <= last.evaluations; });
  Step const from = earlier == steps.rend() ? steps.front() : *earlier;
  double const power = from.evaluations < last.evaluations && std::isfinite(from.excess)
                           ? std::log(from.excess / last.excess) / std::log(last.evaluations / from.evaluations)
                           : powers.least;
  return last.evaluations * std::pow(last.excess, 1 / std::clamp(power, powers.least, powers.most));
}

/// As above, for a result whose iterations are the steps. Errors that grow a little do not count. Where they have grown
/// by more than `doubt`, since cubature doubts its regions or lattices begin anew, the steps from there on do; until
/// there are two of them, those before.
/// @param launches evaluations that each iteration costs besides its own
template <class Value>
double needed(Result<Value> const& result, Tolerance tolerance, Powers powers, double launches = 0) {
  constexpr double doubt = 4;
  std::vector<Step> steps, before;
  double evaluations = 0;
  for (auto const& iteration : result.iterations) {
    evaluations += static_cast<double>(iteration.evaluations) + launches;
    double excess = worst_excess(iteration.value, iteration.error, tolerance);
    if (!steps.empty() && excess > doubt * steps.back().excess)
      before = std::exchange(steps, {});
    else if (!steps.empty())
      excess = std::min(excess, steps.back().excess);
    steps.push_back({evaluations, excess});
  }
  return std::max(evaluations, needed(steps.size() < 2 && !before.empty() ? before : steps, powers));
}

/// As above, for independent samples, whose error falls like 1/sqrt(N): only those that the estimate is made of,
/// because a call that goes on in the same map counts all of its own.
template <class Value>
double needed_by_sampling(Result<Value> const& result, Tolerance tolerance) {
  double const above = worst_excess(result.value, result.error, tolerance);
  double samples = 0;
  for (auto const& iteration : result.iterations)
    samples += iteration.included ? static_cast<double>(iteration.evaluations) : 0;
  return samples > 0 ? samples * std::max(1.0, above * above) : std::numeric_limits<double>::infinity();
}

/// As above, before any samples were drawn, for an integral of about this value and samples whose standard deviation is
/// `scatter` times that; infinite if the value tells nothing.
template <class Value>
double needed_by_sampling(Value const& value, double scatter, Tolerance tolerance) {
  using Traits = ValueTraits<Value>;
  Value deviation = value;
  for (int c = 0; c < Traits::components; ++c)
    Traits::get(deviation, c) = scatter * std::abs(Traits::get(value, c));
  double const above = worst_excess(value, deviation, tolerance);
  return above * above;
}

/// Whether a result says no more than that the integral may be zero: all values are within two of their errors.
template <class Value>
bool consistent_with_zero(Result<Value> const& result) {
  using Traits = ValueTraits<Value>;
  for (int c = 0; c < Traits::components; ++c)
    if (std::abs(Traits::get(result.value, c)) > 2 * Traits::get(result.error, c))
      return false;
  return true;
}

/// Whether a result of lattices is negligible beside the value of another one, so that they have seen nothing of what
/// makes that up: the error counts, which is at least that of rounding the values that they have seen.
template <class Value>
bool negligible(Result<Value> const& result, Value const& beside) {
  using Traits = ValueTraits<Value>;
  for (int c = 0; c < Traits::components; ++c)
    if (!(std::abs(Traits::get(result.value, c)) + Traits::get(result.error, c) <=
          std::numeric_limits<double>::epsilon() * std::abs(Traits::get(beside, c))))
      return false;
  return true;
}

template <class Value>
double first_of(Value const& value) {
  return ValueTraits<Value>::get(value, 0);
}

/// A number of evaluations as remarks print it: "1.2e+07".
inline std::string number(double x) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1e", x);
  return text;
}

} // namespace kubature::detail
