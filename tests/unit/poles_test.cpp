#include "poles.hpp"
#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

/// Values that are not finite: on poles and where an integrand has died away they end no call, on a set that matters
/// they do.
namespace poles_test {
namespace {

using namespace kubature;
using namespace poles;

/// Tails that are not a number, although f has not died away there.
struct HeavyTail {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::abs(x[0]) > 50 ? Kokkos::sqrt(Real(50) - Kokkos::abs(x[0])) : 1 / (1 + x[0] * x[0]);
  }
};

/// 1 / sqrt(|x - y|), of which the integral over the unit square is 8 / 3; infinite on the diagonal.
struct Diagonal {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return 1 / Kokkos::sqrt(Kokkos::abs(x[0] - x[1]));
  }
};
struct DiagonalAndMore {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    return {Diagonal()(x), Diagonal()(x) * x[0]};
  }
};
constexpr double diagonal_truth = 8.0 / 3;

TYPED_TEST_SUITE(Poles, spaces::All, spaces::Names);

TYPED_TEST(Poles, TailsThatHaveNotDiedAwayEndTheCall) {
  this->by_sampling(HeavyTail{}, Box<1>{{-infinity, infinity}},
                    [](Result<> const& result) { EXPECT_EQ(result.status, Status::non_finite) << result; });
}

/// Infinite at its centre, where all rules have a node.
struct AtTheCentre {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return 1 / Kokkos::sqrt(Kokkos::abs(x[0] - Real(0.5)));
  }
};

/// A map that is dense about a pole draws points on it.
TYPED_TEST(Poles, PointsOnPolesCountAsZero) {
  double const truth = 2 * std::numbers::sqrt2;
  auto const result =
      integrate(this->exec, VegasPlus{.evaluations = 100'000, .iterations = 60, .alpha = 2.0}, AtTheCentre{}, Box<1>{});
  EXPECT_EQ(result.status, Status::completed) << result;
  EXPECT_LE(std::abs(result.value - truth), 6 * result.error) << result;
  EXPECT_TRUE(result.non_finite == 0 || says(result, "on a pole")) << result;
}

/// In single precision some of 1e6 points are equal to any number.
TYPED_TEST(Poles, PointsOfLowPrecisionOnPolesCountAsZero) {
  auto const result =
      integrate(this->exec, PlainMonteCarlo<Fp32>{.evaluations = 50'000'000, .iterations = 1}, AtTheCentre{}, Box<1>{});
  EXPECT_EQ(result.status, Status::completed) << result;
  EXPECT_GT(result.non_finite, 0u) << result;
  EXPECT_TRUE(says(result, "on a pole")) << result;
  EXPECT_NEAR(result.value, 2 * std::numbers::sqrt2, 0.01);
}

/// It never ends with a value that is not a number, and tells what it has found.
TYPED_TEST(Poles, CubatureMovesItsNodes) {
  Tolerance const tolerance{.relative = 1e-3};
  Limits const limits{.evaluations = 1'000'000};
  auto const expect = [](double value, double error, double truth) {
    EXPECT_LE(std::abs(value - truth), error);
    EXPECT_LE(error, 0.2 * truth);
  };
  auto const one = integrate(this->exec, Pagani{}, Diagonal{}, Box<2>{}, tolerance, limits);
  expect(one.value, one.error, diagonal_truth);
  EXPECT_EQ(one.status, Status::evaluation_limit) << one;
  EXPECT_EQ(one.non_finite, 0u) << one;
  auto const batches =
      integrate(this->exec, Pagani{}, in_batches<TypeParam, 2>(Diagonal{}), Box<2>{}, tolerance, limits);
  // A lane by itself adds in another order, and which of many equal regions is the densest depends on the last bit.
  EXPECT_NEAR(batches.value, one.value, 1e-3 * one.error);
  EXPECT_NEAR(batches.error, one.error, 0.1 * one.error);
  EXPECT_EQ(batches.status, one.status);
  auto const two = integrate(this->exec, Pagani{}, DiagonalAndMore{}, Box<2>{}, tolerance, limits);
  expect(two.value[0], two.error[0], diagonal_truth);
  expect(two.value[1], two.error[1], diagonal_truth / 2);
  auto const two_in_batches =
      integrate(this->exec, Pagani{}, in_batches<TypeParam, 2, 2>(DiagonalAndMore{}), Box<2>{}, tolerance, limits);
  EXPECT_NEAR(two_in_batches.value[0], two.value[0], 1e-3 * two.error[0]);
  EXPECT_NEAR(two_in_batches.value[1], two.value[1], 1e-3 * two.error[1]);
  auto const centre = integrate(this->exec, Pagani{}, AtTheCentre{}, Box<1>{}, {.relative = 1e-6});
  EXPECT_EQ(centre.status, Status::converged) << centre;
  EXPECT_LE(std::abs(centre.value - 2 * std::numbers::sqrt2), 3e-6) << centre;
}

/// 1 / |x - 0.5| has no integral, although it is not finite at one number alone.
struct NoIntegral {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return 1 / Kokkos::abs(x[0] - Real(0.5));
  }
};
TYPED_TEST(Poles, CubatureDoesNotConvergeWhereThereIsNoIntegral) {
  for (double const middle : {0.5, 0.287}) {
    auto const f = [&](auto const& method) {
      return integrate(this->exec, method, NoIntegral{}, Box<1>{{0, 2 * middle}}, {.relative = 1e-2},
                       {.evaluations = 2'000'000});
    };
    EXPECT_NE(f(Pagani{}).status, Status::converged) << f(Pagani{});
    EXPECT_NE(f(Auto{}).status, Status::converged) << f(Auto{});
  }
}

/// x, x y, and sin(x) over boxes about 0.
struct Odd {
  int which;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return which == 0 ? x[0] : which == 1 ? x[0] * x[D - 1] : Kokkos::sin(x[0]);
  }
};

/// No relative tolerance can be met where the value is zero.
TYPED_TEST(Poles, ZeroEndsCubatureAndAuto) {
  auto const check = [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::precision_limit) << result;
    EXPECT_LE(std::abs(result.value), result.error) << result;
    EXPECT_LT(result.error, 1e-13) << result;
    EXPECT_LT(result.evaluations, 100'000u) << result;
    EXPECT_TRUE(says(result, "no relative tolerance can be met; an absolute one of ")) << result;
  };
  for (int const which : {0, 1, 2}) {
    SCOPED_TRACE(which);
    Box<2> const box{{-1, 1}, {-1, 1}};
    check(integrate(this->exec, Pagani{}, Odd{which}, box, {.relative = 1e-6}));
    check(integrate(this->exec, Auto{}, Odd{which}, box, {.relative = 1e-6}));
    auto const absolute = integrate(this->exec, Auto{}, Odd{which}, box, {.relative = 1e-6, .absolute = 1e-12});
    EXPECT_EQ(absolute.status, Status::converged) << absolute;
  }
  check(integrate(this->exec, Auto{}, Odd{2}, Box<1>{{-1, 1}}, {.relative = 1e-6}));
}

} // namespace
} // namespace poles_test
