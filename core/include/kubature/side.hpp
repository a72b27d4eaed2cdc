#pragma once

#include <limits>

namespace kubature {

/// An infinite bound of a side, as in Side{0, kubature::infinity}.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// One side of a box, lower < upper. Either bound may be infinite.
struct Side {
  double lower = 0;                             ///< where the side begins; may be -infinity
  double upper = 1;                             ///< where it ends; may be infinity
  bool operator==(Side const&) const = default; ///< whether both ends are equal
};

template <int D>
class Box; // see box.hpp

} // namespace kubature
