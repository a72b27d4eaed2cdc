#include "quasi_monte_carlo.hpp"
#include "spaces.hpp"

#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/map_choice.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace quasi_monte_carlo_maps_test {
namespace {

using namespace kubature;
using namespace quasi_monte_carlo;

TYPED_TEST_SUITE(QuasiMonteCarloOn, spaces::All, spaces::Names);

// ---- maps ----------------------------------------------------------------------------------------------------

/// A map of 64 bins, x = y^2 along the first axis and with a steep middle along the second.
std::vector<double> trained() {
  std::vector<double> edges;
  for (int k = 0; k <= 64; ++k)
    edges.push_back(k * k / 4096.0);
  for (int k = 0; k <= 64; ++k)
    edges.push_back(0.5 + 0.5 * std::pow(k / 32.0 - 1, 5));
  return edges;
}

template <class Map>
void expect_monotone_with_its_derivative(Map const& map, bool smooth) {
  for (int axis = 0; axis < 2; ++axis) {
    double before = 0, volume = 0, last_slope = 0, jump = 0;
    constexpr int n = 20'000;
    for (int k = 0; k < n; ++k) {
      double slope = 1, after = 1;
      double const y = (k + 0.5) / n, x = map(axis, y, slope);
      EXPECT_GT(x, before);
      EXPECT_NEAR((map(axis, y + 1e-7, after) - x) / 1e-7, slope, 1e-3 + 0.5 * std::abs(after - slope));
      jump = std::max(jump, k > 0 ? std::abs(slope - last_slope) : 0);
      volume += slope / n;
      before = x;
      last_slope = slope;
    }
    EXPECT_LT(before, 1);
    EXPECT_NEAR(volume, 1, 1e-4);
    EXPECT_EQ(jump < 0.02, smooth) << jump; // a bin's slope differs from its neighbours' by more
  }
}

TEST(CoordinateMaps, AreMonotoneAndTheSmoothOneHasNoKinks) {
  Kokkos::DefaultHostExecutionSpace const exec;
  detail::CoordinateMapMemory<Kokkos::DefaultHostExecutionSpace> memory;
  expect_monotone_with_its_derivative(memory.hold(exec, detail::linear_map(trained(), 2), 2), false);
  expect_monotone_with_its_derivative(memory.hold(exec, detail::smooth_map(detail::at_knots(trained(), 2), 2), 2),
                                      true);
}

TEST(GeometricKnotsOf, SmoothMapsAreFoundByTheirBits) {
  using Knots = detail::GeometricKnots;
  auto const y = Knots::all();
  ASSERT_EQ(y.size(), Knots::pieces + 1u);
  for (int k = 0; k < Knots::half; ++k) {
    auto const i = static_cast<std::size_t>(k);
    EXPECT_EQ(Knots::piece(y[i]), k);
    EXPECT_EQ(Knots::piece(std::nextafter(y[i + 1], 0.0)), k);
    EXPECT_EQ(y[y.size() - 1 - i], 1 - y[i]);
  }
  EXPECT_EQ(Knots::piece(0.5), Knots::half - 1);
}

TEST(GeometricKnotsOf, FewerOctavesJoinTheOuterPieces) {
  using Knots = detail::GeometricKnots;
  constexpr int octaves = 20;
  auto const all = Knots::all(), few = Knots::all(octaves);
  ASSERT_EQ(few.size(), Knots::count(octaves) + 1u);
  EXPECT_EQ(Knots::count(Knots::most_octaves), Knots::pieces);
  EXPECT_EQ(few[1], std::ldexp(1.0, -octaves));
  std::size_t const joined = (all.size() - few.size()) / 2;
  EXPECT_EQ(few.front(), 0);
  EXPECT_EQ(few.back(), 1);
  for (std::size_t k = 1; k + 1 < few.size(); ++k)
    EXPECT_EQ(few[k], all[k + joined]);
}

/// From a map that knows nothing, or one with wrong tails, to the quantiles of a peak, given the masses of the pieces.
TEST(GeometricKnotsOf, APeakMoveToItsQuantiles) {
  constexpr double deviation = 0.003, centre = 0.3;
  auto const below = [](double x) { return std::erfc((centre - x) / deviation / std::numbers::sqrt2) / 2; };
  auto const above = [](double x) { return std::erfc((x - centre) / deviation / std::numbers::sqrt2) / 2; };
  auto const y = detail::GeometricKnots::all();
  std::vector<double> x = detail::at_knots({0, 0.295, 0.298, 0.3, 0.302, 0.305, 1}, 1);
  for (int round = 0; round < 8; ++round) {
    std::vector<double> masses;
    for (std::size_t k = 0; k + 1 < x.size(); ++k)
      masses.push_back(x[k] < centre ? below(x[k + 1]) - below(x[k]) : above(x[k]) - above(x[k + 1]));
    detail::equalize(x, masses, 1);
  }
  for (std::size_t k = 1; k + 1 < x.size(); ++k) {
    EXPECT_LT(x[k - 1], x[k]);
    if (double const rest = std::min(y[k], 1 - y[k]); rest > 0x1p-40) { // the last pieces settle later
      EXPECT_NEAR((y[k] < 0.5 ? below(x[k]) : above(x[k])) / rest, 1, 0.01) << y[k];
    }
  }
}

/// For a peak like that of f4, with a map after as many rounds as calls make: what the tails add to the variance. With
/// a few heavy points in them, errors used to grow again beyond some millions of points.
TEST(GeometricKnotsOf, APeakLeaveNoHeavyTails) {
  constexpr double deviation = 0.0283, centre = 0.5;
  auto const below = [](double x) { return std::erfc((centre - x) / deviation / std::numbers::sqrt2) / 2; };
  std::vector<double> edges{0};
  for (int k = 1; k < 500; ++k) { // quantiles, by bisection
    double low = 0, high = 1;
    while (high - low > 1e-12)
      (below((low + high) / 2) < k / 500.0 ? low : high) = (low + high) / 2;
    edges.push_back(low);
  }
  edges.push_back(1);
  auto const y = detail::GeometricKnots::all();
  auto x = detail::at_knots(edges, 1);
  for (int round = 0; round < 4; ++round) {
    std::vector<double> masses;
    for (std::size_t k = 0; k + 1 < x.size(); ++k)
      masses.push_back(x[k] < centre ? below(x[k + 1]) - below(x[k]) : below(1 - x[k]) - below(1 - x[k + 1]));
    detail::equalize(x, masses, 1);
  }
  Kokkos::DefaultHostExecutionSpace const exec;
  detail::CoordinateMapMemory<Kokkos::DefaultHostExecutionSpace> memory;
  auto const map = memory.hold(exec, detail::smooth_map(x, 1), 1);
  double tails = 0;
  for (std::size_t k = 0; y[k] < 0x1p-24; ++k)
    for (int j = 0; j < 200; ++j) {
      double density = 1;
      double const place = map(0, y[k] + (y[k + 1] - y[k]) * (j + 0.5) / 200, density);
      density *=
          std::exp(-0.5 * std::pow((place - centre) / deviation, 2)) / deviation / std::sqrt(2 * std::numbers::pi);
      tails += (y[k + 1] - y[k]) * std::pow(density - 1, 2) / 200;
    }
  EXPECT_LT(tails, 1e-10);
}

/// Two axes, one of which jumps to zero at x = 0.4: the masses there are zero, and the part of the unit interval that
/// they keep is what was asked for, within the piece that contains the jump; otherwise it falls to an eighth each time.
TEST(GeometricKnotsOf, AJumpToZeroKeepTheEmptyPart) {
  using Knots = detail::GeometricKnots;
  constexpr int octaves = 30;
  constexpr double jump = 0.4, least = 1e-3;
  auto const y = Knots::all(), of_slabs = Knots::all(octaves);
  std::size_t const joined = (y.size() - of_slabs.size()) / 2, knots = y.size();
  auto const at = [&](std::vector<double> const& x, std::size_t axis, std::size_t k) {
    return k == 0 ? 0 : k + 1 == of_slabs.size() ? 1 : x[axis * knots + joined + k];
  };
  auto const masses = [&](std::vector<double> const& x) {
    std::vector<double> result;
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (std::size_t k = 0; k + 1 < of_slabs.size(); ++k) {
        double const end = axis == 0 ? jump : 1;
        result.push_back(std::min(at(x, axis, k + 1), end) - std::min(at(x, axis, k), end));
      }
    return result;
  };
  auto const empty = [&](std::vector<double> const& x) { // the part of y beyond the jump
    std::size_t k = 0;
    while (x[k] <= jump)
      ++k;
    return 1 - y[k];
  };
  std::vector<double> x = y;
  x.insert(x.end(), y.begin(), y.end());
  EXPECT_NEAR(detail::mismatch(masses(x), 2), 1 - jump, 0.05); // as large as the empty part
  for (int round = 0; round < 4; ++round)
    detail::equalize(x, masses(x), 2);
  EXPECT_LT(empty(x), least / 10);
  EXPECT_LT(detail::mismatch(masses(x), 2), 1e-3);
  detail::equalize(x, masses(x), 2, least);
  EXPECT_GT(empty(x), least / 2);
  EXPECT_LT(empty(x), least * 2);
  for (std::size_t k = 0; k < knots; ++k)
    EXPECT_NEAR(x[knots + k], y[k], 1e-12);                                    // the other axis does not change
  EXPECT_EQ(detail::mismatch(std::vector<double>(of_slabs.size() - 1), 1), 1); // nothing at all
}

// ---- the choice of a map ---------------------------------------------------------------------------------------

using detail::MapChoice;

/// A refined map that is good, a trained one of which a few points make up most, and worse ones: what f4 in eight
/// variables had with seed 280.
MapChoice of_a_peak() {
  MapChoice choice;
  choice.trials[MapChoice::trained] = {0.2, 0.16, 10, 0.8, false};
  choice.trials[MapChoice::refined] = {1, 2e-5, 1, 4e-5, true};
  choice.trials[MapChoice::by_bins] = {0.1, 0.04, 3, 0.55, false};
  choice.trials[MapChoice::none] = {1e-16, 1e-16, 1e-14, 0.75, false};
  return choice;
}

TEST(MapChoices, BelieveNoMapThatKnowsLess) {
  auto choice = of_a_peak();
  EXPECT_EQ(choice.best(), MapChoice::refined);
  EXPECT_EQ(choice.best_unreliable(), MapChoice::none);
  choice.trials[MapChoice::trained] = {2, 0.01, 1.2, 0.05, false}; // has seen what the refined map misses
  EXPECT_EQ(choice.best(), MapChoice::trained);
}

TEST(MapChoices, PreferFewKinks) {
  MapChoice choice;
  choice.trials[MapChoice::trained] = {1, 1.5e-3, 1, 0.01, true};
  choice.trials[MapChoice::by_bins] = {1, 1e-3, 1, 0.01, true};
  choice.trials[MapChoice::none] = {1, 2.5e-3, 1.5, 0.01, true};
  EXPECT_EQ(choice.best(), MapChoice::trained);
  choice.trials[MapChoice::trained].gains = false;
  EXPECT_EQ(choice.best(), MapChoice::by_bins);
  choice.trials[MapChoice::none].error = 1.9e-3;
  EXPECT_EQ(choice.best(), MapChoice::none);
  EXPECT_EQ(MapChoice().best(), MapChoice::trained); // without a trial
}

TEST(MapChoices, LookAgainAtDoubtfulMaps) {
  MapChoice choice;
  choice.trials[MapChoice::trained] = {1, 0.01, 1, 0.25, false};
  choice.trials[MapChoice::by_bins] = {1, 0.011, 1.1, 0.3, false};
  choice.trials[MapChoice::none] = {1, 0.05, 3, 0.6, false};
  ASSERT_EQ(choice.best_unreliable(), MapChoice::trained);
  EXPECT_EQ(choice.best(), MapChoice::none);
  choice.look_again(MapChoice::trained, 0.15); // four times the points are nearly as unsure
  EXPECT_EQ(choice.best(), MapChoice::none);
  choice.look_again(MapChoice::trained, 0.08);
  EXPECT_EQ(choice.best(), MapChoice::trained);
  choice.look_again(MapChoice::trained, 0.15);
  choice.trials[MapChoice::none].magnitude = 6; // no map would be worse
  EXPECT_EQ(choice.best(), MapChoice::trained);
  EXPECT_EQ(choice.best_unreliable(), MapChoice::none);
  choice.trials[MapChoice::none] = {1, 0.015, 3, 0.6, false};
  EXPECT_EQ(choice.best_unreliable(), MapChoice::none); // which is as good
}

// ---- calls ---------------------------------------------------------------------------------------------------

/// The gains of a map over VEGAS+ with as many points: 3 or more with the map as trained, 19,000 (f5) and 250,000 (f2)
/// with a smooth one that was refined. The test asks for less.
TYPED_TEST(QuasiMonteCarloOn, MapsGainOnPeaks) {
  auto const check = [&](auto const& f, auto const& box, double truth, QmcMap map, double gain, int power = 20) {
    std::uint64_t const evaluations = std::uint64_t{1} << power;
    auto const vegas = integrate(this->exec, VegasPlus{.evaluations = evaluations / 15, .iterations = 20}, f, box);
    auto const result = integrate(this->exec, QuasiMonteCarlo{.evaluations = evaluations, .trained_map = map}, f, box);
    EXPECT_LT(result.evaluations, vegas.evaluations * 13 / 10);
    EXPECT_NEAR(result.value, truth, 4.5 * result.error);
    EXPECT_LT(result.error * gain, vegas.error);
  };
  check(suite::F4<5>{}, Box<5>{}, 1.79132603674878596e-06, QmcMap::linear, 3);
  check(suite::F5<8>{}, Box<8>{}, 2.42521762564188556e-06, QmcMap::automatic, 3000);
  check(suite::F2<6>{}, Box<6>{}, 12868879901109.8775, QmcMap::smooth, 30'000);
  // Short calls: 1,500 times on f4 with 2^16 points, 2 before maps were refined there.
  check(suite::F4<5>{}, Box<5>{}, 1.79132603674878596e-06, QmcMap::automatic, 300, 16);
}

/// Pulls of -13 and -8: the first took the bins of a map, since the refined one was far off the trained one, which
/// missed most; the second took no map after a look at few points.
TYPED_TEST(QuasiMonteCarloOn, GoodMapsAreNotGivenUp) {
  double const f4_in_eight = 6.38380219000437529e-10, f3_in_eight = 2.27519658179177561e-10;
  auto const with = [&](auto const& f, std::uint64_t seed) {
    return integrate(this->exec, QuasiMonteCarlo{.evaluations = 1 << 17, .seed = seed}, f, Box<8>{});
  };
  auto const f4 = with(suite::F4<8>{}, 280), f3 = with(suite::F3<8>{}, 35);
  EXPECT_NEAR(f4.value, f4_in_eight, 4 * f4.error);
  EXPECT_LT(f4.error, 1e-6 * f4_in_eight);
  EXPECT_NEAR(f3.value, f3_in_eight, 4 * f3.error);
  EXPECT_LT(f3.error, 5e-3 * f3_in_eight);
}

} // namespace
} // namespace quasi_monte_carlo_maps_test
