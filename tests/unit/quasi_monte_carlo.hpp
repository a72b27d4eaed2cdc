#pragma once

#include "pulls.hpp"

#include <kubature/quasi_monte_carlo.hpp>

#include <gtest/gtest.h>

/// What the tests of quasi-Monte Carlo share: an integrand and a fixture.
namespace quasi_monte_carlo {

using namespace kubature;

/// prod (1 + (x_i^2 - 1/3) / i^2), whose integral is 1.
struct Smooth {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 8> const& x) const {
    Real product = 1;
    for (int i = 0; i < 8; ++i)
      product *= 1 + (x[i] * x[i] - Real(1) / 3) / static_cast<Real>((i + 1) * (i + 1));
    return product;
  }
};

/// In every space.
template <class Space>
class QuasiMonteCarloOn : public ::testing::Test {
protected:
  Space exec;
};

} // namespace quasi_monte_carlo
