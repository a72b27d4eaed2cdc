#pragma once

#include <kubature/detail/symmetric.hpp>

#include <functional>
#include <vector>

namespace kubature::detail {

/// The last points of ascents, in the unit cube.
struct EndsOfAscents {
  int dimension = 0;
  std::vector<double> at;     ///< [end][axis]
  std::vector<double> height; ///< log |f|; -infinity where f is zero
};

/// A local maximum of |f|, in the unit cube.
struct Mode {
  std::vector<double> at;
  double height; ///< log |f|
  Matrix covariance;
};

/// log |f| at points of the unit cube, [point][axis]; -infinity where f is zero or not finite.
using Heights = std::function<std::vector<double>(std::vector<double> const& points)>;

/// The modes that ascents have ended in, the highest first: two ends belong to one if |f| has no dip between them.
/// Their covariances are those of Gaussians with the same curvature.
std::vector<Mode> find_modes(EndsOfAscents const& ends, Heights const& heights);

} // namespace kubature::detail
