#include "quasi_monte_carlo.hpp"
#include "spaces.hpp"

#include <kubature/detail/quasi_monte_carlo/caution.hpp>
#include <kubature/detail/quasi_monte_carlo/jumps.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

/// \file
/// What the shifts' estimates tell of errors: of few points that make up most, of jumps, and of several components.

namespace quasi_monte_carlo_shifts_test {
namespace {

using namespace kubature;
using namespace quasi_monte_carlo;

TYPED_TEST_SUITE(QuasiMonteCarloOn, spaces::All, spaces::Names);

/// The root mean square of Student's t of 16 numbers, of which `draw` makes one with a mean of zero, many times; by
/// Student's factor, and by caution() as well.
template <class Draw>
std::array<double, 2> root_mean_squares_of_t(Draw const& draw) {
  constexpr int n = 16, repetitions = 4000;
  std::array<double, 2> squares{};
  for (int k = 0; k < repetitions; ++k) {
    std::array<double, n> x;
    double mean = 0, scatter = 0;
    for (double& value : x)
      mean += (value = draw()) / n;
    for (double const value : x)
      scatter += (value - mean) * (value - mean);
    double const t = mean / (student_factor(n - 1) * std::sqrt(scatter / (n - 1) / n));
    squares[0] += t * t / repetitions;
    squares[1] += std::pow(t / detail::caution(true, 0, x), 2) / repetitions;
  }
  return {std::sqrt(squares[0]), std::sqrt(squares[1])};
}

/// Exponentially distributed numbers have a skewness of 2: 1.27 and 1.10 expected.
TEST(QuasiMonteCarloErrors, KnowOfSkewedShifts) {
  std::mt19937_64 bits(1);
  auto const uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; };
  auto const skewed = root_mean_squares_of_t([&] { return -1 - std::log(uniform()); });
  EXPECT_GT(skewed[0], 1.2);
  EXPECT_LT(skewed[1], 1.15);
  auto const normal = root_mean_squares_of_t(
      [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); });
  EXPECT_NEAR(normal[0], 1.04, 0.05); // four standard errors
  EXPECT_LT(normal[0], 1.03 * normal[1]);
}

TEST(QuasiMonteCarloErrors, KnowOfFewPointsThatMakeUpMost) {
  std::vector<double> const even{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> one(16, 2);
  one[3] = 7;
  EXPECT_DOUBLE_EQ(detail::skewness(even), 0);
  EXPECT_EQ(detail::skewness(std::vector<double>(5, 3)), 0);
  EXPECT_NEAR(detail::skewness(one), 14 / std::sqrt(15), 1e-14); // the most that 16 numbers can have
  EXPECT_EQ(detail::caution(true, 0.3, even), 1);
  EXPECT_DOUBLE_EQ(detail::caution(false, 0.3, even), 1.6);
  EXPECT_NEAR(detail::caution(true, 0, one), std::sqrt(1 + (196.0 / 15 - 6.0 / 16) / 2), 1e-14);
  EXPECT_EQ(detail::caution(true, 0, std::vector<double>{0, 0, 0, 1}), 1); // four say nothing of it
}

/// The integral of f6 in five variables.
double f6_in_five() {
  double product = 1;
  for (int i = 1; i <= 5; ++i)
    product *= std::expm1((i + 4) * (i + 3) / 10.0) / (i + 4);
  return product;
}

/// An integrand that jumps to zero, in a call that is just long enough for a refined map: when the empty part was left
/// to itself, pulls had a deviation of 1.6 to 3.
TEST(QuasiMonteCarloErrors, OfAJumpAreHonest) {
  constexpr int seeds = 60;
  auto const p = pulls(QuasiMonteCarlo{.evaluations = 1 << 16}, suite::F6<5>{}, Box<5>{}, f6_in_five(), seeds);
  EXPECT_NEAR(p.mean, 0, 4 / std::sqrt(seeds));
  EXPECT_LT(p.deviation, 1.04 + 4 / std::sqrt(2.0 * seeds));
}

/// 1 below a border across the first axis, else 0.
struct Indicator {
  double border;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] < static_cast<Real>(border) ? 1 : 0;
  }
};

