#include "quasi_monte_carlo.hpp"
#include "spaces.hpp"

#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

namespace quasi_monte_carlo_test {
namespace {

using namespace kubature;
using namespace quasi_monte_carlo;
using detail::GeneratingVector;

// ---- the points ----------------------------------------------------------------------------------------------

/// Point k of the lattice, {k z / 2^m}.
double coordinate(std::uint64_t k, int axis, int m) {
  return std::ldexp(static_cast<double>(k * GeneratingVector::components[static_cast<std::size_t>(axis)] << (64 - m)),
                    -64);
}

TEST(GeneratingVectorOf, LatticesHasTheFiguresOfMeritThatAreListed) {
  auto const omega = [](double x) { return 2 * std::numbers::pi * std::numbers::pi * (x * x - x + 1.0 / 6); };
  for (int const m : {10, 13}) {
    double sum = 0;
    for (std::uint64_t k = 0; k < std::uint64_t{1} << m; ++k) {
      double product = 1;
      for (int j = 0; j < max_dimension; ++j)
        product *= 1 + GeneratingVector::weight(j + 1) * omega(coordinate(k, j, m));
      sum += product;
    }
    double const merit = std::ldexp(sum, -m) - 1;
    EXPECT_NEAR(merit / GeneratingVector::merits()[static_cast<std::size_t>(m - 10)], 1, 1e-6); // from 2^10 points on
  }
}

/// All points of a shift, from the iterations that lead to 2^m of them.
std::vector<std::vector<std::uint64_t>> points(int m, std::uint64_t shift) {
  int const dimension = 3;
  detail::Stream const stream(5, 0);
  std::vector<std::vector<std::uint64_t>> all;
  for (int power = 2; power <= m; ++power) {
    detail::Lattice<3> const lattice(dimension, power, power == 2, stream);
    typename detail::Lattice<3>::Lanes<1> lanes;
    std::uint64_t const count = power == 2 ? 4 : std::uint64_t{1} << (power - 1), first = count / 2;
    for (std::uint64_t const begin : {std::uint64_t{0}, first}) { // from the middle on as from the beginning
      std::uint64_t const from[1] = {begin};
      lattice.start(shift, from, dimension, lanes);
      for (std::uint64_t k = begin; k < begin + count / 2; ++k) {
        all.push_back({lanes.at[0][0], lanes.at[1][0], lanes.at[2][0]});
        lattice.advance(k + 1 - begin, dimension, lanes);
      }
    }
  }
  return all;
}

TEST(Lattices, GrowToAllPointsOfTheLargerOneEachOnce) {
  for (std::uint64_t const shift : {0, 3}) {
    int const m = 6;
    auto found = points(m, shift);
    auto const origin = found.front();
    std::vector<std::vector<std::uint64_t>> expected;
    for (std::uint64_t k = 0; k < 1u << m; ++k) {
      std::vector<std::uint64_t> point;
      for (std::size_t i = 0; i < 3; ++i)
        point.push_back(origin[i] + (k * GeneratingVector::components[i] << (64 - m)));
      expected.push_back(point);
    }
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }
  EXPECT_NE(points(2, 0), points(2, 1));
}

/// For any scramble the first 2^m points put one into each of the elementary intervals of volume 2^-m of a (t, m,
/// s)-net: in each variable alone (t = 0), and in pairs of the first ones.
TEST(SobolPoints, AreNets) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  Space const exec;
  detail::DirectionNumbers<Space> memory;
  auto const directions = memory.hold(exec, max_dimension);
  detail::Stream const stream(5, 0);
  constexpr int m = 8, points = 1 << m, d = max_dimension;
  for (std::uint64_t const shift : {0, 1}) {
    std::vector<std::vector<std::uint64_t>> all;
    for (int power = m - 1; power <= m; ++power) {
      detail::Sobol<Space, d> const sobol(directions, power, power < m, stream);
      for (std::uint64_t begin = 0; begin < points / 2; begin += 32) {
        std::uint64_t const from[2] = {begin, begin + 16};
        typename detail::Sobol<Space, d>::Lanes<2> lanes;
        sobol.start(shift, from, d, lanes);
        for (std::uint64_t k = 0; k < 16; ++k, sobol.advance(k, d, lanes))
          for (int w = 0; w < 2; ++w) {
            all.emplace_back();
            for (int i = 0; i < d; ++i)
              all.back().push_back(sobol.position(lanes, i, w));
          }
      }
    }
    ASSERT_EQ(all.size(), static_cast<std::size_t>(points));
    for (std::size_t i = 0; i < d; ++i) {
      std::vector<int> hits(points);
      for (auto const& point : all)
        ++hits[point[i] >> (64 - m)];
      EXPECT_EQ(hits, std::vector<int>(points, 1)) << i;
    }
    std::vector<int> hits(points); // 16 x 16 squares of the first two, a (0, 2)-sequence
    for (auto const& point : all)
      ++hits[(point[0] >> 60) * 16 + (point[1] >> 60)];
    EXPECT_EQ(hits, std::vector<int>(points, 1));
  }
}

TEST(Folds, KeepTheVolumeAndTheInterval) {
  for (auto const transform : {QmcTransform::none, QmcTransform::tent, QmcTransform::korobov1, QmcTransform::korobov2,
                               QmcTransform::korobov3}) {
    detail::Fold<double> const fold(transform);
    double volume = 0, first_moment = 0;
    constexpr int n = 1 << 12;
    for (std::uint64_t k = 0; k < n; ++k) {
      double weight = 1;
      double const t = fold(detail::one_and<double>((2 * k + 1) << 51), weight);
      EXPECT_LE(t, 1); // rounding may have taken it beyond
      volume += weight / n;
      first_moment += weight * t / n;
    }
    EXPECT_NEAR(volume, 1, 1e-7); // of n midpoints
    EXPECT_NEAR(first_moment, 0.5, 1e-7);
    detail::Fold<float> const single(transform);
    for (std::uint64_t const end : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      double weight = 1;
      double const t = fold(detail::one_and<double>(end), weight);
      EXPECT_GT(t, 0);
      EXPECT_LE(t, 1);
      EXPECT_GT(single(detail::one_and<float>(end), weight), 0);
    }
  }
}

// ---- calls ---------------------------------------------------------------------------------------------------

struct Root {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return Kokkos::sqrt(x[0] - 0.25); }
};

