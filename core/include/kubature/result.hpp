#pragma once

#include <kubature/covariance.hpp>
#include <kubature/error.hpp>
#include <kubature/integrand.hpp>

#include <Kokkos_Array.hpp>

#include <cmath>
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

/// How a call ended.
enum class Status {
  converged,        ///< the tolerance is met
  completed,        ///< no tolerance was asked for, and all the work that the method's options name is done
  evaluation_limit, ///< Limits.evaluations or the method's own number is used up
  iteration_limit,  ///< Limits.iterations or the method's own number is used up
  time_limit,       ///< Limits.seconds is used up
  precision_limit,  ///< rounding keeps the error above the tolerance
  memory_exhausted, ///< no more memory on the device, or Limits.bytes
  non_finite,       ///< the integrand returned NaN or infinity
  no_variance,      ///< all values drawn were zero, or alike within each stratum: that is no estimate
  stopped           ///< the callback asked to stop
};

/// The name as above, such as "evaluation_limit".
std::string_view to_string(Status status);

/// What a method does with a NaN or infinite value of the integrand. It is counted in the result in every case.
enum class NonFinite {
  error,    ///< the call ends at once with Status::non_finite
  discard,  ///< the value counts as zero
  propagate ///< the value enters the sums
};

/// The estimate of one iteration of a Monte Carlo method.
template <class Value>
struct Iteration {
  Value value{};                 ///< what this iteration alone estimates
  Value error{};                 ///< the error of that
  std::uint64_t evaluations = 0; ///< how often the integrand was evaluated
  /// Whether the result's value includes this iteration (methods may skip the first ones).
  bool included = true;
  /// Of each two components; see Result.
  std::vector<double> correlations = {};
};

namespace detail {

/// Values whose errors are correlated, and what follows from them.
class JointValues {
public:
  /// Throws InvalidArgument unless there is a correlation for each pair.
  JointValues(std::vector<double> values, std::vector<double> errors, std::span<double const> correlations,
              std::source_location where);

  double correlation(int i, int j) const;
  double covariance(int i, int j) const;
  ValueAndError ratio(int i, int j) const;
  ValueAndError linear(std::span<double const> weights) const;

private:
  std::size_t place(int i) const;

  std::vector<double> values_, errors_;
  std::span<double const> correlations_;
  std::source_location where_;
};

/// The correlations as the lower triangle of a matrix, a line for each component; nothing for too many to be read.
std::string correlation_table(int components, std::span<double const> correlations);

} // namespace detail

/// What integrating returns. Value is double, or Kokkos::Array<double, C> for C components.
template <class Value = double>
struct Result {
  /// How many values the integrand has at a point.
  static constexpr int components = detail::ValueTraits<Value>::components;

  Value value{}; ///< the estimate of the integral
  /// One standard deviation for Monte Carlo methods, an error estimate for cubature; of each component.
  Value error{};
  Status status = Status::completed; ///< why the call ended
  /// Agreement between the iterations, of each component; NaN where there is nothing to compare.
  Value chi2_per_dof{};
  Value q_value{}; ///< the probability of a chi2 as large or larger, by component
  /// Agreement between the iterations in all components together, and the degrees of freedom that it has: iterations
  /// less one, times the components that do not depend on others. NaN and 0 where nothing is known of correlations.
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  int dof = 0; ///< the degrees of freedom of chi2
  /// Correlations of the errors of components i < j, in the order (0, 1), (0, 2), (1, 2), (0, 3), ...; empty unless the
  /// method was asked for Covariance::full. See correlation().
  std::vector<double> correlations = {};
  /// Calls of the integrand, those that only train or probe included.
  std::uint64_t evaluations = 0;
  std::vector<Iteration<Value>> iterations; ///< what each iteration gave, in order
  /// Regions of a cubature method.
  std::uint64_t regions = 0;
  /// How many values of the integrand were NaN or infinite.
  std::uint64_t non_finite = 0;
  double seconds = 0;    ///< how long the call took
  std::string method;    ///< the method's name
  std::string backend;   ///< where it was computed: the name of the execution space
  std::string precision; ///< the name of the precision that was computed in
  /// The seed, for methods that have one.
  std::optional<std::uint64_t> seed;
  /// Anything else that the caller should know, a sentence each.
  std::vector<std::string> remarks;

  /// Whether correlations of the errors are known, which all of the following need: else they throw InvalidArgument.
  bool has_covariance() const { return components == 1 || !correlations.empty(); }
  /// Of the errors of components i and j, counted from 0.
  double correlation(int i, int j, std::source_location where = std::source_location::current()) const {
    return joint(where).correlation(i, j);
  }
  /// The covariance of the errors of two components, from 0. Throws InvalidArgument as correlation() does.
  double covariance(int i, int j, std::source_location where = std::source_location::current()) const {
    return joint(where).covariance(i, j);
  }
  /// Value i over value j, with the error to first order. Where the two rise and fall together, it is smaller than
  /// their own errors suggest.
  ValueAndError ratio(int i, int j, std::source_location where = std::source_location::current()) const {
    return joint(where).ratio(i, j);
  }
  /// The sum of the values, each times its weight.
  ValueAndError linear(std::span<double const> weights,
                       std::source_location where = std::source_location::current()) const {
    return joint(where).linear(weights);
  }
  /// The sum of all components with its error.
  ValueAndError sum(std::source_location where = std::source_location::current()) const {
    return joint(where).linear(std::vector<double>(static_cast<std::size_t>(components), 1.0));
  }

private:
  using Traits = detail::ValueTraits<Value>;

  detail::JointValues joint(std::source_location where) const {
    auto const numbers = [](Value const& of) {
      std::vector<double> all;
      for (int c = 0; c < components; ++c)
        all.push_back(Traits::get(of, c));
      return all;
    };
    return detail::JointValues(numbers(value), numbers(error), correlations, where);
  }
};

/// "0.85131(4)": the value with the error in units of its last digit; one digit of the error, two where the first
/// of them is a 1. Large and small numbers come as "1.2869(3)e+13".
std::string format(double value, double error);

namespace detail {

/// The line that follows the values, "converged after 9 iterations, chi2/dof 1.02, ...".
std::string describe(Status status, std::size_t iterations, double chi2_per_dof, std::uint64_t evaluations,
                     std::uint64_t regions, std::uint64_t non_finite, double seconds);

} // namespace detail

/// "0.85131(4)  converged after 9 iterations, chi2/dof 1.02, 9.0e+06 evaluations, 3.1 ms". Several components
/// stand before it separated by two spaces; chi2/dof is then the largest, or, with full covariance, that of all
/// together, and the correlations of up to ten components follow as the lower triangle of a matrix. Remarks follow on
/// lines of their own.
template <class Value>
std::ostream& operator<<(std::ostream& out, Result<Value> const& result) {
  using Traits = detail::ValueTraits<Value>;
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  for (int c = 0; c < Traits::components; ++c) {
    out << format(Traits::get(result.value, c), Traits::get(result.error, c)) << "  ";
    chi2 = std::fmax(chi2, Traits::get(result.chi2_per_dof, c));
  }
  bool const jointly = Traits::components > 1 && result.dof > 0;
  out << detail::describe(result.status, result.iterations.size(), jointly ? result.chi2 / result.dof : chi2,
                          result.evaluations, result.regions, result.non_finite, result.seconds);
  out << detail::correlation_table(Traits::components, result.correlations);
  for (auto const& remark : result.remarks)
    out << "\n  " << remark;
  return out;
}

} // namespace kubature
