#pragma once

#include <kubature/detail/normal.hpp>
#include <kubature/quasi_monte_carlo.hpp>

#include <gtest/gtest.h>

#include <cmath>

/// What the tests of rotations of quasi-Monte Carlo points share: an option on a mean of prices, and a fixture.
namespace rotations {

using namespace kubature;
using detail::normal_probability;
using detail::normal_quantile;

/// A weighted sum of normal variables, standardised: what options on a mean of prices depend on.
template <int D>
KOKKOS_FUNCTION double factor(Point<double, D> const& x) {
  double sum = 0;
  for (int i = 0; i < D; ++i)
    sum += (D - i) * normal_quantile(x[i]);
  return sum / Kokkos::sqrt(D * (D + 1) * (2 * D + 1) / 6.0);
}
template <int D>
struct Call { // pays nothing at first, and then ever more
  KOKKOS_FUNCTION double operator()(Point<double, D> const& x) const {
    return Kokkos::max(Kokkos::exp(factor(x) / 5) - 1, 0.0);
  }
};
inline double call_value() { return std::exp(0.02) * normal_probability(0.2) - 0.5; }

/// In every space.
template <class Space>
class RotationOn : public ::testing::Test {
protected:
  Space exec;
};

} // namespace rotations
