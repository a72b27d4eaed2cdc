#pragma once

#include <kubature/integrand.hpp>

#include <Kokkos_Array.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
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
  Value value{};
  Value error{};
  std::uint64_t evaluations = 0;
  /// Whether the result's value includes this iteration (methods may skip the first ones).
  bool included = true;
};

/// What integrating returns. Value is double, or Kokkos::Array<double, C> for C components.
template <class Value = double>
struct Result {
  static constexpr int components = detail::ValueTraits<Value>::components;

  Value value{};
  /// One standard deviation for Monte Carlo methods, an error estimate for cubature; of each component.
  Value error{};
  Status status = Status::completed;
  /// Agreement between the iterations, of each component; NaN where there is nothing to compare.
  Value chi2_per_dof{};
  Value q_value{};
  /// Calls of the integrand, those that only train or probe included.
  std::uint64_t evaluations = 0;
  std::vector<Iteration<Value>> iterations;
  /// Regions of a cubature method.
  std::uint64_t regions = 0;
  /// How many values of the integrand were NaN or infinite.
  std::uint64_t non_finite = 0;
  double seconds = 0;
  std::string method;
  std::string backend;
  std::string precision;
  /// The seed, for methods that have one.
  std::optional<std::uint64_t> seed;
  /// Anything else that the caller should know, a sentence each.
  std::vector<std::string> remarks;
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
/// stand before it separated by two spaces; chi2/dof is then the largest. Remarks follow on lines of their own.
template <class Value>
std::ostream& operator<<(std::ostream& out, Result<Value> const& result) {
  using Traits = detail::ValueTraits<Value>;
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  for (int c = 0; c < Traits::components; ++c) {
    out << format(Traits::get(result.value, c), Traits::get(result.error, c)) << "  ";
    chi2 = std::fmax(chi2, Traits::get(result.chi2_per_dof, c));
  }
  out << detail::describe(result.status, result.iterations.size(), chi2, result.evaluations, result.regions,
                          result.non_finite, result.seconds);
  for (auto const& remark : result.remarks)
    out << "\n  " << remark;
  return out;
}

} // namespace kubature
