#pragma once

#include <kubature/covariance.hpp>
#include <kubature/error.hpp>
#include <kubature/integrand.hpp>

#include <Kokkos_Array.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubature {

/// Why a call ended.
enum class Status {
  converged,        ///< the tolerance is met
  completed,        ///< no tolerance was requested, and all the work that the method's options specify is done
  evaluation_limit, ///< Limits.evaluations, or the method's own number, is used up
  iteration_limit,  ///< Limits.iterations, or the method's own number, is used up
  time_limit,       ///< Limits.seconds is used up
  precision_limit,  ///< rounding keeps the error above the tolerance
  memory_exhausted, ///< the device's memory, or Limits.bytes, is used up
  non_finite,       ///< the integrand returned NaN or infinity
  /// No estimate of the error: all values drawn were zero, or equal within each stratum, or so few of them dominate the
  /// integral that their variance does not exist (see CallRecord::k_hat)
  no_variance,
  stopped ///< the callback requested it
};

/// The name of a status as above, such as "evaluation_limit".
std::string_view to_string(Status status);

/// What a method does with a NaN or infinite value of the integrand. The result counts such values in every case.
enum class NonFinite {
  error,    ///< the call ends at once with Status::non_finite
  discard,  ///< the value counts as zero
  propagate ///< the value enters the sums
};

/// The estimate of one iteration of a Monte Carlo method.
template <class Value>
struct Iteration {
  Value value{};                 ///< the estimate from this iteration alone
  Value error{};                 ///< its error
  std::uint64_t evaluations = 0; ///< evaluations of the integrand
  /// Whether the value of the result includes this iteration (methods may skip the first ones).
  bool included = true;
  /// The correlations of each pair of components; see Result.
  std::vector<double> correlations = {};
};

namespace detail {

/// Values with correlated errors, owned by the caller, and quantities derived from them.
class JointValues {
public:
  /// Throws InvalidArgument unless there is one correlation per pair.
  JointValues(std::span<double const> values, std::span<double const> errors, std::span<double const> correlations,
              std::source_location where);

  double correlation(int i, int j) const;
  double covariance(int i, int j) const;
  ValueAndError ratio(int i, int j) const;
  ValueAndError linear(std::span<double const> weights) const;

private:
  std::size_t place(int i) const;

  std::span<double const> values_, errors_, correlations_;
  std::source_location where_;
};

/// The numbers of a value, one per component.
inline std::span<double const> numbers(double const& value) { return {&value, 1}; }
template <std::size_t C>
auto numbers(Kokkos::Array<double, C> const& value) { // nvcc 13 writes a type here that GCC 13 does not take
  return std::span<double const>(value.data(), C);
}
inline std::span<double const> numbers(std::vector<double> const& value) { return value; }

} // namespace detail

/// What the results of all calls have in common, whatever the type of their values.
struct CallRecord {
  Status status = Status::completed; ///< why the call ended
  /// The agreement between iterations in all components together. Its degrees of freedom are the number of iterations
  /// minus one, times the number of components that do not depend on others. NaN and 0 if correlations are unknown.
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  int dof = 0; ///< the degrees of freedom of chi2
  /// Correlations of the errors of components i < j, in the order (0, 1), (0, 2), (1, 2), (0, 3), ...; empty unless
  /// Covariance::full was requested. See ResultOf::correlation().
  std::vector<double> correlations = {};
  /// Evaluations of the integrand, including those that only train or probe.
  std::uint64_t evaluations = 0;
  /// The number of regions, for a cubature method.
  std::uint64_t regions = 0;
  /// How many values of the integrand were NaN or infinite.
  std::uint64_t non_finite = 0;
  /// With Status::non_finite: coordinates of a point at which a value is not finite, if such a point was located.
  std::vector<double> non_finite_at = {};
  /// The shape parameter of the Pareto tail of the weights, the largest over all components: up to 0.5 their variance
  /// exists; above 0.7 errors are unreliable (Vehtari, Simpson, Gelman, Yao and Gabry, "Pareto smoothed
  /// importance sampling", JMLR 25 (2024) 72). NaN for cubature, for components known at run time, and where there are
  /// too few samples.
  double k_hat = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;    ///< how long the call took
  std::string method;    ///< the method's name
  std::string backend;   ///< where it was computed: the name of the execution space
  std::string precision; ///< the name of the precision
  /// The seed, for methods that have one.
  std::optional<std::uint64_t> seed;
  /// Anything else that the caller should know, one sentence each.
  std::vector<std::string> remarks;
};

