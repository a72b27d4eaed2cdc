#include <kubature/automatic.hpp>
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace points_expressions_test {
namespace {

using namespace kubature;

/// An expression that is huge on the border.
TEST(PointsOfExpressions, LieInside) {
  auto const expect = [](auto const& method, double least) {
    auto const f = Expression::parse("if(x >= 0 || x <= -1 || y <= 0 || y >= 3, 1e30, 1/sqrt(-x*y))");
    auto const result = integrate(method, f, Box<2>{{-1, 0}, {0, 3}}, {.relative = 1e-6}, {.evaluations = 300'000});
    EXPECT_LT(result.value, 1e6) << Described<std::remove_cvref_t<decltype(method)>>::type;
    EXPECT_GT(result.value, least);
  };
  expect(PlainMonteCarlo<>{.evaluations = 20'000}, 6);
  expect(PlainMonteCarlo<Fp32>{.evaluations = 20'000}, 6);
  expect(MCubes<>{.evaluations = 20'000}, 6);
  expect(VegasPlus<>{.evaluations = 20'000}, 6);
  expect(VegasPlus<Fp32>{.evaluations = 20'000}, 6);
  expect(QuasiMonteCarlo<>{.evaluations = 20'000}, 6);
  expect(QuasiMonteCarlo<Fp32>{.evaluations = 20'000}, 6);
  expect(Pagani<>{}, 6);
  expect(TwoPhase<>{}, 6);
  expect(MixedPrecision<>{.evaluations = 20'000}, 6);
  expect(Auto<>{}, 6);
}

} // namespace
} // namespace points_expressions_test
