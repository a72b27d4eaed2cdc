#include "refused_text.hpp"

#include <kubature/complex_formula.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// The real and imaginary parts of complex formulas.
namespace complex_formula_test {
namespace {

using kubature::complex_parts;
using kubature::ExpressionError;
using Complex = std::complex<double>;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Complex i{0, 1};

Complex value(kubature::Expressions const& parts, double x, double y) {
  auto const f = parts.components<2>().on(Kokkos::DefaultHostExecutionSpace());
  kubature::Point<double, 2> at;
  at[0] = x;
  at[1] = y;
  auto const values = f(at);
  return {values[0], values[1]};
}

Complex value(std::string const& text, double x, double y = 0) { return value(complex_parts(text, {"x", "y"}), x, y); }

void expect_near(Complex found, Complex truth, std::string const& text, double units = 8) {
  EXPECT_LE(std::abs(found - truth), units * epsilon * std::abs(truth)) << text << ": " << found << ", not " << truth;
}

/// A random formula's text, its value in std::complex and a bound of the error that rounding makes of it.
struct Random {
  std::string text;
  Complex value;
  double error; ///< NaN if the value is next to a branch cut
};

class Formulas {
public:
  explicit Formulas(unsigned seed) : engine_(seed) {}

  double x = 0, y = 0;

  Random formula(int depth) {
    if (depth == 0)
      return leaf();
    auto const a = formula(depth - 1);
    switch (below(14)) {
    case 0:
    case 1: {
      auto const b = formula(depth - 1);
      return made("(" + a.text + "+" + b.text + ")", a.value + b.value, a.error + b.error);
    }
    case 2: {
      auto const b = formula(depth - 1);
      return made("(" + a.text + "-" + b.text + ")", a.value - b.value, a.error + b.error);
    }
    case 3:
    case 4: {
      auto const b = formula(depth - 1);
      return made(a.text + "*" + b.text, a.value * b.value,
                  std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error);
    }
    case 5: {
      auto const b = formula(depth - 1);
      double const size = std::abs(b.value) - b.error;
      return made("(" + a.text + "/(" + b.text + "))", a.value / b.value,
                  size > 0 ? (a.error + std::abs(a.value) / size * b.error) / size : nan);
    }
    case 6:
      return made("exp(" + a.text + ")", std::exp(a.value), std::exp(a.value.real()) * std::expm1(a.error));
    case 7:
      return made("sin(" + a.text + ")", std::sin(a.value), std::cosh(std::abs(a.value.imag()) + a.error) * a.error);
    case 8:
      return made("cos(" + a.text + ")", std::cos(a.value), std::cosh(std::abs(a.value.imag()) + a.error) * a.error);
    case 9:
      return made("log(" + a.text + ")", std::log(a.value), off_cut(a) / (std::abs(a.value) - a.error));
    case 10:
      return made("sqrt(" + a.text + ")", std::sqrt(a.value), off_cut(a) / std::sqrt(std::abs(a.value) - a.error));
    case 11: {
      int const n = below(9) - 3;
      double const size = std::abs(a.value), by = n < 0 ? size - a.error : size + a.error;
      return made("(" + a.text + ")^" + std::to_string(n), std::pow(a.value, n),
                  by > 0 ? std::abs(n) * std::pow(by, n - 1) * (a.error + 8 * epsilon * size) : nan);
    }
    case 12: {
      auto const power = below(2) == 0 ? Complex(0.7, 0) : Complex(-0.3, 0.4);
      auto const result = std::pow(a.value, power);
      return made("(" + a.text + (power.imag() == 0 ? ")^0.7" : ")^(-0.3+0.4*i)"), result,
                  std::abs(result) * off_cut(a) / (std::abs(a.value) - a.error));
    }
    default:
      return made("conj(" + a.text + ")", std::conj(a.value), a.error);
    }
  }

private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  int below(int n) { return std::uniform_int_distribution(0, n - 1)(engine_); }

  static Random made(std::string text, Complex value, double error) {
    return {std::move(text), value, error + 8 * epsilon * std::abs(value)};
  }

  static double off_cut(Random const& z) {
    bool const near = z.value.real() <= 2 * z.error && std::abs(z.value.imag()) <= 2 * z.error;
    return near || std::abs(z.value) <= 2 * z.error ? nan : z.error;
  }

  Random leaf() {
    switch (below(5)) {
    case 0:
      return {"x", x, 0};
    case 1:
      return {"y", y, 0};
    case 2:
      return {"i", i, 0};
    case 3:
      return {"(1+2*i)", Complex(1, 2), 0};
    default:
      return {"0.75", 0.75, 0};
    }
  }

