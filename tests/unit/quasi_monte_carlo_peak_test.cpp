#include "peaks.hpp"
#include "spaces.hpp"

#include <kubature/detail/quasi_monte_carlo/peak.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/correlated.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace quasi_monte_carlo_peak_test {
namespace {

using namespace kubature;
using namespace peaks;
using suite::correlated_gaussian, suite::CorrelatedShape, suite::random_correlated;

TEST(CorrelatedGaussian, HasItsIntegral) {
  for (auto const shape : {CorrelatedShape::filament, CorrelatedShape::sheet})
    for (std::uint64_t index = 0; index < 3; ++index) {
      auto const f = random_correlated(shape, 2, 3, index);
      auto const result = integrate(Pagani{}, f, Box<2>{}, {.relative = 1e-9});
      ASSERT_EQ(result.status, Status::converged);
      EXPECT_NEAR(result.value / f.value(), 1, 2e-9) << index;
    }
}

/// Points of a grid, weighted by a normal distribution about (0.5, -1) of deviations 0.6 along (0.8, 0.6) and 0.2
/// across.
struct Weighted {
  std::vector<double> x, weights;

  Weighted() {
    constexpr int half = 60;
    for (int i = -half; i <= half; ++i)
      for (int j = -half; j <= half; ++j) {
        double const u = 0.05 * i, v = 0.05 * j, along = 0.8 * u + 0.6 * v, across = 0.6 * u - 0.8 * v;
        x.push_back(0.5 + u);
        x.push_back(v - 1);
        weights.push_back(std::exp(-along * along / 0.72 - across * across / 0.08));
      }
  }
};

TEST(Peak, HasItsPrincipalAxes) {
  Weighted const points;
  auto const peak = detail::find_peak(points.x, points.weights, 2);
  EXPECT_FALSE(peak.tempered);
  EXPECT_NEAR(std::abs(peak.axes.matrix[0]), 0.8, 1e-6);
  EXPECT_NEAR(peak.axes.matrix[0] * peak.axes.matrix[2], 0.48, 1e-6);
  EXPECT_NEAR(peak.axes.variances[0], 0.36, 1e-4); // the grid ends at five deviations
  EXPECT_NEAR(peak.axes.variances[1], 0.04, 1e-6);
  EXPECT_NEAR(peak.centre[0], 0.5, 1e-6);
  EXPECT_NEAR(peak.centre[1], -1, 1e-6);
  // 4 pi s_1 s_2 over the area of a cell
  EXPECT_NEAR(peak.effective, 4 * std::numbers::pi * 0.12 / 0.0025, 0.1);
}

/// With the weights to a power, a normal distribution has its variance divided by that power.
TEST(Peak, IsWidenedWhereFewPointsHaveMostOfTheWeight) {
  Weighted points;
  for (double& weight : points.weights)
    weight = std::pow(weight, 64.0);
  auto const peak = detail::find_peak(points.x, points.weights, 2);
  EXPECT_TRUE(peak.tempered);
  EXPECT_LT(peak.effective, 10);
  EXPECT_GT(peak.axes.variances[1], 1.5 * 0.04 / 64);
  EXPECT_NEAR(peak.axes.variances[0] / peak.axes.variances[1], 9, 0.5);
}

/// The peak of (0.6, 0.3), with deviations of 0.05 along (0.8, 0.6) and 0.01 across.
detail::Peak slanted() { return {{{0.8, -0.6, 0.6, 0.8}, {0.0025, 0.0001}}, {0.6, 0.3}}; }

TEST(PeakMap, TakesNormalCoordinatesAlongThePrincipalAxes) {
  detail::PeakMemory<Kokkos::DefaultHostExecutionSpace> memory;
  auto const map = memory.hold(Kokkos::DefaultHostExecutionSpace(), slanted());
  for (double const z : {-2.0, 0.0, 1.0}) {
    Point<double, 2> x;
    x[0] = detail::normal_probability(z);
    x[1] = 0.5;
    double jacobian = 3;
    map(x, jacobian);
    double const along = 0.05 * 1.1 * (z + z * z * z / 20);
    EXPECT_NEAR(x[0], 0.6 + 0.8 * along, 1e-14);
    EXPECT_NEAR(x[1], 0.3 + 0.6 * along, 1e-14);
    // 1.1^2 s_1 s_2 (1 + 3 z^2 / 20) over the normal density at (z, 0)
    double const density = std::exp(-z * z / 2) / (2 * std::numbers::pi);
    EXPECT_NEAR(jacobian, 3 * 1.21 * 0.0005 * (1 + 0.15 * z * z) / density, 1e-13);
  }
}

TEST(PeakMap, LeavesOutWhatLiesOutsideTheBox) {
  detail::PeakMemory<Kokkos::DefaultHostExecutionSpace> memory;
  auto const map = memory.hold(Kokkos::DefaultHostExecutionSpace(), slanted());
  Point<double, 2> x;
  x[0] = detail::normal_probability(6);
  x[1] = 0.5;
  double jacobian = 1;
  map(x, jacobian);
  EXPECT_EQ(jacobian, 0);
  EXPECT_LT(x[0], 1);
}

TYPED_TEST_SUITE(PeakOn, spaces::All, spaces::Names);

/// Filaments that take 5e-7 and 1e-10 of the box. In 20 iterations with as many evaluations in all, VEGAS+ finds 0.16
/// to 1.06 of the first one, and of the second one mostly 1e-5.
TYPED_TEST(PeakOn, IsFoundAcrossTheAxes) {
  for (double const deviation : {0.08, 0.02})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      auto const f = correlated_gaussian(6, 0.9, 0.5, deviation);
      QuasiMonteCarlo const method{.evaluations = 1 << 16, .seed = seed};
      auto const result = integrate(this->exec, method, f, Box<6>{});
      EXPECT_NEAR(result.value / f.value(), 1, 4.5 * result.error / f.value()) << deviation << ", seed " << seed;
      EXPECT_LT(result.error / f.value(), 1.5e-3) << deviation << ", seed " << seed;
      EXPECT_LT(result.evaluations, std::uint64_t{1} << 17);
    }
}

