#pragma once

#include <kubature/covariance.hpp>
#include <kubature/result.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace kubature {

/// A Result with a number of components known at run time: of several expressions, or of batched(f, components).
struct SeveralResult : ResultOf<std::vector<double>> {
  int components() const { return static_cast<int>(value.size()); } ///< the number of components
};

namespace detail {

/// The first numbers of a vector as a value, and the first numbers of a value.
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

/// A result with its values converted to another type.
template <class To, class Values, class Convert>
To with_values(ResultOf<Values> from, Convert const& convert) {
  // These bindings name every member, so that one that is added cannot be forgotten.
  auto& [value, error, chi2_per_dof, q_value, iterations] = static_cast<ResultNumbers<Values>&>(from);
  To to;
  to.value = convert(value);
  to.error = convert(error);
  to.chi2_per_dof = convert(chi2_per_dof);
  to.q_value = convert(q_value);
  to.iterations.reserve(iterations.size());
  for (auto& [of_one, its_error, evaluations, included, correlations] : iterations)
    to.iterations.push_back({convert(of_one), convert(its_error), evaluations, included, std::move(correlations)});
  static_cast<CallRecord&>(to) = std::move(from);
  return to;
}

/// A result in the type that its integrand has.
template <class Value>
Result<Value> to_result(SeveralResult from) {
  return with_values<Result<Value>>(std::move(from), to_value<Value>);
}

/// A result with the first components alone.
template <class Value>
SeveralResult to_several(Result<Value> from, int components = Result<Value>::components) {
  auto to =
      with_values<SeveralResult>(std::move(from), [&](Value const& value) { return to_numbers(value, components); });
  auto const keep_first = [&](std::vector<double>& correlations) {
    correlations.resize(std::min(correlations.size(), static_cast<std::size_t>(pairs(components))));
  };
  keep_first(to.correlations);
  for (auto& iteration : to.iterations)
    keep_first(iteration.correlations);
  return to;
}

} // namespace detail
} // namespace kubature