  std::mt19937 engine_;
};

TEST(ComplexFormula, RandomFormulasHaveTheValuesOfStdComplex) {
  int checked = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    std::mt19937 points(seed);
    std::uniform_real_distribution<> uniform(-2, 2);
    Formulas formulas(seed);
    formulas.x = uniform(points);
    formulas.y = uniform(points);
    auto const [text, truth, error] = formulas.formula(1 + static_cast<int>(seed % 5));
    if (!(error <= 1e-6 * std::abs(truth)))
      continue;
    ++checked;
    auto const found = value(text, formulas.x, formulas.y);
    EXPECT_LE(std::abs(found - truth), 8 * error) << text << ": " << found << ", not " << truth;
  }
  EXPECT_GT(checked, 700);
}

TEST(ComplexFormula, FunctionsOfOneNumber) {
  for (auto const& z : {Complex(0.3, 0.4), Complex(-1.5, 2), Complex(2, -3), Complex(-0.1, -0.2)}) {
    auto const at = [&](std::string const& function) { return value(function + "(x+i*y)", z.real(), z.imag()); };
    auto const check = [&](std::string const& function, Complex truth) { expect_near(at(function), truth, function); };
    check("tan", std::tan(z));
    check("sinh", std::sinh(z));
    check("cosh", std::cosh(z));
    check("tanh", std::tanh(z));
    check("asin", std::asin(z));
    check("acos", std::acos(z));
    check("atan", std::atan(z));
    check("asinh", std::asinh(z));
    check("acosh", std::acosh(z));
    check("atanh", std::atanh(z));
    check("log10", std::log10(z));
    check("log2", std::log(z) / std::numbers::ln2);
    check("exp2", std::exp(z * std::numbers::ln2));
    check("rsqrt", 1. / std::sqrt(z));
    check("abs", std::abs(z));
    check("arg", std::arg(z));
    check("re", z.real());
    check("im", z.imag());
    check("expm1", std::exp(z) - 1.);
    check("log1p", std::log(1. + z));
  }
}

TEST(ComplexFormula, SmallNumbersKeepTheirDigits) {
  Complex const z(1e-10, 2e-10);
  expect_near(value("expm1(x+i*y)", z.real(), z.imag()), z + z * z / 2., "expm1");
  expect_near(value("log1p(x+i*y)", z.real(), z.imag()), z - z * z / 2., "log1p");
  expect_near(value("sqrt(x+i*y)", -1, 1e-20), Complex(0.5e-20, 1), "sqrt");
  expect_near(value("1/(x+i*y)", 3e-200, 4e-200), Complex(3e200, -4e200) / 25., "1/z");
  expect_near(value("1/(x+i*y)", 3e200, 4e200), Complex(3e-201, -4e-201) / 2.5, "1/z");
}

TEST(ComplexFormula, RealNumbersHavePrincipalValues) {
  expect_near(value("sqrt(x)", -4), 2. * i, "sqrt");
  expect_near(value("sqrt(-4) + 0*x", 0), 2. * i, "sqrt");
  expect_near(value("log(x)", -2), Complex(std::log(2.), std::numbers::pi), "log");
  expect_near(value("x^0.25", -1), std::pow(Complex(-1), 0.25), "power");
  expect_near(value("(-8)^(1/3) + 0*x", 0), std::pow(Complex(-8), 1. / 3), "power");
  expect_near(value("2^(i*x)", 3), std::pow(Complex(2), 3. * i), "power");
  expect_near(value("x^(i*y)", -3, 0.5), std::pow(Complex(-3), 0.5 * i), "power");
  expect_near(value("e^(i*pi*x)", 1), -1, "power");
  expect_near(value("log1p(x)", -3), std::log(Complex(-2)), "log1p");
  expect_near(value("arg(x)", -3), std::numbers::pi, "arg");
  EXPECT_EQ(value("i^2*x", 3), Complex(-3));
  EXPECT_EQ(value("x^-3", -2), Complex(-0.125));
}

TEST(ComplexFormula, WhatIsRealStaysReal) {
  EXPECT_EQ(complex_parts("x^2*exp(-x) + erf(y)").text(), "(((x^2)*exp((-x)))+erf(y));0");
  EXPECT_EQ(complex_parts("sqrt(x^2 + 1)").text().back(), '0');
  EXPECT_EQ(value("if(sqrt(x) < 2, i, 1)", 3), i);
  EXPECT_EQ(value("max(re(i*x), y) + i*im(x)", 3, -1), Complex(0));
  EXPECT_EQ(value("erf(sqrt(x))", 0.25), Complex(std::erf(0.5)));
}

TEST(ComplexFormula, ExponentialsOfOppositeSignsAreOne) {
  auto const found = value("exp((1+i)*x) * exp(-x^2/2)", 800);
  EXPECT_EQ(found, Complex(0));
}

TEST(ComplexFormula, NamesStayShared) {
  std::string text = "let a0 = x + i*y;";
  for (int k = 1; k <= 60; ++k)
    text += "let a" + std::to_string(k) + " = a" + std::to_string(k - 1) + "*a" + std::to_string(k - 1) + "/2;";
  text += "a60";
  auto const parts = complex_parts(text, {"x", "y"});
  EXPECT_LT(parts.text().size(), 20'000u);
  expect_near(value(parts, 2, 0), 2, "fixed point");
}

TEST(ComplexFormula, SeveralFormulasAndParameters) {
  auto const parts = complex_parts("exp(i*k*x); x", {}, {{"k", 2}});
  EXPECT_EQ(parts.size(), 4);
  EXPECT_EQ(parts.dimension(), 1);
  EXPECT_EQ(complex_parts("exp(i*x3)").dimension(), 3);
}

void expect_refused(std::string const& text, int column, std::string const& words) {
  refused_text::expect_refused_at([&] { complex_parts(text); }, text, column, words);
}

TEST(ComplexFormula, BadInput) {
  expect_refused("x + (i*x < 1)", 6, "'<' takes real numbers");
  expect_refused("x + erf(i*x)", 5, "'erf' takes real numbers");
  expect_refused("if(i, x, 1)", 1, "the condition of if()");
  expect_refused("max(x, i)", 1, "'max' takes real numbers");
  expect_refused("conj(x, 1)", 1, "'conj' takes 1 argument");
  expect_refused("x + q", 5, "unknown name 'q'");
  expect_refused("let i = 1; x", 5, "'i' is");
  expect_refused("i", 1, "no variable");
  EXPECT_THROW(complex_parts("x", {"i"}), kubature::InvalidArgument);
  EXPECT_THROW(complex_parts("x", {"x"}, {{"x", 1}}), kubature::InvalidArgument);
  EXPECT_THROW(complex_parts("x*a", {"x"}, {{"a", std::numeric_limits<double>::infinity()}}),
               kubature::InvalidArgument);
}

} // namespace
} // namespace complex_formula_test
