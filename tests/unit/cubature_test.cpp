#include "cubatures.hpp"
#include "tools.hpp"

#include <kubature/expression.hpp>
#include <kubature/suite/suite.hpp>
#include <kubature/tuning.hpp>

#include <cmath>
#include <vector>

namespace cubature_test {
namespace {

using namespace kubature;
using namespace cubatures;

/// 1 in the box from 0 to 0.3.
struct InABox {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    bool inside = true;
    for (int i = 0; i < x.size(); ++i)
      inside = inside && x[i] < Real(0.3);
    return inside ? Real(1) : Real(0);
  }
};

/// 1 in the unit ball.
struct InABall {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto square = Real(0);
    for (int i = 0; i < x.size(); ++i)
      square += x[i] * x[i];
    return square < Real(1) ? Real(1) : Real(0);
  }
};

/// The sum of the coordinates, but NaN at the origin.
struct NanInACorner {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < x.size(); ++i)
      sum += x[i];
    return sum * sum / sum;
  }
};

/// exp(-sum |x_i|).
struct Decay {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < x.size(); ++i)
      sum += Kokkos::abs(x[i]);
    return Kokkos::exp(-sum);
  }
};

/// The product of the square roots of the coordinates, or of their reciprocals.
template <bool reciprocal>
struct Roots {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto product = Real(1);
    for (int i = 0; i < x.size(); ++i)
      product *= Kokkos::sqrt(x[i]);
    return reciprocal ? Real(1) / product : product;
  }
};

// Integrands of one type share their kernels.
using Shapes = suite::OneOf<Bell, Decay, InABox, InABall, NanInACorner, Roots<false>, Roots<true>>;
constexpr Shapes bell{0}, decay{1}, in_a_box{2}, in_a_ball{3}, nan_in_a_corner{4}, roots{5}, reciprocal_roots{6};

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, ConstantsTakeOneRound) {
  for (double const c : {1.0, -3.5, 1e-200, 1e150}) {
    Tolerance const tolerance{.relative = 1e-12};
    this->with_both(Constant{c}, Box<3>(0.0, 2.0), tolerance, {}, [&](Result<> const& result) {
      expect_converged(result, 8 * c, tolerance);
      EXPECT_EQ(result.iterations.size(), 1u);
      EXPECT_EQ(result.regions, Tuning<TypeParam>::coarse_grid ? 8u : 64u);
      EXPECT_NEAR(result.value, 8 * c, 4e-15 * std::abs(c));
      EXPECT_LT(result.error, 1e-13 * std::abs(c));
    });
  }
}

/// Where that saves time a call begins with two intervals along each axis instead of four: in three variables if little
/// refinement is needed then, in four if there is none.
TYPED_TEST(Cubatures, ACoarseGridServesLooseTolerances) {
  bool const tried = Tuning<TypeParam>::coarse_grid;
  double const truth_3 = std::pow(bell_truth, 3), truth_4 = std::pow(bell_truth, 4);
  auto const check = [&](auto const& box, double relative, double truth, std::uint64_t least, std::uint64_t most) {
    this->with_both(bell, box, {.relative = relative}, {}, [&](Result<> const& result) {
      expect_converged(result, truth, {.relative = relative});
      EXPECT_GE(result.regions, least) << result;
      EXPECT_LE(result.regions, most) << result;
    });
  };
  check(Box<3>{}, 1e-3, truth_3, tried ? 8 : 64, tried ? 48 : 64);
  check(Box<4>{}, 0.1, truth_4, tried ? 16 : 256, tried ? 16 : 256);
  check(Box<4>{}, 1e-10, truth_4, tried ? 272 : 256, 8000); // in vain
  auto const few = integrate(this->exec, Pagani{}, bell, Box<3>{}, {.relative = 1e-3}, {.evaluations = 127 * 127});
  expect_converged(few, truth_3, {.relative = 1e-3});
  EXPECT_EQ(few.regions, 64u); // not enough for both grids
}

