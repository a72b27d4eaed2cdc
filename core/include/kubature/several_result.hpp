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

/// A Result of as many components as are known at run time: of several expressions, and of batched(f, components).
struct SeveralResult {
  std::vector<double> value;        ///< of each component, as all that follow
  std::vector<double> error;        ///< one standard deviation, or a bound by cubature
  std::vector<double> chi2_per_dof; ///< NaN where there is none
  std::vector<double> q_value;      ///< the probability of a chi2 as large or larger
  /// Of all components together, and the correlations of each two; see Result.
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  int dof = 0;                                            ///< the degrees of freedom of chi2
  std::vector<double> correlations;                       ///< of the errors, in the order of Result::correlations
  Status status = Status::completed;                      ///< why the call ended
  std::uint64_t evaluations = 0;                          ///< how often the integrand was evaluated
  std::vector<Iteration<std::vector<double>>> iterations; ///< their own estimates
  std::uint64_t non_finite = 0;                           ///< how many values were not finite
  double seconds = 0;                                     ///< how long the call took
  std::string method;                                     ///< its name
  std::string backend;                                    ///< where it was computed
  std::string precision;                                  ///< that was computed in
  std::optional<std::uint64_t> seed;                      ///< of the random numbers, where there are any
  std::vector<std::string> remarks;                       ///< sentences on what should be known of this result

  int components() const { return static_cast<int>(value.size()); } ///< how many there are
  /// As those of Result: whether there is a covariance, which the others need, and what follows from it.
  bool has_covariance() const { return value.size() == 1 || !correlations.empty(); }
  /// Of the errors of components i and j, from 0.
  double correlation(int i, int j, std::source_location where = std::source_location::current()) const;
  /// Of the errors of components i and j, from 0.
  double covariance(int i, int j, std::source_location where = std::source_location::current()) const;
  /// Component i over component j, with its error to first order.
  ValueAndError ratio(int i, int j, std::source_location where = std::source_location::current()) const;
  /// The sum of weights[i] times component i, with its error.
  ValueAndError linear(std::span<double const> weights,
                       std::source_location where = std::source_location::current()) const;
  /// The sum of all components, with its error.
  ValueAndError sum(std::source_location where = std::source_location::current()) const;
};

/// As a Result is printed.
std::ostream& operator<<(std::ostream& out, SeveralResult const& result);

} // namespace kubature
