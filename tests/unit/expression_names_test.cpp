#include <kubature/expression.hpp>
#include <kubature/expressions.hpp>
#include <kubature/expressions_in_batches.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/plain_monte_carlo.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/substitution.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

/// Names of intermediate values, and chains of comparisons.
namespace expression_names_test {
namespace {

using namespace kubature;
using Points = std::vector<std::vector<double>>;

Points const points{{0.3, 0.4}, {0.75, 0.1}, {-1.5, 2.25}, {0.01, 0.99}};

/// Checks that both texts have the same values and terms, one by one and side by side.
void expect_same(std::string const& named, std::string const& written_out) {
  auto const f = Expression::parse(named, {"x", "y"}), g = Expression::parse(written_out, {"x", "y"});
  EXPECT_EQ(f.terms().size(), g.terms().size()) << named;
  for (auto const& x : points) {
    double const value = g(x);
    EXPECT_EQ(f(x), value) << named;
    double sum = 0;
    for (auto const& term : f.terms())
      sum += term(x);
    EXPECT_NEAR(sum, value, 1e-14 * std::abs(value)) << named;
  }
  Kokkos::DefaultHostExecutionSpace const exec;
  auto const on_host = f.on(exec), plain = g.on(exec);
  Point<double, 2> at[4];
  for (int w = 0; w < 4; ++w)
    for (int axis = 0; axis < 2; ++axis)
      at[w][axis] = points[static_cast<std::size_t>(w)][static_cast<std::size_t>(axis)];
  double values[4], expected[4];
  on_host.batch(at, values);
  plain.batch(at, expected);
  for (int w = 0; w < 4; ++w)
    EXPECT_EQ(values[w], expected[w]) << named;
  ASSERT_EQ(on_host.terms(), plain.terms());
  for (int k = 0; k < on_host.terms(); ++k) {
    on_host.batch(k, at, values);
    plain.batch(k, at, expected);
    for (int w = 0; w < 4; ++w) {
      EXPECT_EQ(values[w], expected[w]) << named << ", term " << k;
      EXPECT_EQ(on_host.term(k, at[w]), expected[w]) << named << ", term " << k;
    }
  }
}

TEST(ExpressionNames, StandForTheirValues) {
  expect_same("let r = sqrt(x^2 + y^2); exp(-r)/r", "exp(-sqrt(x^2 + y^2))/sqrt(x^2 + y^2)");
  expect_same("let a = x + y; let b = a^2; a*b + b - 2*sin(a)", "(x + y)*(x + y)^2 + (x + y)^2 - 2*sin(x + y)");
  expect_same("let a = 0.5; a*x + a", "0.5*x + 0.5");
  expect_same("let a = x; let b = a; b^2*a", "x^2*x");
  expect_same("let unused = 1/x; y + 2", "y + 2");
  expect_same("let d = x - y; if(d > 0, d, -d)", "if(x - y > 0, x - y, -(x - y))");
  expect_same("let d=x-y;d*d*d+sin(d)", "(x-y)*(x-y)*(x-y)+sin(x-y)");
}

TEST(ExpressionNames, AreNoVariables) {
  EXPECT_EQ(Expression::parse("let r = y; r").variables(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(Expression::parse("let a = x2; let c = a; c*x1").variables(), (std::vector<std::string>{"x1", "x2"}));
  EXPECT_EQ(Expression::parse("let*2", {"let"})(std::vector{3.0}), 6);
  EXPECT_EQ(Expression::parse("let z = x; z", {"x"})(std::vector{3.0}), 3); // z is no variable here
}

TEST(ExpressionNames, AreComputedOnce) {
  auto const parsed = Expression::parse("let r = exp(sin(x)); r + 1/(r + 2) + r*r");
  EXPECT_EQ(parsed.operation_count(), 7);
  std::string chain = "let a0 = x + 1.001", sums = "let s0 = sin(x)";
  for (int i = 1; i < 500; ++i) {
    auto const now = std::to_string(i), before = std::to_string(i - 1);
    chain += "; let a" + now + " = a" + before + "*a" + before + " - a" + before;
    sums += "; let s" + now + " = cos(s" + before + ")";
  }
  double a = 1.501;
  for (int i = 1; i < 500; ++i)
    a = a * a - a;
  auto const f = Expression::parse(chain + "; a499");
  EXPECT_EQ(f(std::vector{0.5}), a);
  EXPECT_LT(f.instruction_count(), 2000);
  EXPECT_EQ(f.operation_count(), 999);
  // More values than there are places, all needed to the end: what takes few steps is computed again.
  std::string many = "s0";
  for (int i = 1; i < 500; i += 50)
    many += "*s" + std::to_string(i);
  auto const g = Expression::parse(sums + "; " + many + " + " + many);
  double s = std::sin(0.5), product = s;
  for (int i = 1; i < 500; ++i) {
    s = std::cos(s);
    if (i % 50 == 1)
      product *= s;
  }
  EXPECT_DOUBLE_EQ(g(std::vector{0.5}), 2 * product);
}

TEST(ExpressionNames, ThatNeedTooManyPlacesAreRefused) {
  std::string text = "let a0 = sin(x)";
  for (int i = 1; i < 60; ++i) {
    text += "; let a" + std::to_string(i) + " = sin(x";
    for (int j = i; j-- > 0;)
      text += " + a" + std::to_string(j);
    text += ")";
  }
  try {
    static_cast<void>(Expression::parse(text + "; a59"));
    ADD_FAILURE() << "accepted";
  } catch (ExpressionError const& error) {
    EXPECT_NE(error.problem().find("too many intermediate results at once"), std::string::npos) << error.problem();
  }
}

TEST(ExpressionNames, ErrorsNameTheColumn) {
  struct Case {
    std::string text;
    int column;
    std::string problem;
  };
  std::vector<Case> const table{
      {"let x = 3; x", 5, "'x' is a variable"},
      {"let exp = 3; x", 5, "'exp' is a function"},
      {"let k1 = 3; x", 5, "'k1' is a function"},
      {"let pi = 3; x", 5, "'pi' is a constant"},
      {"let r = x; let r = 4; r", 16, "'r' is defined twice"},
      {"let r x; r", 7, "expected '=' after 'r', found 'x'"},
      {"let r == x; r", 7, "expected '=' after 'r', found '=='"},
      {"let r", 6, "expected '=' after 'r', found the end"},
      {"let r = 2*r; x", 11, "'r' is used in its own definition"},
      {"let a = b; let b = x; a", 9, "unknown name 'b'; variables are x1 to x1024, or x, y, z, w, v, u, t, s"},
      {"let r = x", 10, "expected ';' and a formula after the definition of 'r'"},
      {"let r = x;", 11, "expected a number, a variable, a function or '(', found the end"},
      {"let r = (x; r", 9, "this '(' is not closed"},
      {"let r = x; r; r", 13, "expected an operator, found ';'"},
      {"let r = 2; r", 1, "no variable, so no dimension: name the variables"},
      {"x < y == y < z == x", 16, "== and != cannot be chained: write a == b && b == c"},
      {"x < y <", 8, "expected a number, a variable, a function or '(', found the end"},
  };
  for (auto const& [text, column, problem] : table) {
    try {
      static_cast<void>(Expression::parse(text));
      ADD_FAILURE() << text << " was accepted";
    } catch (ExpressionError const& error) {
      EXPECT_EQ(error.problem(), "column " + std::to_string(column) + ": " + problem) << text;
    }
  }
}

TEST(ExpressionNames, OfSpecialFunctionsMayBeTheCallersVariables) {
  auto const f = Expression::parse("k1 + 2*beta", {"k1", "beta"});
  EXPECT_EQ(f(std::vector{1.0, 3.0}), 7);
  EXPECT_EQ(Expression::parse("k0(k1)", {"k1"})(std::vector{1.0}), Expression::parse("k0(x)")(std::vector{1.0}));
}

TEST(ExpressionNames, ServeSeveralFormulas) {
  auto const f = Expressions::parse("let r = hypot(x, y); exp(-r); let q = r*r; q*exp(-r)");
  EXPECT_EQ(f.size(), 2);
  EXPECT_EQ(f.dimension(), 2);
  for (auto const& [text, count] : std::vector<std::pair<std::string, int>>{{"x", 1},
                                                                            {"x; y", 2},
                                                                            {"let a = 1; x", 1},
                                                                            {" let\ta=1;x;let b = 3; y", 2},
                                                                            {"let*2; x", 2},
                                                                            {"let", 1},
                                                                            {"x;", 2}})
    EXPECT_EQ(Expressions::count(text), count) << text;
  auto const integral = [](Expressions const& formulas) {
    auto const settings = runtime::Settings("vegas+").set("evaluations", 2e4).set("iterations", 3);
    return runtime::Integrator(settings).integrate(formulas, Box<>{{0, 1}, {0, 1}});
  };
  auto const named = integral(f);
  auto const plain = integral(Expressions::parse("exp(-hypot(x, y)); hypot(x, y)*hypot(x, y)*exp(-hypot(x, y))"));
  EXPECT_EQ(named.value, plain.value);
  EXPECT_EQ(named.error, plain.error);
}

/// Eight stored values besides this many variables.
void expect_room_in_batches(int variables) {
  std::string definitions, formula = "x1";
  for (int i = 0; i < 8; ++i) {
    auto const name = "a" + std::to_string(i), x = "x" + std::to_string(variables - i);
    definitions += "let " + name + " = sin(" + x + "); ";
    formula += " + " + name + "*" + name + "*" + x;
  }
  auto const f = Expressions::parse(definitions + formula + "; x" + std::to_string(variables));
  auto const g = Expression::parse(definitions + formula);
  using Space = Kokkos::DefaultHostExecutionSpace;
  Space const exec;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> at("test::points", 5, variables), values("test::values", 5, 2);
  for (int i = 0; i < 5; ++i)
    for (int axis = 0; axis < variables; ++axis)
      at(i, axis) = std::cos(3 * i + axis);
  ExpressionsInBatches<Space>(exec, f)(exec, at, values);
  exec.fence();
  for (int i = 0; i < 5; ++i) {
    std::vector<double> x;
    for (int axis = 0; axis < variables; ++axis)
      x.push_back(at(i, axis));
    EXPECT_EQ(values(i, 0), g(x));
    EXPECT_EQ(values(i, 1), x.back());
  }
}

TEST(ExpressionNames, HaveRoomInBatches) {
  expect_room_in_batches(20);
  expect_room_in_batches(21);
  expect_room_in_batches(1024);
}

TEST(ExpressionNames, InTermsOfMixedPrecision) {
  auto const value = [](std::string const& text) {
    MixedPrecision const method{.evaluations = 100'000, .iterations = 2};
    return integrate(method, Expression::parse(text), Box<2>{});
  };
  auto const named = value("let r = hypot(x, y); let q = sin(r); exp(-r)*q + q*q + 1e-3*cos(r)*r");
  auto const plain = value("exp(-hypot(x, y))*sin(hypot(x, y)) + sin(hypot(x, y))*sin(hypot(x, y)) + "
                           "1e-3*cos(hypot(x, y))*hypot(x, y)");
  EXPECT_NEAR(named.value, plain.value, 1e-12 + 5 * plain.error);
  EXPECT_GT(named.error, 0);
}

TEST(ExpressionNames, HideNoPoles) {
  auto const f = Expression::parse("let d = 1 - x; let c = 0.25; d^-0.9*y + abs(y - c)^-0.5");
  Box<> const box{{0, 1}, {0, 1}};
  auto const other = without_poles(f, box);
  ASSERT_TRUE(other);
  auto const plain = without_poles(Expression::parse("(1 - x)^-0.9*y + abs(y - 0.25)^-0.5"), box);
  ASSERT_TRUE(plain);
  EXPECT_EQ(other->pieces, plain->pieces);
  for (auto const& x : Points{{0.3, 0.4}, {1e-8, 0.1}, {0.9, 1e-9}})
    EXPECT_NEAR(other->integrand(x), plain->integrand(x), 1e-14 * plain->integrand(x));
}

TEST(ExpressionChains, MeanThatAllHold) {
  expect_same("0 < x < y <= 1", "0 < x && x < y && y <= 1");
  expect_same("1 > x + y >= x*y", "1 > x + y && x + y >= x*y");
  expect_same("0 < x == y < 1 <= 2", "(0 < x) == (y < 1 && 1 <= 2)");
  expect_same("if(0 < hypot(x, y) < 1, hypot(x, y), 3) + 1",
              "if(0 < hypot(x, y) && hypot(x, y) < 1, hypot(x, y), 3) + 1");
  expect_same("(0 < x) < y", "if(0 < x, 1, 0) < y");
  expect_same("-2 < -x^2 + 1 < y < 3 && x > 0", "(-2 < 1 - x^2 && 1 - x^2 < y && y < 3) && x > 0");
  EXPECT_EQ(Expression::parse("0 < exp(x) < 1").operation_count(), 4);
}

} // namespace
} // namespace expression_names_test
