#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace expression_columns_test {
namespace {

using namespace kubature;
using Space = Kokkos::DefaultHostExecutionSpace;
using Formula = DeviceExpression<Space::memory_space>;

/// A formula that takes points one after another, side by side only within the call.
struct ByPoints {
  Formula f;
  int dimension() const { return f.dimension(); }
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return f(x);
  }
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&value)[W]) const {
    f.batch(x, value);
  }
};
static_assert(detail::EvaluatesColumns<Formula, double, 32> && !detail::EvaluatesColumns<ByPoints, double, 32>);

template <class Method>
void expect_equal(Method const& method, Formula const& f, Box<dynamic> const& box, std::string const& text) {
  Limits const limits{.evaluations = 300'000};
  auto const columns = integrate(Space(), method, f, box, {.relative = 1e-5}, limits),
             points = integrate(Space(), method, ByPoints{f}, box, {.relative = 1e-5}, limits);
  std::string const name = text + " by " + std::string(Described<Method>::type);
  EXPECT_EQ(columns.evaluations, points.evaluations) << name;
  EXPECT_EQ(columns.regions, points.regions) << name;
  EXPECT_EQ(columns.value, points.value) << name;
  EXPECT_EQ(columns.error, points.error) << name;
  EXPECT_EQ(columns.non_finite, points.non_finite) << name;
  EXPECT_TRUE(std::isfinite(columns.value)) << name;
}

void expect_equal(std::string const& text, std::vector<std::string> const& names, std::vector<double> const& lower,
                  std::vector<double> const& upper) {
  Box<dynamic> const box(lower, upper);
  auto const f = Expression::parse(text, names).on(Space());
  auto const discard = NonFinite::discard;
  expect_equal(PlainMonteCarlo<>{.evaluations = 20'001, .iterations = 2, .non_finite = discard}, f, box, text);
  expect_equal(MCubes<>{.evaluations = 20'000, .iterations = 4, .skip = 0, .non_finite = discard}, f, box, text);
  expect_equal(VegasPlus<>{.evaluations = 20'000, .iterations = 6, .non_finite = discard}, f, box, text);
  expect_equal(QuasiMonteCarlo<>{.evaluations = 20'000, .non_finite = discard}, f, box, text);
  expect_equal(Pagani<>{.non_finite = discard}, f, box, text);
}

TEST(ExpressionColumns, HaveTheBitsOfPoints) {
  expect_equal("exp(-x*y) + x^3/(1 + abs(y - 0.3))", {"x", "y"}, {0, -1}, {1, 2});
  expect_equal("let r = x*y + z; r*exp(-r) + sin(r)/(1 + r^2)", {"x", "y", "z"}, {0, 0, 0}, {1, 2, 3});
}

TEST(ExpressionColumns, AreMappedFromInfiniteSides) {
  expect_equal("exp(-x^2 - y^2)", {"x", "y"}, {-INFINITY, 0}, {INFINITY, INFINITY});
}

TEST(ExpressionColumns, ShowWhereValuesAreNotFinite) {
  expect_equal("sqrt(x - 0.3) + y", {"x", "y"}, {0, 0}, {1, 1});
  auto const f = Expression::parse("sqrt(x - 0.3) + y", {"x", "y"}).on(Space());
  Box<dynamic> const box(std::vector<double>{0, 0}, std::vector<double>{1, 1});
  PlainMonteCarlo<> const method{.evaluations = 20'000, .iterations = 1, .non_finite = NonFinite::discard};
  auto const result = integrate(Space(), method, f, box);
  EXPECT_NEAR(static_cast<double>(result.non_finite), 6'000, 5 * std::sqrt(20'000 * 0.3 * 0.7));
}

} // namespace
} // namespace expression_columns_test