/// For an indicator function of one variable a shift's estimate is one of two, and if all shifts take the same, their
/// scatter is zero, whether they are near the truth or not. 9 % of the errors were 1e-16 of the value, and 45 % in
/// calls to a tolerance, until the previous doublings told how far apart the two are.
TEST(QuasiMonteCarloErrors, OfAnIndicatorAreBoundedByThoseBefore) {
  constexpr int borders = 200;
  for (auto const rule : {QmcRule::lattice, QmcRule::sobol})
    for (double const relative : {0.0, 1e-4}) {
      int beyond_5 = 0, beyond_50 = 0;
      for (int k = 0; k < borders; ++k) {
        double const border = 0.1 + 0.8 * std::fmod(k * std::numbers::phi, 1);
        QuasiMonteCarlo const method{
            .evaluations = 1 << 14, .rule = rule, .trained_map = QmcMap::none, .seed = static_cast<std::uint64_t>(k)};
        auto const result = integrate(method, Indicator{border}, Box<2>{}, {.relative = relative});
        double const pull = std::abs(result.value - border) / result.error;
        beyond_5 += pull > 5;
        beyond_50 += pull > 50;
      }
      EXPECT_LE(beyond_5, 3);
      EXPECT_LE(beyond_50, 1);
    }
}

/// exp(x + y) below two borders, else 0.
struct BelowTwoBorders {
  double first, second;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] < static_cast<Real>(first) && x[1] < static_cast<Real>(second) ? Kokkos::exp(x[0] + x[1]) : Real(0);
  }
};

/// Of calls to a tolerance, which end where shifts agree about both borders by chance, 8 of 200 were more than three
/// errors off, and 3 more than five, until groups of several jumps were known.
TEST(QuasiMonteCarloErrors, AboutTwoBordersAreBoundedByThoseBefore) {
  constexpr int borders = 100;
  int beyond_3 = 0, beyond_5 = 0;
  for (int k = 0; k < borders; ++k) {
    double const first = 0.1 + 0.8 * std::fmod(k * std::numbers::phi, 1),
                 second = 0.1 + 0.8 * std::fmod(k * std::numbers::sqrt2, 1);
    QuasiMonteCarlo const method{.evaluations = 1 << 12, .seed = static_cast<std::uint64_t>(k)};
    auto const result =
        integrate(method, BelowTwoBorders{first, second}, Box<2>{}, {.relative = 1e-6}, {.evaluations = 10'000'000});
    double const pull = std::abs(result.value - std::expm1(first) * std::expm1(second)) / result.error;
    beyond_3 += pull > 3;
    beyond_5 += pull > 5;
  }
  EXPECT_LE(beyond_3, 1);
  EXPECT_LE(beyond_5, 0);
}

/// What the error is at least, in units of what sixteen shifts in one group miss of a distance of 1:
/// sqrt(2 / (18 * 19)).
double least_error(std::vector<std::vector<double>> const& doublings, double small = 0) {
  detail::Jumps jumps;
  for (auto const& means : doublings)
    jumps.add(means, small, [](double distance) { return distance; });
  return jumps.least_error() / std::sqrt(2.0 / (18 * 19));
}

/// Sixteen means: the first ones, and the last one again and again.
std::vector<double> sixteen(std::vector<double> first) {
  first.resize(16, first.back());
  return first;
}

TEST(QuasiMonteCarloErrors, KnowTwoGroupsOfShifts) {
  std::vector<double> const two = sixteen({3, 1}), agree = sixteen({1});
  EXPECT_DOUBLE_EQ(least_error({two}), 2);
  EXPECT_DOUBLE_EQ(least_error({sixteen({3.1, 1.2, 1.1, 1.05, 1.3, 1})}), 1.8);
  EXPECT_EQ(least_error({agree}), 0);
  EXPECT_EQ(least_error({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}), 0);
  EXPECT_EQ(least_error({{1, 3, 1}}), 0); // too few to tell
  // The distance halves with each doubling in which all agree, until it is long ago.
  EXPECT_DOUBLE_EQ(least_error({two, agree, agree}), 0.5);
  EXPECT_DOUBLE_EQ(least_error({two, agree, sixteen({2, 1}), agree}), 0.5);
  EXPECT_EQ(least_error({two, agree, agree, agree, agree, agree, agree, agree, agree}), 0);
  EXPECT_EQ(detail::Jumps().least_error(), 0);
}

