#pragma once

#include <kubature/covariance.hpp>
#include <kubature/result.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace kubature {

/// A Result with a number of components known at run time: of several expressions, or of batched(f, components).
struct SeveralResult {
  std::vector<double> value;        ///< of each component, as are the vectors that follow
  std::vector<double> error;        ///< one standard deviation; for cubature an error estimate
  std::vector<double> chi2_per_dof; ///< NaN where there is none
  std::vector<double> q_value;      ///< the probability of a chi2 as large or larger
  /// chi2 of all components together, and the correlations of each pair; see Result.
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  int dof = 0;                                            ///< the degrees of freedom of chi2
  std::vector<double> correlations;                       ///< of the errors, in the order of Result::correlations
  Status status = Status::completed;                      ///< why the call ended
  std::uint64_t evaluations = 0;                          ///< how often the integrand was evaluated
  std::vector<Iteration<std::vector<double>>> iterations; ///< the estimates of the iterations
  std::uint64_t non_finite = 0;                           ///< how many values were not finite
  /// The shape of the tail of the weights, as in Result; NaN for components known at run time alone.
  double k_hat = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;                ///< how long the call took
  std::string method;                ///< its name
  std::string backend;               ///< where it was computed
  std::string precision;             ///< the name of the precision
  std::optional<std::uint64_t> seed; ///< of the random numbers, where there are any
  std::vector<std::string> remarks;  ///< anything else that the caller should know, one sentence each

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

/// Prints it as a Result is printed.
std::ostream& operator<<(std::ostream& out, SeveralResult const& result);

} // namespace kubature