/// A rule's weights of both signs cancel, and their rounding adds up: by a factor of 17 for d = 20.
TYPED_TEST(Cubatures, RoundingIsInTheErrorInEveryDimension) {
  std::vector<Side> const side{{0, 1}};
  for (int d = 1; d <= 17; ++d)
    for (double const c : {0.1, 2.0}) {
      SCOPED_TRACE(d);
      expect_converged(integrate(this->exec, Pagani{}, Constant{c}, Box<>(side, d), {.relative = 1e-9}), c,
                       {.relative = 1e-9});
    }
}

TYPED_TEST(Cubatures, ZeroMeetsAnAbsoluteToleranceOnly) {
  auto const check = [&](Tolerance tolerance, Status status) {
    this->with_both(Constant{0}, Box<3>{}, tolerance, {}, [&](Result<> const& result) {
      EXPECT_EQ(result.status, status) << result;
      EXPECT_EQ(result.value, 0);
      EXPECT_EQ(result.error, 0);
      ASSERT_EQ(result.remarks.size(), 1u);
      EXPECT_NE(result.remarks[0].find("a peak may have been missed"), std::string::npos);
      EXPECT_LT(result.evaluations, 10'000'000u) << result;
    });
  };
  check({.absolute = 1e-9}, Status::converged);
  check({.relative = 1e-9}, Status::precision_limit);
}

/// exp(-sharpness sum (x_i - place)^2).
struct Peak {
  double sharpness, place;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto square = Real(0);
    for (int i = 0; i < x.size(); ++i)
      square += (x[i] - Real(place)) * (x[i] - Real(place));
    return Kokkos::exp(-Real(sharpness) * square);
  }
  double integral(int dimension) const {
    double const root = std::sqrt(sharpness);
    return std::pow(std::sqrt(M_PI) / 2 / root * (std::erf(root * (1 - place)) + std::erf(root * place)), dimension);
  }
};

/// The first grid sees the tails of one of these peaks, and nothing but zeros of the other.
TYPED_TEST(Cubatures, AnAbsoluteToleranceIsNotMetByMissingAPeak) {
  std::vector<Side> const side{{0, 1}};
  int const dimension = tools::watched() ? 3 : 5;
  this->expect_both(Peak{625, 0.5}, Box<>(side, dimension), Peak{625, 0.5}.integral(dimension), {.absolute = 1e-9});
  this->expect_both(Peak{1e6, 0.123}, Box<>(side, 2), Peak{1e6, 0.123}.integral(2), {.absolute = 1e-9});
}

/// If the integrand is that small everywhere, little work shows it.
TYPED_TEST(Cubatures, AnAbsoluteToleranceAboveTheIntegralIsSoonMet) {
  this->with_both(Constant{1e-12}, Box<3>{}, {.absolute = 1e-3}, {}, [](Result<> const& result) {
    expect_converged(result, 1e-12, {.absolute = 1e-3});
    EXPECT_EQ(result.iterations.size(), 1u);
  });
}

/// The peak of fB lies between all points of the first regions.
TYPED_TEST(Cubatures, AMissedPeakIsNotConverged) {
  this->with_both(suite::FB<9>{}, Box<9>(-1.0, 1.0), {.relative = 1e-3}, {.evaluations = 10'000'000},
                  [](Result<> const& result) {
                    EXPECT_NE(result.status, Status::converged) << result;
                    EXPECT_EQ(result.value == 0, !result.remarks.empty()) << result;
                  });
}

