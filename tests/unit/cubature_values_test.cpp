#include "cubatures.hpp"
#include "tools.hpp"

#include <kubature/suite/suite.hpp>
#include <kubature/tuning.hpp>

#include <cmath>
#include <string>
#include <vector>

/// \file
/// Constants, peaks that may be missed, and values that are not finite.

namespace cubature_values_test {
namespace {

using namespace kubature;
using namespace cubatures;

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

} // namespace
} // namespace cubature_values_test
