#pragma once

#include <kubature/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kubature {

/// The results of integrate_many(): for each integral, the main members of a Result.
template <class Value = double>
struct ManyResults {
  std::vector<Value> value; ///< the estimates
  std::vector<Value> error; ///< the error of each, as in Result::error
  /// Status::converged, or why not. An integral that was not attempted because of a limit has that limit as its status
  /// and NaN as its value.
  std::vector<Status> status;
  /// How many values of each integrand were NaN or infinite.
  std::vector<std::uint64_t> non_finite;
  /// The evaluations of all integrals together.
  std::uint64_t evaluations = 0;
  double seconds = 0;    ///< how long the call took
  std::string method;    ///< its name
  std::string backend;   ///< where it was computed
  std::string precision; ///< the name of the precision

  std::size_t size() const { return value.size(); } ///< how many integrals there are
  /// How many have converged.
  std::size_t converged() const {
    return static_cast<std::size_t>(std::count(status.begin(), status.end(), Status::converged));
  }
};

} // namespace kubature
