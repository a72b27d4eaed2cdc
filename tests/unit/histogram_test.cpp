#include "refused.hpp"

#include <kubature/histogram.hpp>
#include <kubature/vegas_plus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace kubature;

/// exp(-x - 2 y) over the observable x: bin [a, b) holds (exp(-a) - exp(-b)) times the integral over y.
struct Decay {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return Kokkos::exp(-x[0] - 2 * x[1]); }
  static double bin(double a, double b) { return (std::exp(-a) - std::exp(-b)) * -std::expm1(-2.0) / 2; }
};
struct First {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return x[0]; }
};

TEST(Histogram, HasTheIntegralOfEachBin) {
  Bins const bins{0.1, 0.9, 16};
  auto const f = histogram<2>(Decay{}, First{}, bins);
  EXPECT_EQ(f.count, 17);
  VegasPlus<> const method{.evaluations = 20'000, .iterations = 12};
  auto const result = integrate(method, f, Box<2>{});
  ASSERT_EQ(result.components(), 17);
  EXPECT_NEAR(result.value[0], Decay::bin(0, 1), 5 * result.error[0]);
  double squares = 0;
  for (int b = 0; b < bins.count; ++b) {
    auto const place = static_cast<std::size_t>(b + 1);
    double const truth = Decay::bin(bins.edge(b), bins.edge(b + 1));
    squares += std::pow((result.value[place] - truth) / result.error[place], 2);
    EXPECT_LT(result.error[place], 0.03 * truth);
  }
  EXPECT_LT(squares, 40); // chi^2 of 16 degrees of freedom
  EXPECT_GT(squares, 3);
  auto const again = integrate(method, f, Box<2>{});
  EXPECT_EQ(result.value, again.value);
  EXPECT_EQ(result.error, again.error);
}

TEST(Histogram, PutsValuesInBins) {
  Bins const bins{-1, 1, 3};
  EXPECT_EQ(bins.of(-1), 0);
  EXPECT_EQ(bins.of(-1.0000001), -1);
  EXPECT_EQ(bins.of(std::nextafter(1.0, 0.0)), 2);
  EXPECT_EQ(bins.of(1), -1);
  EXPECT_EQ(bins.of(0), 1);
  EXPECT_EQ(bins.of(std::nan("")), -1);
  EXPECT_EQ(bins.edges().size(), 4u);
  EXPECT_EQ(bins.edges().back(), 1);
  expect_refused([] { histogram<2>(Decay{}, First{}, {0, 1, 0}); }, "Bins.count", "0");
  expect_refused([] { histogram<2>(Decay{}, First{}, {1, 1, 5}); }, "Bins.upper", "1");
}

} // namespace