/// Of two jumps the means fall into four groups. When that has been seen twice, later means are taken to be of jumps
/// as well, whatever they look like.
TEST(QuasiMonteCarloErrors, KnowSeveralGroupsOfShifts) {
  std::vector<double> const four = sixteen({1, 4, 1, 2.5, 1, 2.5, 3.1, 4});
  std::vector<double> const spread = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6};
  EXPECT_EQ(least_error({four}), 0);
  EXPECT_EQ(least_error({four, spread}), 0);
  EXPECT_DOUBLE_EQ(least_error({four, four}), 1);
  EXPECT_DOUBLE_EQ(least_error({four, four, spread, spread, spread, spread, spread, spread, spread, spread}), 1.6 / 3);
  EXPECT_EQ(least_error({four, four}, 10), 0); // rounding

  // Several means far from the others are no groups.
  std::vector<double> const far = sixteen({4, 2, 3, 1});
  EXPECT_EQ(least_error({far, far}), 0);
}

// ---- components ----------------------------------------------------------------------------------------------

/// exp(-|x|^2), (1 + x_1) exp(-|x|^2), and the sum of both.
struct Bell {
  template <class Real>
  KOKKOS_FUNCTION Kokkos::Array<Real, 3> operator()(Point<Real, 3> const& x) const {
    Real const bell = Kokkos::exp(-(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    return {bell, bell * (1 + x[0]), bell * (2 + x[0])};
  }
};

TYPED_TEST(QuasiMonteCarloOn, ComponentsOverInfiniteSides) {
  Box<3> const box{-infinity, infinity};
  double const truth = std::pow(std::numbers::pi, 1.5);
  for (auto const map : {QmcMap::none, QmcMap::smooth}) {
    auto const result = integrate(this->exec, QuasiMonteCarlo{.trained_map = map}, Bell{}, box, {.relative = 1e-4});
    EXPECT_EQ(result.status, Status::converged);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(result.value[c], truth * (c < 2 ? 1 : 2), 5 * result.error[c]);
      EXPECT_LT(result.error[c], 1e-4 * result.value[c]);
    }
  }
}

/// According to the shifts' means, which satisfy linear relations.
TEST(QuasiMonteCarloErrors, OfComponentsAreCorrelated) {
  QuasiMonteCarlo method{.evaluations = 1 << 15, .trained_map = QmcMap::none, .covariance = Covariance::full};
  double const truth = 1 + (1 - std::exp(-1)) / std::sqrt(std::numbers::pi) / std::erf(1);
  constexpr int seeds = 120;
  double squares = 0, apart = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = integrate(method, Bell{}, Box<3>{});
    auto const difference = result.linear(std::array<double, 3>{1, 1, -1});
    EXPECT_NEAR(difference.value, 0, 1e-14);
    EXPECT_LT(difference.error, 1e-6 * result.error[2]);
    auto const ratio = result.ratio(1, 0);
    squares += std::pow((ratio.value - truth) / ratio.error, 2);
    apart += std::hypot(result.error[0] / result.value[0], result.error[1] / result.value[1]) * truth / ratio.error;
  }
  EXPECT_NEAR(std::sqrt(squares / seeds), 1.04, 0.26);
  EXPECT_GT(apart, 1.2 * seeds); // their errors rise and fall together
  auto const full = integrate(method, Bell{}, Box<3>{});
  for (auto const less : {Covariance::diagonal, Covariance::none}) {
    method.covariance = less;
    auto const alone = integrate(method, Bell{}, Box<3>{});
    EXPECT_FALSE(alone.has_covariance());
    double least = full.error[0] / alone.error[0], largest = least;
    for (int c = 1; c < 3; ++c) {
      least = std::min(least, full.error[c] / alone.error[c]);
      largest = std::max(largest, full.error[c] / alone.error[c]);
    }
    EXPECT_DOUBLE_EQ(least, 1); // what skewness adds to one, it adds to all
    EXPECT_LT(largest, 1.5);
  }
}

} // namespace
} // namespace quasi_monte_carlo_shifts_test
