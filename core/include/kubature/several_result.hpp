#pragma once

#include <kubature/covariance.hpp>
#include <kubature/result.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

namespace kubature {

/// A Result with a number of components known at run time: of several expressions, or of batched(f, components).
struct SeveralResult : CallRecord {
  std::vector<double> value;                              ///< of each component, as are the vectors that follow
  std::vector<double> error;                              ///< one standard deviation; for cubature an error estimate
  std::vector<double> chi2_per_dof;                       ///< NaN where there is none
  std::vector<double> q_value;                            ///< the probability of a chi2 as large or larger
  std::vector<Iteration<std::vector<double>>> iterations; ///< the estimates of the iterations

  int components() const { return static_cast<int>(value.size()); } ///< the number of components
  /// As in Result: whether correlations are known, which the functions below need, otherwise throwing InvalidArgument.
  bool has_covariance() const { return value.size() == 1 || !correlations.empty(); }
  /// The correlation of the errors of components i and j, counted from 0.
  double correlation(int i, int j, std::source_location where = std::source_location::current()) const;
  /// The covariance of the errors of components i and j, counted from 0.
  double covariance(int i, int j, std::source_location where = std::source_location::current()) const;
  /// Component i over component j, with its error to first order.
  ValueAndError ratio(int i, int j, std::source_location where = std::source_location::current()) const;
  /// The sum of the components, each times its weight, with its error.
  ValueAndError linear(std::span<double const> weights,
                       std::source_location where = std::source_location::current()) const;
  /// The sum of all components, with its error.
  ValueAndError sum(std::source_location where = std::source_location::current()) const;
};

namespace detail {

/// Some numbers of a vector as a value, and the first numbers of a value.
template <class Value>
Value to_value(std::vector<double> const& numbers) {
  Value value{};
  for (int c = 0; c < ValueTraits<Value>::components; ++c)
    ValueTraits<Value>::get(value, c) = numbers[static_cast<std::size_t>(c)];
  return value;
}
template <class Value>
std::vector<double> to_numbers(Value const& value, int count = ValueTraits<Value>::components) {
  std::vector<double> numbers;
  for (int c = 0; c < count; ++c)
    numbers.push_back(ValueTraits<Value>::get(value, c));
  return numbers;
}

/// A result in the type that its integrand has.
template <class Value>
Result<Value> to_result(SeveralResult from) {
  Result<Value> to;
  to.value = to_value<Value>(from.value);
  to.error = to_value<Value>(from.error);
  to.chi2_per_dof = to_value<Value>(from.chi2_per_dof);
  to.q_value = to_value<Value>(from.q_value);
  to.iterations.reserve(from.iterations.size());
  for (auto& one : from.iterations)
    to.iterations.push_back({to_value<Value>(one.value), to_value<Value>(one.error), one.evaluations, one.included,
                             std::move(one.correlations)});
  static_cast<CallRecord&>(to) = std::move(from);
  return to;
}

/// A result with the first components alone.
template <class Value>
SeveralResult to_several(Result<Value> const& from, int components = Result<Value>::components) {
  auto const first_pairs = [&](std::vector<double> correlations) {
    correlations.resize(std::min(correlations.size(), static_cast<std::size_t>(pairs(components))));
    return correlations;
  };
  SeveralResult to{from,
                   to_numbers(from.value, components),
                   to_numbers(from.error, components),
                   to_numbers(from.chi2_per_dof, components),
                   to_numbers(from.q_value, components),
                   {}};
  to.correlations = first_pairs(from.correlations);
  for (auto const& one : from.iterations)
    to.iterations.push_back({to_numbers(one.value, components), to_numbers(one.error, components), one.evaluations,
                             one.included, first_pairs(one.correlations)});
  return to;
}

} // namespace detail

/// Prints it as a Result is printed.
std::ostream& operator<<(std::ostream& out, SeveralResult const& result);

} // namespace kubature
