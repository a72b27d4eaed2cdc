#include "peaks.hpp"
#include "spaces.hpp"

#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/suite/correlated.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>

namespace quasi_monte_carlo_peak_errors_test {
namespace {

using namespace kubature;
using namespace peaks;
using suite::correlated_gaussian, suite::CorrelatedGaussian, suite::CorrelatedShape, suite::random_correlated;

TYPED_TEST_SUITE(PeakOn, spaces::All, spaces::Names);

struct OverABackground {
  CorrelatedGaussian peak;
  double background;

  KOKKOS_FUNCTION double operator()(Point<double, 4> const& x) const { return peak(x) + background; }
};

/// Points in a peak do not see what lies far from it: nine tenths of this background.
TYPED_TEST(PeakOn, HasErrorsNotBelowWhatLiesOutside) {
  for (double const part : {1e-2, 1e-4, 1e-6}) {
    auto const peak = correlated_gaussian(4, 0.9, 0.5, 0.08);
    OverABackground const f{peak, part * peak.value()};
    double const truth = peak.value() + f.background;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      auto const result = integrate(this->exec, QuasiMonteCarlo{.evaluations = 1 << 18, .seed = seed}, f, Box<4>{});
      EXPECT_NEAR(result.value / truth, 1, 4.5 * result.error / truth) << part << ", seed " << seed;
      EXPECT_LT(result.error / truth, 1.2 * part + 1e-4) << part << ", seed " << seed;
    }
  }
}

struct ValueAndMoment {
  CorrelatedGaussian f;

  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, dynamic> const& x) const {
    double const value = f(x);
    return {value, value * x[0]};
  }
};

/// A posterior distribution's integral and mean.
TYPED_TEST(PeakOn, ServesComponents) {
  auto const f = correlated_gaussian(5, 0.95, 0.55, 0.04);
  QuasiMonteCarlo const method{.evaluations = 1 << 17, .trained_map = QmcMap::rotated, .covariance = Covariance::full};
  Side const side;
  auto const result = integrate(this->exec, method, ValueAndMoment{f}, Box<>(std::span(&side, 1), 5));
  EXPECT_NEAR(result.value[0] / f.value(), 1, 4.5 * result.error[0] / f.value());
  auto const mean = result.ratio(1, 0);
  EXPECT_NEAR(mean.value, 0.55, 4.5 * mean.error);
  EXPECT_LT(mean.error, 1e-4);
}

TEST(Peak, HasHonestErrors) {
  constexpr int seeds = 40;
  for (auto const shape : {CorrelatedShape::filament, CorrelatedShape::sheet}) {
    SCOPED_TRACE(to_string(shape));
    double sum = 0, squares = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      auto const f = random_correlated(shape, 2 + static_cast<int>(seed % 6), 1, seed);
      Side const side;
      auto const result =
          integrate(QuasiMonteCarlo{.evaluations = 1 << 17, .seed = seed}, f, Box<>(std::span(&side, 1), f.dimension));
      double const pull = (result.value - f.value()) / result.error;
      sum += pull / seeds;
      squares += pull * pull / seeds;
    }
    EXPECT_NEAR(sum, 0, 4 / std::sqrt(seeds));
    EXPECT_NEAR(std::sqrt(squares), 0.95, 0.4);
  }
}

} // namespace
} // namespace quasi_monte_carlo_peak_errors_test
