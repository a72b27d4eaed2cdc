#include <kubature/expression.hpp>
#include <kubature/mcubes.hpp>
#include <kubature/pagani.hpp>
#include <kubature/plain_monte_carlo.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/vegas_plus.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

/// Expressions are evaluated in batches (detail::EvaluatesSideBySide); a functor of the same formula is not. Both draw
/// the same points.
namespace expression_batch_test {

using namespace kubature;

struct Formula {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::exp(x[0] * x[1]) + Kokkos::sqrt(x[2]) / (Real(1) + x[0]);
  }
};
struct Decaying {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::exp(x[0] * x[1] - x[2]) / (Real(1) + x[0]);
  }
};
std::string const formula = "exp(x*y) + sqrt(z)/(1 + x)";

static_assert(detail::EvaluatesSideBySide<DeviceExpression<Kokkos::HostSpace>, float, 3, 4>);
static_assert(!detail::EvaluatesSideBySide<DeviceExpression<Kokkos::HostSpace>, double, 3, 1>);
static_assert(!detail::EvaluatesSideBySide<Formula, double, 3, 4>);

template <class Method, int D>
void expect_same(Method const& method, Box<D> const& box, double relative) {
  auto const functor = integrate(method, Formula{}, box);
  auto const expression = integrate(method, Expression::parse(formula), box);
  EXPECT_EQ(functor.evaluations, expression.evaluations);
  EXPECT_NEAR(expression.value, functor.value, relative * functor.value);
  EXPECT_NEAR(expression.error, functor.error, 100 * relative * functor.error);
  EXPECT_GT(functor.error, 0);
}

TEST(ExpressionBatch, GivesWhatTheFunctorGives) {
  for (std::uint64_t const evaluations : {2, 33, 1003, 123'457}) { // full batches, and batches with empty places
    expect_same(PlainMonteCarlo{.evaluations = evaluations, .iterations = 2}, Box<3>{}, 1e-13);
    expect_same(PlainMonteCarlo{.evaluations = evaluations, .precision = fp32}, Box<3>{}, 1e-6);
  }
  expect_same(PlainMonteCarlo{.evaluations = 1003}, Box<3>{{0, 1}, {0, 1}, {0, infinity}}, 1e-13);
  expect_same(PlainMonteCarlo{.evaluations = 1003}, Box<>{{0, 1}, {0, 2}, {0, 1}}, 1e-13);
  expect_same(MCubes{.evaluations = 20'003}, Box<3>{}, 1e-10);
  expect_same(VegasPlus{.evaluations = 20'003}, Box<3>{}, 1e-10);
}

/// Cubature adds the values in the order in which it would add them one point after the other.
TEST(ExpressionBatch, GivesCubatureWhatTheFunctorGives) {
  for (double const relative : {1e-3, 1e-9}) {
    Box<3> const box{{0, 1}, {0, 1}, {0, infinity}};
    Pagani<> const method{};
    auto const functor = integrate(method, Decaying{}, box, {.relative = relative});
    auto const expression = integrate(method, Expression::parse("exp(x*y - z)/(1 + x)"), box, {.relative = relative});
    EXPECT_EQ(functor.evaluations, expression.evaluations);
    EXPECT_EQ(functor.regions, expression.regions);
    EXPECT_NEAR(expression.value, functor.value, 1e-13 * functor.value);
    EXPECT_NEAR(expression.error, functor.error, 1e-6 * functor.error);
  }
}

/// The library's programs know the number of variables only at run time; a GPU then samples with kernels for a known
/// number (detail::at_dimension).
TEST(ExpressionBatch, GivesTheSameWhereTheNumberOfVariablesIsKnownAtRunTime) {
  Box<> const any{{0, 1}, {0, 2}, {-1, infinity}};
  Box<3> const box(any);
  auto const f = Expression::parse("exp(-x*y - z)");
  auto const compare = [&](char const* name, auto const& method, double epsilons) {
    SCOPED_TRACE(name);
    auto const known = integrate(method, f, box);
    auto const named =
        runtime::Integrator(runtime::Settings(name).set("evaluations", method.evaluations)).integrate(f, any);
    EXPECT_EQ(named.evaluations, known.evaluations);
    EXPECT_NEAR(named.value, known.value, epsilons * Kokkos::Experimental::epsilon_v<double> * known.value);
    EXPECT_NEAR(named.error, known.error, 1e-9 * epsilons * known.error);
    EXPECT_GT(known.error, 0);
  };
  compare("vegas+", VegasPlus{.evaluations = 20'003}, 0);
  compare("mcubes", MCubes{.evaluations = 20'003}, 0);
  compare("qmc", QuasiMonteCarlo{.evaluations = 1 << 14}, 16);
  Tolerance const tolerance{.relative = 1e-6};
  auto const known = integrate(Pagani{}, f, box, tolerance);
  auto const named = runtime::Integrator(runtime::Settings("pagani").set("relative", 1e-6)).integrate(f, any);
  EXPECT_EQ(named.regions, known.regions);
  EXPECT_NEAR(named.value, known.value, 16 * Kokkos::Experimental::epsilon_v<double> * known.value);
}

TEST(ExpressionBatch, CountsTheValuesThatAreNotFinite) {
  PlainMonteCarlo method{.evaluations = 1003, .iterations = 1, .non_finite = NonFinite::discard};
  auto const result = integrate(method, Expression::parse("if(x < 0.25, log(-1 - x), 2)"), Box<1>{});
  EXPECT_NEAR(static_cast<double>(result.non_finite), 251, 60);
  EXPECT_DOUBLE_EQ(result.value, 2 * (1 - static_cast<double>(result.non_finite) / 1003));
  method.non_finite = NonFinite::error;
  EXPECT_EQ(integrate(method, Expression::parse("log(-1 - x)"), Box<1>{}).non_finite, 1003u);
}

} // namespace expression_batch_test