/// Evaluations of the lattices' points; besides, audits take some.
std::uint64_t without_audit(Result<> const& result) {
  std::uint64_t points = 0;
  for (auto const& iteration : result.iterations)
    points += iteration.evaluations;
  EXPECT_GE(result.evaluations, points);
  EXPECT_LE(result.evaluations, points + points / 32);
  return points;
}

template <class Case>
class Lattice : public ::testing::Test {};
TYPED_TEST_SUITE(Lattice, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(Lattice, RulesIntegrateInEveryPrecision) {
  using P = typename TypeParam::precision;
  typename TypeParam::space const exec;
  auto const result = integrate(exec, QuasiMonteCarlo<P>{.transform = QmcTransform::tent, .trained_map = QmcMap::none},
                                Smooth{}, Box<8>{});
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_EQ(without_audit(result), 1u << 20);
  EXPECT_EQ(result.iterations.size(), 9u); // 2^8 ... 2^16 points of each shift
  double const bound = std::max(1e-8, 20 * detail::epsilon<P>);
  if constexpr (!std::is_same_v<P, Fp32Pure>) { // whose sums lose more
    EXPECT_NEAR(result.value, 1, 5 * result.error);
  }
  EXPECT_LT(result.error, bound);
}

TEST(QuasiMonteCarloCalls, DoubleUntilATolerance) {
  QuasiMonteCarlo const method{.evaluations = 1 << 14, .trained_map = QmcMap::none, .channels = Channels::never};
  auto const loose = integrate(method, Smooth{}, Box<8>{}, {.relative = 1e-3});
  EXPECT_EQ(loose.status, Status::converged);
  EXPECT_EQ(loose.evaluations, 1u << 14); // drawn in any case
  auto const tight = integrate(method, Smooth{}, Box<8>{}, {.relative = 1e-7});
  EXPECT_EQ(tight.status, Status::converged);
  auto const begun = loose.iterations.size();
  ASSERT_EQ(begun, 8u); // from 8 points of each shift on
  ASSERT_GT(tight.iterations.size(), begun + 2);
  EXPECT_EQ(tight.iterations[begun - 1].value, loose.value); // to the bit: the points are those of before, and more
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < tight.iterations.size(); ++i) {
    EXPECT_EQ(tight.iterations[i].evaluations, 128u << (i > 0 ? i - 1 : 0));
    sum += tight.iterations[i].evaluations;
  }
  EXPECT_EQ(without_audit(tight), sum);
  EXPECT_TRUE(std::isnan(tight.chi2_per_dof));
}

