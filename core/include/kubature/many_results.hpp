#pragma once

#include <kubature/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kubature {

/// What integrate_many() returns: of each integral what Result says of one.
template <class Value = double>
struct ManyResults {
  std::vector<Value> value, error;
  /// converged, or why not; not computed within the limits: the limit, and NaN.
  std::vector<Status> status;
  /// Values that were NaN or infinite.
  std::vector<std::uint64_t> non_finite;
  /// Of all integrals together.
  std::uint64_t evaluations = 0;
  double seconds = 0;
  std::string method, backend, precision;

  std::size_t size() const { return value.size(); }
  /// How many have converged.
  std::size_t converged() const {
    return static_cast<std::size_t>(std::count(status.begin(), status.end(), Status::converged));
  }
};

} // namespace kubature