TYPED_TEST(Cubatures, DiscontinuousIntegrands) {
  this->expect_both(in_a_box, Box<1>{}, 0.3, {.relative = 1e-12});
  for (double const relative : {1e-1, 1e-2, 1e-3}) {
    this->expect_both(in_a_box, Box<2>{}, 0.09, {.relative = relative});
    this->expect_both(in_a_ball, Box<2>{}, M_PI / 4, {.relative = relative});
  }
  this->expect_both(in_a_box, Box<2>{}, 0.09, {.relative = 1e-12});
  this->expect_both(in_a_box, Box<3>{}, 0.027, {.relative = 1e-2});
  for (double const relative : {1e-1, 1e-2})
    expect_converged(integrate(this->exec, Pagani{}, in_a_ball, Box<3>(-1.0, 1.0), {.relative = relative}),
                     4 * M_PI / 3, {.relative = relative});
}

TYPED_TEST(Cubatures, ADiscontinuityThatCannotBeResolvedEndsAtALimit) {
  Tolerance const tolerance{.relative = 1e-10};
  this->with_both(in_a_ball, Box<2>{}, tolerance, {.evaluations = 3'000'000}, [&](Result<> const& result) {
    EXPECT_EQ(result.status, Status::evaluation_limit);
    expect_honest(result, M_PI / 4, tolerance);
  });
}

TYPED_TEST(Cubatures, CornersAreNotSampled) {
  for (auto const policy : {NonFinite::error, NonFinite::discard, NonFinite::propagate}) {
    auto const check = [&](auto method) {
      method.non_finite = policy;
      auto const result = integrate(this->exec, method, nan_in_a_corner, Box<4>{}, {.relative = 1e-9});
      expect_converged(result, 2, {.relative = 1e-9});
      EXPECT_EQ(result.non_finite, 0u);
    };
    check(Pagani{});
    check(kubature::TwoPhase{});
  }
}

/// 1, and something else in the square from 0 to `end`.
struct BadNearACorner {
  double bad, end;
  template <int D>
  KOKKOS_FUNCTION double operator()(Point<double, D> const& x) const {
    return x[0] < end && x[1] < end ? bad : 1.0;
  }
};

TYPED_TEST(Cubatures, NonFiniteValuesByPolicy) {
  for (double const bad : {std::nan(""), infinity, -infinity})
    for (double const end : {0.25, 0.3}) { // along the regions' sides, and not
      auto const check = [&](auto method) {
        auto const run = [&](NonFinite policy) {
          method.non_finite = policy;
          return integrate(this->exec, method, BadNearACorner{bad, end}, Box<2>{}, {.relative = 1e-3});
        };
        auto const stopped = run(NonFinite::error);
        EXPECT_EQ(stopped.status, Status::non_finite);
        EXPECT_TRUE(std::isnan(stopped.value) && std::isnan(stopped.error));
        EXPECT_EQ(stopped.iterations.size(), 1u);
        EXPECT_GE(stopped.non_finite, 65u); // at least one region

        auto const discarded = run(NonFinite::discard);
        expect_converged(discarded, 1 - end * end, {.relative = 1e-3});
        EXPECT_GE(discarded.non_finite, 65u);

        auto const propagated = run(NonFinite::propagate);
        EXPECT_EQ(propagated.status, Status::non_finite);
        EXPECT_FALSE(std::isfinite(propagated.value) && std::isfinite(propagated.error));
        // Points that stand in for those of a region on the border of the bad corner may be good ones.
        EXPECT_GE(propagated.non_finite, stopped.non_finite);
      };
      check(Pagani{});
      check(kubature::TwoPhase{});
    }
}

TYPED_TEST(Cubatures, InfiniteSidesOfEveryKind) {
  this->expect_both(decay, Box<1>{{0, infinity}}, 1, {.relative = 1e-12});
  this->expect_both(decay, Box<1>{{-infinity, infinity}}, 2, {.relative = 1e-12});
  for (double const relative : {1e-3, 1e-6}) {
    this->expect_both(bell, Box<3>(-infinity, infinity), std::pow(M_PI, 1.5), {.relative = relative});
    this->expect_both(decay, Box<3>{{0, infinity}, {-infinity, 0}, {1, infinity}}, std::exp(-1.0),
                      {.relative = relative});
    this->expect_both(bell, Box<3>{{-infinity, infinity}, {0, 1}, {0, infinity}}, M_PI / 2 * bell_truth,
                      {.relative = relative});
  }
}

