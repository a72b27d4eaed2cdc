#include <kubature/result.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kubature {

std::ostream& operator<<(std::ostream& out, ValueAndError const& number) {
  return out << format(number.value, number.error);
}

namespace detail {

JointValues::JointValues(std::span<double const> values, std::span<double const> errors,
                         std::span<double const> correlations, std::source_location where)
    : values_(values), errors_(errors), correlations_(correlations), where_(where) {
  auto const wanted = static_cast<std::size_t>(pairs(static_cast<int>(values_.size())));
  require(correlations_.size() == wanted, "Result.correlations", correlations_.empty() ? "none" : "too few",
          "the correlations of the errors are unknown: set the method's option .covariance = "
          "kubature::Covariance::full",
          where);
}

std::size_t JointValues::place(int i) const {
  require(i >= 0 && static_cast<std::size_t>(i) < values_.size(), "component", i,
          "the result has " + std::to_string(values_.size()) + ", counted from 0", where_);
  return static_cast<std::size_t>(i);
}

double JointValues::correlation(int i, int j) const {
  auto const a = place(i), b = place(j);
  if (a == b)
    return 1;
  return correlations_[static_cast<std::size_t>(pair_place(std::min(i, j), std::max(i, j)))];
}

double JointValues::covariance(int i, int j) const {
  return correlation(i, j) * (errors_[place(i)] * errors_[place(j)]); // symmetric to the bit
}

ValueAndError JointValues::ratio(int i, int j) const {
  double const over = values_[place(j)], value = values_[place(i)] / over;
  double const a = errors_[place(i)] / over, b = value * (errors_[place(j)] / over);
  double const largest = std::max(std::abs(a), std::abs(b));
  if (!(largest > 0) || !std::isfinite(a) || !std::isfinite(b))
    return {value, std::abs(a + b)}; // 0, or not a finite number
  // a^2 - 2 rho a b + b^2, without cancellation where rho is 1, in units in which squares stay in range
  double const u = a / largest, v = b / largest, together = correlation(i, j);
  return {value, largest * std::sqrt(std::max((u - v) * (u - v) + 2 * (1 - together) * u * v, 0.0))};
}

ValueAndError JointValues::linear(std::span<double const> weights) const {
  require(weights.size() == values_.size(), "number of weights", weights.size(),
          "the result has " + std::to_string(values_.size()) + " components", where_);
  double value = 0, largest = 0;
  std::vector<double> errors;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    value += weights[i] * values_[i];
    errors.push_back(weights[i] * errors_[i]);
    largest = std::max(largest, std::abs(errors[i]));
  }
  if (std::any_of(errors.begin(), errors.end(), [](double error) { return std::isnan(error); }))
    return {value, std::numeric_limits<double>::quiet_NaN()};
  if (largest == 0 || !std::isfinite(largest))
    return {value, largest};
  double variance = 0; // in units of the largest error, so that squares of small and large ones stay in range
  for (std::size_t j = 0; j < errors.size(); ++j) {
    double const b = errors[j] / largest;
    variance += b * b;
    for (std::size_t i = 0; i < j; ++i)
      variance += 2 * correlation(static_cast<int>(i), static_cast<int>(j)) * (errors[i] / largest) * b;
  }
  return {value, largest * std::sqrt(std::max(variance, 0.0))};
}

} // namespace detail
} // namespace kubature