/// A filament that ends at two faces of the box: y from 0 to 1 where x goes from 0.3 to 0.8.
struct BetweenFaces {
  KOKKOS_FUNCTION double operator()(Point<double, 3> const& x) const {
    double const a = (x[0] - 0.5) / 0.1, b = (x[1] - 2 * x[0] + 0.6) / 0.01, c = (x[2] - x[0]) / 0.01;
    return Kokkos::exp(-(a * a + b * b + c * c) / 2);
  }
};

TYPED_TEST(PeakOn, MayEndAtFaces) {
  double const truth =
      std::pow(2 * std::numbers::pi, 1.5) * 1e-5 *
      (detail::normal_probability(3 / std::sqrt(1.0025)) - detail::normal_probability(-2 / std::sqrt(1.0025)));
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto const result =
        integrate(this->exec, QuasiMonteCarlo{.evaluations = 1 << 16, .seed = seed}, BetweenFaces{}, Box<3>{});
    EXPECT_NEAR(result.value / truth, 1, 4.5 * result.error / truth);
    EXPECT_LT(result.error / truth, 5e-4);
  }
}

/// Peaks along an axis need no rotation, and keep the bits that they have with the smooth map.
TEST(Peak, AlongTheAxesIsLeftToTheSmoothMap) {
  auto const f = correlated_gaussian(4, 0, 0.4, 0.05);
  QuasiMonteCarlo method{.evaluations = 1 << 17};
  auto const result = integrate(method, f, Box<4>{});
  method.trained_map = QmcMap::smooth;
  EXPECT_EQ(result.value, integrate(method, f, Box<4>{}).value);
}

} // namespace
} // namespace quasi_monte_carlo_peak_test
