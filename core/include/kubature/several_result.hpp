#pragma once

#include <kubature/covariance.hpp>
#include <kubature/result.hpp>

#include <cstddef>
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
  /// Of each component; see Result.
  std::vector<double> value, error, chi2_per_dof, q_value;
  /// Of all components together, and the correlations of each two; see Result.
  double chi2 = std::numeric_limits<double>::quiet_NaN();
  int dof = 0;
  std::vector<double> correlations;
  Status status = Status::completed;
  std::uint64_t evaluations = 0;
  std::size_t iterations = 0;
  std::uint64_t non_finite = 0;
  double seconds = 0;
  std::string method, backend, precision;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> remarks;

  int components() const { return static_cast<int>(value.size()); }
  /// As those of Result: whether there is a covariance, which the others need, and what follows from it.
  bool has_covariance() const { return value.size() == 1 || !correlations.empty(); }
  double correlation(int i, int j, std::source_location where = std::source_location::current()) const;
  double covariance(int i, int j, std::source_location where = std::source_location::current()) const;
  ValueAndError ratio(int i, int j, std::source_location where = std::source_location::current()) const;
  ValueAndError linear(std::span<double const> weights,
                       std::source_location where = std::source_location::current()) const;
  ValueAndError sum(std::source_location where = std::source_location::current()) const;
};

/// As a Result is printed.
std::ostream& operator<<(std::ostream& out, SeveralResult const& result);

} // namespace kubature