/// The numbers of a result. Values is double, Kokkos::Array<double, C> or, with a number of components known at run
/// time, std::vector<double>.
template <class Values>
struct ResultNumbers {
  Values value{}; ///< the estimate of the integral
  /// The error of each component: one standard deviation for Monte Carlo methods, an error estimate for cubature.
  Values error{};
  /// The agreement between iterations, for each component; NaN where there is nothing to compare.
  Values chi2_per_dof{};
  Values q_value{};                          ///< the probability of a chi2 as large or larger, for each component
  std::vector<Iteration<Values>> iterations; ///< the estimates of the iterations, in order
};

/// What Result and SeveralResult have in common: the record of the call and its numbers.
template <class Values>
struct ResultOf : CallRecord, ResultNumbers<Values> {
  /// Whether correlations of the errors are known. The functions below need them, and otherwise throw InvalidArgument.
  bool has_covariance() const { return detail::numbers(this->value).size() == 1 || !correlations.empty(); }
  /// The correlation of the errors of components i and j, counted from 0.
  double correlation(int i, int j, std::source_location where = std::source_location::current()) const {
    return joint(where).correlation(i, j);
  }
  /// The covariance of the errors of components i and j, counted from 0.
  double covariance(int i, int j, std::source_location where = std::source_location::current()) const {
    return joint(where).covariance(i, j);
  }
  /// Component i over component j, with its error to first order. If their errors are positively correlated, it is
  /// smaller than it would be if they were independent.
  ValueAndError ratio(int i, int j, std::source_location where = std::source_location::current()) const {
    return joint(where).ratio(i, j);
  }
  /// The sum of the components, each times its weight, with its error.
  ValueAndError linear(std::span<double const> weights,
                       std::source_location where = std::source_location::current()) const {
    return joint(where).linear(weights);
  }
  /// The sum of all components, with its error.
  ValueAndError sum(std::source_location where = std::source_location::current()) const {
    return joint(where).linear(std::vector<double>(detail::numbers(this->value).size(), 1.0));
  }

private:
  detail::JointValues joint(std::source_location where) const {
    return {detail::numbers(this->value), detail::numbers(this->error), correlations, where};
  }
};

/// The result of an integration. Value is double, or Kokkos::Array<double, C> for C components.
template <class Value = double>
struct Result : ResultOf<Value> {
  /// The number of components of the integrand.
  static constexpr int components = detail::ValueTraits<Value>::components;
};

/// "0.85131(4)": the value with the error in units of its last digit. The error has one digit, or two if the first is a
/// 1. Large and small numbers are written as "1.2869(3)e+13". An error below the last digit of a double is written by
/// itself: "0.5(3e-20)".
std::string format(double value, double error);

namespace detail {

/// A number of things as people read it: "1,000", or "4.7e+10" from ten thousand million on.
std::string text_of_count(std::uint64_t n);
/// "210 ms", "0.58 s", "12.3 s".
std::string text_of_seconds(double seconds);

/// The text that follows the values: "converged after 9 iterations, chi2/dof 1.02, ...".
std::string describe(CallRecord const& record, std::size_t iterations, double chi2_per_dof);

/// Prints a result; see below.
void print(std::ostream& out, CallRecord const& record, std::size_t iterations, std::span<double const> value,
           std::span<double const> error, std::span<double const> chi2_per_dof);

} // namespace detail

/// Prints "0.85131(4)  converged after 9 iterations, chi2/dof 1.02, 9,000,000 evaluations, 3.1 ms by vegas+". Several
/// components come first, separated by two spaces. chi2/dof is then the largest or, with full covariance, that of all
/// components together, and the correlations of up to ten components follow as the lower triangle of a matrix. Each
/// remark follows on a line of its own.
template <class Values>
std::ostream& operator<<(std::ostream& out, ResultOf<Values> const& result) {
  detail::print(out, result, result.iterations.size(), detail::numbers(result.value), detail::numbers(result.error),
                detail::numbers(result.chi2_per_dof));
  return out;
}

} // namespace kubature
