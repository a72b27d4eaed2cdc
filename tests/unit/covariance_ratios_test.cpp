#include "correlated.hpp"

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace covariance_ratios_test {
namespace {

using namespace kubature;
using correlated_methods::correlated;

/// A peak, and its products with x and with x y: the integral, and moments of the distribution that the peak is.
struct Peak {
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(Point<double, 3> const& x) const {
    double square = 0;
    for (int i = 0; i < 3; ++i)
      square += (x[i] - 0.5) * (x[i] - 0.5);
    double const peak = Kokkos::exp(-20 * square);
    return {peak, peak * x[0], peak * x[0] * x[1]};
  }
};

/// Sums of squares of the pulls of ratios, and what they would be without correlations.
template <class Method>
void expect_honest_ratios(Method method, int seeds) {
  // x has mean 1/2 and, of the peak cut off at the faces, x y that of independent x and y.
  double const truth[2] = {0.5, 0.25};
  double squares[2] = {}, sum[2] = {}, chi2 = 0, sharper = 0;
  int dof = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = integrate(method, Peak{}, Box<3>{});
    for (int i = 0; i < 2; ++i) {
      auto const ratio = result.ratio(i + 1, 0);
      double const pull = (ratio.value - truth[i]) / ratio.error;
      sum[i] += pull;
      squares[i] += pull * pull;
    }
    double const apart = std::hypot(result.error[1] / result.value[1], result.error[0] / result.value[0]);
    sharper += apart * 0.5 / result.ratio(1, 0).error;
    chi2 += result.chi2;
    dof += result.dof;
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(sum[i] / seeds, 0, 4 / std::sqrt(seeds));
    EXPECT_NEAR(std::sqrt(squares[i] / seeds), 1, 4 / std::sqrt(2.0 * seeds));
  }
  EXPECT_NEAR(chi2 / dof, 1, 4 * std::sqrt(2.0 / dof));
  EXPECT_GT(sharper / seeds, 1.2); // 1.30 on a GPU
}

TEST(Covariance, RatiosHaveHonestErrors) {
  constexpr int seeds = 150;
  expect_honest_ratios(correlated<PlainMonteCarlo<>>(3000), seeds);
  expect_honest_ratios(correlated<MCubes<>>(5000), seeds);
  expect_honest_ratios(correlated<VegasPlus<>>(5000), seeds);
  expect_honest_ratios(correlated<MixedPrecision<Fp64>>(5000), seeds);
}

} // namespace
} // namespace covariance_ratios_test
