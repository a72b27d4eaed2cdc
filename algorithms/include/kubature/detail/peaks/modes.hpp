#pragma once

#include <kubature/detail/symmetric.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace kubature::detail {

/// The last points of ascents, in the unit cube.
struct EndsOfAscents {
  int dimension = 0;
  std::vector<double> at;     ///< [end][axis]
  std::vector<double> height; ///< log |f|; -infinity where f is zero
};

struct EndOfAscent {
  std::vector<double> at;
  double height;
};

/// A local maximum of |f|, in the unit cube.
struct Mode {
  std::vector<double> at;
  double height; ///< log |f|
  Matrix covariance;
};

/// log |f| at points of the unit cube, [point][axis]; -infinity where f is zero or not finite.
using Heights = std::function<std::vector<double>(std::vector<double> const& points)>;

/// The modes that ascents end in: two ends belong to one if |f| has no dip between them. Their covariances are those of
/// Gaussians with the same curvature.
class Modes {
public:
  /// Adds those of further ends.
  /// @param most evaluations, about
  void add(EndsOfAscents const& ends, Heights const& heights, std::uint64_t most);
  /// The highest first.
  std::vector<Mode> const& sorted() const { return modes_; }
  /// Of each in turn the height, the place, and by rows the lower triangle of the inverse of the covariance, whose
  /// elements off the diagonal are doubled.
  std::vector<double> gaussians() const;

private:
  std::vector<Mode> modes_;
  std::vector<Matrix> precisions_;   ///< the inverses of their covariances
  std::vector<EndOfAscent> started_; ///< those that they began from
};

} // namespace kubature::detail
