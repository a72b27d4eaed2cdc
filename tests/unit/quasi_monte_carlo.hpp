#pragma once

#include <kubature/quasi_monte_carlo.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

/// What the tests of quasi-Monte Carlo share: an integrand, a fixture, and how far results are from true values.
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

struct Pulls {
  double mean, deviation;
};

/// Of calls with that many seeds.
template <class F, int D>
Pulls pulls(QuasiMonteCarlo<> method, F const& f, Box<D> const& box, double truth, int seeds) {
  double sum = 0, squares = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = integrate(method, f, box);
    double const pull = (result.value - truth) / result.error;
    sum += pull;
    squares += pull * pull;
  }
  double const mean = sum / seeds;
  return {mean, std::sqrt((squares - seeds * mean * mean) / (seeds - 1))};
}

} // namespace quasi_monte_carlo
