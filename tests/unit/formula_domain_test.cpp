#include "refused_text.hpp"

#include <kubature/formula_domain.hpp>
#include <kubature/integrate.hpp>
#include <kubature/pagani.hpp>
#include <kubature/runtime/integrator.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

/// Domains that are known at run time, as formulas.
namespace formula_domain_test {
namespace {

using namespace kubature;
using std::numbers::pi;

Result<> integral(std::string const& formula, std::string const& text, std::string const& breaks = "",
                  char const* method = "pagani", char const* relative = "1e-9") {
  auto const domain = FormulaDomain::parse(text, {}, breaks);
  return runtime::Integrator(runtime::Settings(method).set("relative", relative).set("max_evaluations", "3e7"))
      .integrate(Expression::parse(formula, domain.variables()), domain);
}

struct Known {
  std::string domain, formula;
  double value;
};

struct Squares {
  BatchPoints<Kokkos::DefaultExecutionSpace> x;
  BatchValues<Kokkos::DefaultExecutionSpace> to;
  KOKKOS_FUNCTION void operator()(int k) const { to(k, 0) = x(k, 0) * x(k, 0); }
};

TEST(FormulaDomain, HasTheVolumesAndMomentsThatAreKnown) {
  for (auto const& [domain, formula, value] :
       std::vector<Known>{{"x=0:1,y=0:x", "x*y", 1 / 8.0},
                          {"x=0:1, y=0:1-x, z=0:1-x-y", "1", 1 / 6.0},
                          {"x=0:1,y=0:sqrt(1-x^2)", "1", pi / 4},
                          {"x=0:1,y=-sqrt(1-x^2):sqrt(1-x^2)", "y^2*x", 2 / 15.0},
                          {"x=0:1,y=x:0", "y", -1 / 6.0},
                          {"x=-1:1,y=0:x", "1 + x", 2 / 3.0}, // signed where x < 0
                          {"x=0:inf,y=x:inf", "exp(-x-y)", 0.5},
                          {"x=-inf:inf,y=-inf:-x", "exp(-x^2+y)", std::sqrt(pi) * std::exp(0.25)},
                          {"ball 1,0,0 2", "x1^2", 4 * pi / 3 * 8 * (1 + 4 / 5.0)},
                          {"ball 1 2", "x1^2", 28 / 3.0},
                          {"ball 0,0 1", "let r = sqrt(x1^2+x2^2); exp(-r)/r", 2 * pi * (1 - std::exp(-1))},
                          {"x=0:1,y=0:x", "let s = x+y; s*s", 7 / 12.0},
                          {"ball 0,0,0,0 1", "1", pi * pi / 2},
                          {"shell 0,0,0 1/2 1", "1", 4 * pi / 3 * 7 / 8},
                          {"sphere 0,0,0 2", "x3^2", 4 * pi * 16 / 3},
                          {"sphere 1,0 1", "x1", 2 * pi},
                          {"ellipsoid 0,0 2,1", "x1^2", 2 * pi},
                          {"cylinder 0,0 1 0:2", "x3", 2 * pi},
                          {"cylinder 0,0 1 0:inf", "exp(-x3)", pi},
                          {"simplex 3", "x1 + x2 + x3", 1 / 8.0},
                          {"simplex 0,0; 2,0; 0,1", "x1", 2 / 3.0},
                          {"simplex 1,1,1; 1,1,2; 1,3,1; 0,1,1", "1", 1 / 3.0},
                          {"ordered 0:1 3", "x1*x2*x3", 1 / 48.0},
                          {"ordered 1:2 2", "1", 1 / 2.0},
                          {"ordered 0:inf 3", "exp(-x1-x2-x3)", 1 / 6.0},
                          {"ordered -inf:0 2", "exp(x1+x2)", 1 / 2.0}}) {
    auto const result = integral(formula, domain);
    EXPECT_EQ(result.status, Status::converged) << domain;
    EXPECT_NEAR(result.value, value, 3e-9 * std::abs(value)) << formula << " over " << domain;
  }
}

TEST(FormulaDomain, ServesEveryMethod) {
  for (auto const* method : {"auto", "pagani", "vegas+", "qmc", "mcubes", "mc", "two-phase"})
    for (auto const& [domain, formula, value] : std::vector<Known>{{"x=0:1,y=0:x", "exp(y)", std::exp(1) - 2},
                                                                   {"ball 0,0,0 1", "x1^2", 4 * pi / 15},
                                                                   {"simplex 2", "x1", 1 / 6.0}}) {
      auto const result = integral(formula, domain, "", method, "1e-3");
      EXPECT_EQ(result.status, Status::converged) << method << ", " << domain;
      EXPECT_NEAR(result.value, value, 5e-3 * value) << method << ", " << domain;
    }
}

/// Whatever a formula consists of, it has the Jacobian times the value of its text.
TEST(FormulaDomain, KeepsTheMeaningOfFormulas) {
  std::vector<std::string> formulas{"if(x < y && !(y == 0.5) || x >= 3, x^3 - y, 1/x)",
                                    "-x^-2*2^y*y^0.5/(1+x)^-0.5",
                                    "x^7*exp(x)*exp(-x*y)/exp(y)",
                                    "if(x > 10, 1, if(y != x, y, -x))",
                                    "1e-3*x - -2.5*y",
                                    "(x <= 0.5) + (x > y)*3",
                                    "let r = hypot(x, y); let q = exp(-r); q/r + q^2 - r",
                                    "let r = x; let s = 2; r^s*y",
                                    "0 < x < y <= 1",
                                    "(0 < x^2 + y <= 1 + x)*x"};
  for (auto const& [name, arguments] : Expression::functions())
    if (arguments <= 2)
      formulas.push_back(std::string(name) + (arguments == 1 ? "(0.3+0.5*x)" : "(0.3+0.5*x, y)"));
  auto const triangle = FormulaDomain::parse("x=0:1,y=x/2:x+1");
  std::vector<double> const v{0.37, 0.6}, x = triangle.original(v);
  EXPECT_EQ(x[0], 0.37);
  EXPECT_NEAR(x[1], 0.4 * 0.185 + 0.6 * 1.37, 1e-15);
  double const jacobian = 1.37 - 0.185;
  for (auto const& formula : formulas) {
    auto const f = Expression::parse(formula, {"x", "y"});
    double const found = triangle.on(f)(v), expected = jacobian * f(x);
    EXPECT_TRUE(std::abs(found - expected) <= 1e-14 * (1 + std::abs(expected)) ||
                (std::isnan(found) && std::isnan(expected)))
        << formula << ": " << found << ", not " << expected;
  }
}

TEST(FormulaDomain, EvaluatesEachCoordinateOnce) {
  auto const ball = FormulaDomain::parse("ball 0,0,0 1", {"x", "y", "z"});
  auto const once = ball.on(Expression::parse("exp(x)", {"x", "y", "z"})),
             often = ball.on(Expression::parse("exp(x)*(1+x)*(2+x)*(3+x)*(4+x)", {"x", "y", "z"}));
  EXPECT_LE(often.instruction_count(), once.instruction_count() + 12);
}

/// A box with names, and one without formulas, is the box itself.
TEST(FormulaDomain, LeavesConstantSidesAlone) {
  auto const named = FormulaDomain::parse("a=0:1, b=-inf:pi/2");
  EXPECT_TRUE(named.is_box());
  EXPECT_EQ(named.variables(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(named.box()[1], (Side{-infinity, pi / 2}));
  auto const f = Expression::parse("exp(a*b)/(1+b^2)", {"a", "b"});
  EXPECT_EQ(named.on(f).text(), f.text());
  runtime::Integrator one(runtime::Settings("vegas+").set("evaluations", "1e4")),
      other(runtime::Settings("vegas+").set("evaluations", "1e4"));
  EXPECT_EQ(one.integrate(f, named).value, other.integrate(f, Box<>{{0, 1}, {-infinity, pi / 2}}).value);
  // A side of constants remains a side of the new box where another depends on it.
  EXPECT_EQ(FormulaDomain::parse("x=0:inf,y=x:inf").box()[0], (Side{0, infinity}));
}

TEST(FormulaDomain, CutsSides) {
  for (auto const& [domain, breaks, formula, value, pieces] :
       std::vector<std::tuple<std::string, std::string, std::string, double, int>>{
           {"0:1", "x1=0.3,0.7", "abs(x1-0.3)+abs(x1-0.7)", 0.58, 3},
           {"x=0:inf,y=0:1", "x=2, y=1/2", "exp(-abs(x-2))*abs(y-0.5)", (2 - std::exp(-2)) / 4, 4},
           {"x=-inf:inf", "x=-1,1", "exp(-abs(x))*(abs(x) < 1)", 2 - 2 * std::exp(-1), 3},
           {"x=0:1,y=0:x", "y=0.5", "abs(y-0.5)", 1 / 8.0, 2},
           {"x=0:1,y=x:0", "y=0.5", "abs(y-0.5)", -1 / 8.0, 2},
           {"x=0:1", "x=0.3", "abs(x-0.3)^-0.5", 2 * std::sqrt(0.3) + 2 * std::sqrt(0.7), 2}}) {
    EXPECT_EQ(FormulaDomain::parse(domain, {}, breaks).pieces(), pieces);
    auto const result = integral(formula, domain, breaks, "auto");
    EXPECT_EQ(result.status, Status::converged) << domain << ", " << breaks;
    EXPECT_NEAR(result.value, value, 3e-9) << domain << ", " << breaks;
  }
}

/// Evaluations are those of the formula, points those of the domain.
TEST(FormulaDomain, ReportsInTheVariablesOfTheDomain) {
  auto const domain = FormulaDomain::parse("x=0:1,y=0:x/2", {}, "x=0.25,0.5,0.75");
  std::uint64_t shown = 0;
  runtime::Integrator integrator(runtime::Settings("mc").set("evaluations", "4000").set("iterations", "2"));
  auto const result =
      integrator.integrate(Expression::parse("x*y", domain.variables()), domain, [&](Progress const& progress) {
        shown = progress.evaluations;
        return true;
      });
  EXPECT_EQ(result.evaluations % 4, 0U);
  EXPECT_GE(result.evaluations, 4 * 8000U);
  EXPECT_EQ(shown, 4 * 8000U);
  auto const limited =
      integrator.integrate(Expression::parse("x*y", domain.variables()), domain, {}, {.evaluations = 16000});
  EXPECT_LE(limited.evaluations, 16000U);
  auto const pole = integral("log(y-x)", "x=0:1,y=0:x/2");
  EXPECT_EQ(pole.status, Status::non_finite);
  ASSERT_EQ(pole.non_finite_at.size(), 2U);
  EXPECT_LE(pole.non_finite_at[1], pole.non_finite_at[0] / 2);
}

TEST(FormulaDomain, TakesSeveralFormulasAndFunctions) {
  auto const disc = FormulaDomain::parse("ball 0,0 1", {"x", "y"});
  runtime::Integrator vegas(runtime::Settings("vegas+").set("evaluations", "1e5"));
  auto const several = vegas.integrate(Expressions::parse("1; x^2; y"), disc);
  EXPECT_NEAR(several.value[0], pi, 6 * several.error[0]);
  EXPECT_NEAR(several.value[1], pi / 4, 6 * several.error[1]);
  EXPECT_NEAR(several.value[2], 0, 6 * several.error[2]);
  auto const named = vegas.integrate(Expressions::parse("let r = hypot(x, y); r; let q = r^2; q + r"), disc);
  EXPECT_NEAR(named.value[0], 2 * pi / 3, 6 * named.error[0]);
  EXPECT_NEAR(named.value[1], 2 * pi / 3 + pi / 2, 6 * named.error[1]);

  using Space = Kokkos::DefaultExecutionSpace;
  runtime::BatchFunction const square = [](Space const& exec, BatchPoints<Space> const& x,
                                           BatchValues<Space> const& to) {
    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(exec, 0, static_cast<int>(x.extent(0))), Squares{x, to});
  };
  runtime::Integrator pagani(runtime::Settings("pagani").set("relative", "1e-9"));
  EXPECT_NEAR(pagani.integrate(square, disc).value, pi / 4, 1e-8);
  EXPECT_NEAR(pagani.integrate(square, FormulaDomain::parse("x=0:1,y=0:x", {}, "x=0.5")).value, 0.25, 1e-9);
}

TEST(FormulaDomain, IsAnIntegrandOfTheTemplates) {
  auto const triangle = kubature::FormulaDomain::parse("x=0:1, y=0:x");
  auto const f = triangle.on(kubature::Expression::parse("exp(x*y)", {"x", "y"}));
  auto const result = kubature::integrate(kubature::Pagani{}, f, triangle.box(), {.relative = 1e-8});
  EXPECT_NEAR(result.value, 0.6589510757, 1e-8);
}

/// Bad input is named, in one sentence.
TEST(FormulaDomain, RefusesWhatIsNone) {
  refused_text::expect_refused({{"x=0:1,y=0:q", "", "box", "unknown name 'q'"},
                                {"x=0:y,y=0:1", "", "box", "declared after x"},
                                {"x=0:x", "", "box", "x itself"},
                                {"x=1:0", "", "box", "below the upper bound"},
                                {"x=0:1,0:1", "", "box", "all sides or none"},
                                {"x=0:1,x=0:1", "", "box", "given twice"},
                                {"x=0:1,y=inf:x", "", "box", "may be -inf"},
                                {"x=0", "", "box", "lower:upper"},
                                {"0:q", "", "box", "not a bound"},
                                {"x=0:1", "x=1", "breaks", "no piece is empty"},
                                {"x=0:1", "x=0.5,0.5", "breaks", "given twice"},
                                {"x=0:1", "y=0.5", "breaks", "not a variable"},
                                {"x=0:1", "0.5", "breaks", "are written"},
                                {"x=0:1", "x=inf", "breaks", "not a finite number"},
                                {"ball 0,0 1", "x=0.5", "breaks", "sides of a box"},
                                {"ball 0,0 0", "", "domain", "must be above 0"},
                                {"ball 0,0", "", "domain", "CENTRE RADIUS"},
                                {"ball 0,q 1", "", "domain", "'q' is not a number"},
                                {"cube 0 1", "", "domain", "no such shape"},
                                {"shell 0,0 1 0.5", "", "domain", "inner radius"},
                                {"sphere 0 1", "", "domain", "at least 2"},
                                {"ellipsoid 0,0 1", "", "domain", "give as many"},
                                {"cylinder 0,0 1 2:1", "", "domain", "below the upper"},
                                {"simplex", "", "domain", "number of variables"},
                                {"simplex 21", "", "domain", "1 to 20"},
                                {"simplex 0,0; 1,1; 2,2", "", "domain", "degenerate"},
                                {"simplex 0.1,0.2; 0.2,1; 0.4,2.6", "", "domain", "degenerate"},
                                {"simplex 0,0; 1,1", "", "domain", "vertices need 1"},
                                {"ordered -inf:inf 2", "", "domain", "finite"}});
  EXPECT_THROW(FormulaDomain::parse("ball 0,0 1", {"x", "y", "z"}), InvalidArgument);
  EXPECT_THROW(FormulaDomain::parse("ball 0,0 1", {"a"}), InvalidArgument);
  EXPECT_THROW(FormulaDomain::parse("ball 0,0 1").on(Expression::parse("x3")), ExpressionError);
}

} // namespace
} // namespace formula_domain_test