TYPED_TEST(Cubatures, SingularitiesAtTheEndsOfSides) {
  this->expect_both(roots, Box<1>{}, 2.0 / 3, {.relative = 1e-12});
  this->expect_both(roots, Box<2>{}, 4.0 / 9, {.relative = 1e-9});
  for (double const relative : {1e-3, 1e-6}) {
    this->expect_both(reciprocal_roots, Box<1>{}, 2, {.relative = relative});
    this->expect_both(reciprocal_roots, Box<2>{}, 4, {.relative = relative});
  }
}

/// Intervals are not bisected forever.
TYPED_TEST(Cubatures, ASingularityThatCannotBeResolvedLeavesAnHonestEstimate) {
  for (double const relative : {1e-9, 1e-12}) {
    auto const result = integrate(this->exec, Pagani{}, reciprocal_roots, Box<1>{}, {.relative = relative});
    EXPECT_EQ(result.non_finite, 0u) << result;
    expect_honest(result, 2, {.relative = relative});
  }
}

TYPED_TEST(Cubatures, DimensionsKnownAtRunTime) {
  std::vector<Side> const side{{0, 1}};
  for (int const d : {1, 2, 3, 4, 7, 12}) {
    Tolerance const tolerance{.relative = 1e-2}; // which the first grid meets
    this->with_both(bell, Box<>(side, d), tolerance, {}, [&](Result<> const& result) {
      expect_converged(result, std::pow(bell_truth, d), tolerance);
      EXPECT_EQ(result.regions, d < 5 && !(d > 2 && Tuning<TypeParam>::coarse_grid) ? 1u << 2 * d
                                : d <= 10                                           ? 1u << d
                                                                                    : 1u);
    });
  }
  auto const fixed = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4});
  auto const open = integrate(this->exec, Pagani{},
                              Expression::parse("exp(-10*(abs(x-1/2)+abs(y-1/2)+abs(z-1/2)"
                                                "+abs(w-1/2)+abs(v-1/2)))"),
                              Box<>(side, 5), {.relative = 1e-4});
  expect_converged(open, f5_truth, {.relative = 1e-4});
  EXPECT_NEAR(static_cast<double>(open.evaluations), static_cast<double>(fixed.evaluations),
              0.05 * static_cast<double>(fixed.evaluations));
}

TYPED_TEST(Cubatures, TwelveAndTwentyDimensionsWithinABudget) {
  std::vector<Side> const side{{0, 1}};
  Tolerance const tolerance{.relative = 1e-6};
  auto const result = integrate(this->exec, Pagani{}, bell, Box<>(side, 12), tolerance, {.evaluations = 300'000});
  EXPECT_EQ(result.status, Status::evaluation_limit);
  expect_honest(result, std::pow(bell_truth, 12), tolerance);
  auto const one = integrate(this->exec, Pagani{}, bell, Box<20>{}, tolerance, {.evaluations = 1'100'000});
  EXPECT_EQ(one.regions, 1u);
  expect_honest(one, std::pow(bell_truth, 20), tolerance);
}

TYPED_TEST(Cubatures, ExpressionsAreIntegrands) {
  auto const f = Expression::parse("exp(-x*y)");
  double const truth = 0.796599599297053134;
  this->expect_both(f, Box<2>{}, truth, {.relative = 1e-9});
  std::vector<Side> const side{{0, 1}};
  this->expect_both(f, Box<>(side, 2), truth, {.relative = 1e-9});
  EXPECT_THROW(integrate(this->exec, Pagani{}, f, Box<3>{}, {.relative = 1e-3}), InvalidArgument);
}

} // namespace
} // namespace cubature_test
