#include "refused_text.hpp"

#include <kubature/derivatives.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

/// Derivatives of formulas with respect to parameters.
namespace derivatives_test {
namespace {

using kubature::ExpressionError;
using kubature::Expressions;
using kubature::with_derivatives;
using kubature::with_parameters;

/// The values of up to four formulas.
Kokkos::Array<double, 4> values(Expressions const& formulas, double x) {
  kubature::Point<double, 1> at;
  at[0] = x;
  return formulas.components<4>().on(Kokkos::DefaultHostExecutionSpace())(at);
}

double value(std::string const& text, double x, double a) {
  return values(with_parameters(text, {"x"}, {{"a", a}}), x)[0];
}

/// A central difference of sixth order, and how much it differs from that of half the step.
struct Difference {
  double slope, change;
};

double difference(std::string const& text, double x, double a, double h) {
  auto const pair = [&](double step) { return value(text, x, a + step) - value(text, x, a - step); };
  return (45 * pair(h) - 9 * pair(2 * h) + pair(3 * h)) / (60 * h);
}

Difference difference(std::string const& text, double x, double a) {
  double const coarse = difference(text, x, a, 2e-3), fine = difference(text, x, a, 1e-3);
  return {fine, std::abs(fine - coarse)};
}

/// Whether the derivative could be compared.
bool compare(std::string const& text, double x, double a) {
  auto const found = values(with_derivatives(text, {"x"}, {{"a", a}}), x);
  EXPECT_DOUBLE_EQ(found[0], value(text, x, a)) << text;
  auto const [slope, change] = difference(text, x, a);
  double const scale = std::abs(slope) + std::abs(found[0]);
  if (!(change <= 1e-8 * scale))
    return false;
  double const rounding = 1e-16 / 1e-3; // of numbers about 1, over the step
  EXPECT_NEAR(found[1], slope, 2 * change + 1e-10 * scale + 8 * rounding) << text << " at " << x << ", a = " << a;
  return true;
}

TEST(Derivatives, EveryFunction) {
  for (auto const* text : {"abs(a-x)",
                           "min(a*x, x^2)",
                           "max(a, x)",
                           "fdim(a, x)",
                           "exp(a*x)",
                           "exp2(a*x)",
                           "expm1(a*x)",
                           "log(a+x)",
                           "log2(a*x)",
                           "log10(a*x)",
                           "log1p(a*x)",
                           "a^x",
                           "x^a",
                           "(a*x)^3",
                           "(a+x)^-2",
                           "(a*x)^2",
                           "sqrt(a+x)",
                           "rsqrt(a+x)",
                           "cbrt(a*x)",
                           "hypot(a, x)",
                           "hypot(x, a)",
                           "sin(a*x)",
                           "cos(a*x)",
                           "tan(a*x)",
                           "asin(a*x/9)",
                           "acos(a*x/9)",
                           "atan(a*x)",
                           "atan2(a, x)",
                           "atan2(x, a)",
                           "sinh(a*x)",
                           "cosh(a*x)",
                           "tanh(a*x)",
                           "asinh(a*x)",
                           "acosh(1+a*x)",
                           "atanh(a*x/9)",
                           "erf(a*x)",
                           "erfc(a*x)",
                           "gamma(a+x)",
                           "lgamma(a*x)",
                           "erfcx(a*x)",
                           "normpdf(a*x)",
                           "normcdf(a*x)",
                           "norminv(a*x/9)",
                           "beta(a, x)",
                           "beta(x, a)",
                           "li2(a*x/9)",
                           "li2(-a*x)",
                           "li2(1+a*x)",
                           "sinc(a*x)",
                           "sinc(a*x/9)",
                           "j0(a*x)",
                           "j1(a*x)",
                           "y0(a*x)",
                           "y1(a*x)",
                           "i0(a*x)",
                           "i1(a*x)",
                           "k0(a*x)",
                           "k1(a*x)",
                           "gamma_p(2.5, a*x)",
                           "gamma_q(2.5, a*x)",
                           "ellipk(a*x/9)",
                           "ellipe(a*x/9)",
                           "ellipk(a*x/99)",
                           "ellipe(-a*x/99)",
                           "a/x",
                           "x/(a+1)",
                           "-a",
                           "a - x*a",
                           "if(x<0.7, a*x, a^2)",
                           "gamma_quantile(2.5, a*x/9)",
                           "student_t_cdf(3, a*x)",
                           "student_t_quantile(3, a*x/9)",
                           "beta_i(2, 3, a*x/9)",
                           "beta_quantile(2, 3, a*x/9)",
                           "let r = a*x; r*exp(-r) + r",
                           "a^a",
                           "a*floor(x)",
                           "isfinite(x)*a",
                           "fmod(x, 0.3)*a"})
    for (double const x : {0.4, 1.1})
      for (double const a : {0.6, 1.7})
        EXPECT_TRUE(compare(text, x, a)) << text;
}

/// A random formula, finite for all arguments.
std::string formula(std::mt19937& engine, int depth) {
  auto const below = [&](int n) { return std::uniform_int_distribution(0, n - 1)(engine); };
  if (depth == 0)
    return std::vector<std::string>{"x", "a", "0.5", "a", "(x+2)"}[static_cast<std::size_t>(below(5))];
  auto const part = [&] { return formula(engine, depth - 1); };
  switch (below(14)) {
  case 0:
    return "(" + part() + "+" + part() + ")";
  case 1:
    return "(" + part() + "-" + part() + ")";
  case 2:
  case 3:
    return "(" + part() + ")*(" + part() + ")";
  case 4:
    return "(" + part() + ")/(1+(" + part() + ")^2)";
  case 5:
    return "exp(-(" + part() + ")^2)";
  case 6:
    return "sin(" + part() + ")";
  case 7:
    return "log(1+(" + part() + ")^2)";
  case 8:
    return "sqrt(1+(" + part() + ")^2)";
  case 9:
    return "atan(" + part() + ")";
  case 10:
    return "tanh(" + part() + ")";
  case 11:
    return "(1+(" + part() + ")^2)^(" + part() + "/4)";
  case 12:
    return "(" + part() + ")^" + std::to_string(below(6));
  default:
    return "if(x < 0.5, " + part() + ", " + part() + ")";
  }
}

TEST(Derivatives, RandomFormulasHaveTheirCentralDifferences) {
  int compared = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<> uniform(-1, 1);
    double const x = uniform(engine), a = uniform(engine);
    compared += compare(formula(engine, 1 + static_cast<int>(seed % 4)) + " + 0*x", x, a) ? 1 : 0;
  }
  EXPECT_GT(compared, 500);
}

TEST(Derivatives, OrderOfSeveral) {
  auto const formulas = with_derivatives("a*b*x; x^2", {}, {{"a", 3}, {"b", 5}});
  EXPECT_EQ(formulas.size(), 6);
  auto const f = formulas.components<6>().on(Kokkos::DefaultHostExecutionSpace());
  kubature::Point<double, 1> at;
  at[0] = 2;
  auto const found = f(at);
  double const expected[] = {30, 10, 6, 4, 0, 0};
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(found[k], expected[k]) << k;
}

TEST(Derivatives, LimitsWhereQuotientsAreNotNumbers) {
  auto const slope = [](std::string const& text, double x, double a) {
    return values(with_derivatives(text, {"x"}, {{"a", a}}), x)[1];
  };
  EXPECT_EQ(slope("x^a", 0, 2), 0);
  EXPECT_EQ(slope("j1(a*x)", 0, 2), 0);
  EXPECT_EQ(slope("li2(a)*x", 2, 0), 2);
  EXPECT_NEAR(slope("sinc(a*x)", 1e-8, 1), -1e-16 / 3, 1e-31);
  EXPECT_EQ(slope("min(a*x, a*x)", 0.3, 1), 0.3);
}

TEST(Derivatives, WithParametersKeepsTheText) {
  auto const formula = with_parameters("let r = a*x; r + table_of - a", {"x"}, {{"a", -3}, {"table_of", 0.5}});
  EXPECT_EQ(formula.text(), "let r = (-3)*x; r + 0.5 - (-3)");
  EXPECT_EQ(with_parameters("t*x", {}, {{"t", 2}}).variables(), std::vector<std::string>{"x"});
}

void expect_refused(std::string const& text, int column, std::string const& words) {
  refused_text::expect_refused_at([&] { with_derivatives(text, {"x"}, {{"a", 1}}); }, text, column, words);
}

TEST(Derivatives, BadInput) {
  expect_refused("if(x < a, 1, 2)", 4, "a condition depends on a parameter");
  expect_refused("if(a, x, 2)", 1, "a condition depends on a parameter");
  expect_refused("x*(a < 3)", 4, "a condition depends on a parameter");
  expect_refused("x + floor(a*x)", 5, "'floor' depends on a parameter");
  expect_refused("digamma(a)*x", 1, "'digamma'");
  expect_refused("gamma_p(a, x)", 1, "'gamma_p'");
  expect_refused("x + q", 5, "unknown name 'q'");
  EXPECT_THROW(with_derivatives("a*x", {"x"}, {{"a", 1}, {"a", 2}}), kubature::InvalidArgument);
  EXPECT_THROW(with_derivatives("a*x", {"x"}, {{"2a", 1}}), kubature::InvalidArgument);
}

} // namespace
} // namespace derivatives_test
