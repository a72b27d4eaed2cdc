#pragma once

#include <kubature/point.hpp>

namespace kubature::detail {

/// W points in the box, with the Jacobian of the map to them.
template <class Sample, class Acc, int D, int W>
struct Points {
  Point<Sample, D> x[W];
  Acc jacobian[W];
};

} // namespace kubature::detail