TEST(QuasiMonteCarloCalls, EndAtLimits) {
  QuasiMonteCarlo const method{.trained_map = QmcMap::none};
  auto const with = [&](Limits limits, Tolerance tolerance = {}) {
    return integrate(method, Smooth{}, Box<8>{}, tolerance, limits);
  };
  auto const few = with({.evaluations = 100'000});
  EXPECT_EQ(few.status, Status::evaluation_limit);
  EXPECT_EQ(without_audit(few), 1u << 16);
  EXPECT_NEAR(few.value, 1, 5 * few.error);
  EXPECT_EQ(with({.evaluations = 15}).status, Status::evaluation_limit); // less than one point per shift
  EXPECT_EQ(with({.iterations = 2}).iterations.size(), 2u);
  EXPECT_EQ(with({.iterations = 2}).status, Status::iteration_limit);
  EXPECT_EQ(with({.seconds = 1e-9}).status, Status::time_limit);
  EXPECT_TRUE(std::isnan(with({.bytes = 100}).value));
  EXPECT_EQ(with({.bytes = 100}).status, Status::memory_exhausted);
  EXPECT_EQ(with({.evaluations = 1 << 22}, {.relative = 1e-17}).status, Status::evaluation_limit);
  int told = 0;
  auto const stopped = integrate(method, Smooth{}, Box<8>{}, {}, {}, [&](Progress const& progress) {
    EXPECT_EQ(progress.method, "qmc");
    return ++told < 3;
  });
  EXPECT_EQ(stopped.status, Status::stopped);
  EXPECT_EQ(stopped.iterations.size(), 3u);
  auto const in_training =
      integrate(QuasiMonteCarlo{}, Smooth{}, Box<8>{}, {}, {}, [](Progress const&) { return false; });
  EXPECT_EQ(in_training.status, Status::stopped);
  EXPECT_TRUE(in_training.iterations.empty());
}

TEST(QuasiMonteCarloCalls, RoundingLimitsThePrecision) {
  auto const result = integrate(QuasiMonteCarlo{.precision = fp32}, Smooth{}, Box<8>{}, {.relative = 1e-9});
  EXPECT_EQ(result.status, Status::precision_limit);
  EXPECT_NEAR(result.value, 1, 2 * result.error);
  auto const exact = integrate(QuasiMonteCarlo{}, suite::Linear<10>{}, Box<10>{}); // because of the tent
  EXPECT_TRUE(exact.remarks.empty()) << exact;
  EXPECT_NEAR(exact.value, 5, exact.error);
  EXPECT_LT(exact.error, 2e-14);
}

TEST(QuasiMonteCarloCalls, ValuesThatAreNotFinite) {
  auto const with = [](NonFinite policy) {
    return integrate(QuasiMonteCarlo{.evaluations = 20'000, .trained_map = QmcMap::none, .non_finite = policy}, Root{},
                     Box<2>{});
  };
  EXPECT_EQ(with(NonFinite::error).status, Status::non_finite);
  EXPECT_TRUE(std::isnan(with(NonFinite::error).value));
  auto const discarded = with(NonFinite::discard);
  EXPECT_NEAR(discarded.value, 2.0 / 3 * std::pow(0.75, 1.5), 5 * discarded.error);
  EXPECT_NEAR(static_cast<double>(discarded.non_finite), 0.25 * (1 << 14), 300);
  EXPECT_TRUE(std::isnan(with(NonFinite::propagate).value));
  EXPECT_EQ(integrate(QuasiMonteCarlo{}, Root{}, Box<2>{}).status, Status::non_finite); // in training
}

} // namespace
} // namespace quasi_monte_carlo_test
