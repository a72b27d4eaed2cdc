#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace kubature::detail {

/// Points of a sequence that fills the unit cube evenly: multiples of powers of the root of x^(d+1) = x + 1.
class EvenPoints {
public:
  explicit EvenPoints(int dimension) {
    double root = 1.5;
    for (int step = 0; step < 30; ++step)
      root = std::pow(1 + root, 1.0 / (dimension + 1));
    for (int axis = 0; axis < dimension; ++axis)
      steps_.push_back(std::pow(root, -(axis + 1)));
  }
  double operator()(int number, int axis) const {
    double const x = (number + 0.5) * steps_[static_cast<std::size_t>(axis)];
    return x - std::floor(x);
  }

private:
  std::vector<double> steps_;
};

} // namespace kubature::detail
