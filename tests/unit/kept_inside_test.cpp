#include "spaces.hpp"

#include <kubature/detail/call/kept_inside.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

/// Integrands that are evaluated in a coarser format than that of their points.
namespace kept_inside_test {
namespace {

using namespace kubature;

struct Product {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real product = x[0];
    for (int i = 1; i < D; ++i)
      product *= x[i];
    return product;
  }
};
struct Decay {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::exp(-x[0]);
  }
};

using FloatOfDouble = Precision<double, float, double>;

TEST(KeptInside, MovesPointsFromTheEnds) {
  Box<2> const box{{0, 1}, {-2, -1}};
  auto const f = detail::kept_inside<FloatOfDouble>(Product{}, box, std::source_location::current());
  Point<float, 2> x;
  x[0] = 1, x[1] = -2;
  auto const value = f(x);
  EXPECT_LT(value, 0);
  EXPECT_GT(value, -2);
  EXPECT_NEAR(value, -2, 2 * 3 * std::numeric_limits<float>::epsilon());
  x[0] = 0.25f, x[1] = -1.5f;
  EXPECT_EQ(f(x), Product{}(x));
}

TEST(KeptInside, IsTheIntegrandWhereFormatsAreEqual) {
  static_assert(std::is_same_v<decltype(detail::kept_inside<Fp64>(Product{}, Box<2>{}, {})), Product>);
  static_assert(std::is_same_v<decltype(detail::kept_inside<Fp32>(Product{}, Box<2>{}, {})), Product>);
}

TEST(KeptInside, RefusesSidesWithoutNumbers) {
  Box<1> const narrow{{1e6, 1e6 + 1e-3}};
  EXPECT_THROW(detail::kept_inside<FloatOfDouble>(Product{}, narrow, std::source_location::current()), InvalidArgument);
}

template <class Space>
struct HalfPrecision : testing::Test {
  Space exec{};

  /// Within some standard errors, of at most 8e-4, and the rounding of the values. What is left out near upper ends
  /// would be 1e-2 of the first integral.
  template <class F, int D>
  void expect_mean(F const& f, Box<D> const& box, double truth) {
    auto const check = [&](auto const& method, char const* name) {
      auto const result = integrate(exec, method, f, box, {}, {});
      EXPECT_NEAR(result.value, truth, 3e-3 * std::abs(truth)) << name << ": " << result;
    };
    check(PlainMonteCarlo<Fp16>{.evaluations = 2'000'000}, "plain");
    check(MCubes<Fp16>{.evaluations = 200'000, .iterations = 10}, "mcubes");
    check(VegasPlus<Fp16>{.evaluations = 200'000, .iterations = 10}, "vegas+");
    check(QuasiMonteCarlo<Fp16>{.evaluations = 1'000'000}, "qmc");
  }
};

TYPED_TEST_SUITE(HalfPrecision, spaces::All, spaces::Names);

TYPED_TEST(HalfPrecision, SeesAllOfTheBox) {
  this->expect_mean(Product{}, Box<3>{}, 0.125);
  this->expect_mean(Product{}, Box<2>{{-2, -1}, {-1, 0}}, 0.75);
}

TYPED_TEST(HalfPrecision, SeesAllOfAnInfiniteSide) {
  this->expect_mean(Decay{}, Box<1>{{0, std::numeric_limits<double>::infinity()}}, 1);
}

} // namespace
} // namespace kept_inside_test
