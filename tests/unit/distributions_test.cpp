#include "distribution_values.hpp"
#include "expression_values.hpp"

#include <kubature/expression.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

/// The functions of distributions.
namespace distributions_test {
namespace {

using expression_values::on_host;
using kubature::Expression;
using kubature::distribution_values::Row;
namespace values = kubature::distribution_values;

constexpr double infinity = std::numeric_limits<double>::infinity(), epsilon = std::numeric_limits<double>::epsilon();

/// What is evaluated of the arguments a, b and c.
std::map<std::string, std::span<Row const>> const table{
    {"gamma_p(a, c)", values::gamma_p},
    {"gamma_q(a, c)", values::gamma_q},
    {"gamma_quantile(a, c)", values::gamma_quantile},
    {"student_t_cdf(a, c)", values::student_t_cdf},
    {"student_t_quantile(a, c)", values::student_t_quantile},
    {"beta_i(a, b, c)", values::beta_i},
    {"beta_quantile(a, b, c)", values::beta_quantile},
};

/// The values at the points of the table, W side by side.
template <class Space, class Real, int W>
std::vector<double> evaluated(std::string const& text, std::span<Row const> rows) {
  std::vector<std::array<double, 3>> at;
  for (auto const& row : rows)
    at.push_back({row.a, row.b, row.c});
  return expression_values::evaluated<Space, Real, W>(text, {"a", "b", "c"}, at);
}

template <class Space>
struct Distributions : testing::Test {};
using Spaces = testing::Types<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
TYPED_TEST_SUITE(Distributions, Spaces);

/// Values of mpmath; see perf/distribution_values.py.
TYPED_TEST(Distributions, AgreeWithValuesOfMultiplePrecision) {
  for (auto const& [text, rows] : table) {
    auto const found = evaluated<TypeParam, double, 1>(text, rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_NEAR(found[i] / rows[i].value, 1, 16 * epsilon * std::max(1.0, rows[i].condition))
          << text << " at " << rows[i].a << ", " << rows[i].b << ", " << rows[i].c;
    EXPECT_EQ(found, (evaluated<TypeParam, double, 4>(text, rows))) << text;
    EXPECT_EQ(found, (evaluated<TypeParam, double, 32>(text, rows))) << text;
  }
}

TYPED_TEST(Distributions, AreRoundedInSinglePrecision) {
  if (!on_host<TypeParam>)
    GTEST_SKIP() << "batches are evaluated in double precision";
  for (auto const& [text, rows] : table) {
    std::vector<Row> rounded(rows.begin(), rows.end());
    for (auto& row : rounded)
      for (double* const each : {&row.a, &row.b, &row.c})
        *each = static_cast<float>(*each);
    auto const exact = evaluated<TypeParam, double, 1>(text, rounded);
    auto const found = evaluated<TypeParam, float, 1>(text, rounded),
               many = evaluated<TypeParam, float, 32>(text, rounded);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_EQ(found[i], static_cast<double>(static_cast<float>(exact[i]))) << text << ", row " << i;
      EXPECT_EQ(found[i], many[i]) << text << ", row " << i;
    }
  }
}

double at(std::string const& text, double x) { return Expression::parse(text, {"x"})(std::vector{x}); }

TEST(FunctionsOfDistributions, HaveClosedForms) {
  for (double const x : {1e-300, 1e-20, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, 1 - epsilon}) {
    auto const same = [&](std::string const& one, std::string const& other, double ulps = 8) {
      EXPECT_NEAR(at(one, x), at(other, x), ulps * epsilon * std::abs(at(other, x))) << one << " at " << x;
    };
    same("gamma_quantile(1, x)", "-log1p(-x)");
    same("gamma_quantile(1, -x)", "-log(x)");
    same("gamma_q(1, 700*x)", "exp(-700*x)", 700);
    same("gamma_p(0.5, x)", "erf(sqrt(x))");
    same("student_t_quantile(1, x)", "if(x < 0.25, -1/tan(pi*x), if(x > 0.75, 1/tan(pi*(1-x)), tan(pi*(x-1/2))))");
    same("student_t_quantile(2, x)", "(2*x-1)*sqrt(2/(4*x*(1-x)))");
    same("student_t_cdf(1, -1/x)", "atan(x)/pi");
    same("beta_quantile(1, 3, x)", "-expm1(log1p(-x)/3)");
    same("beta_quantile(3, 1, x)", "cbrt(x)");
    same("beta_quantile(1/2, 1/2, x)", "sin(pi*x/2)^2");
    same("beta_i(2, 1, x)", "x^2");
    same("normal_quantile(x)", "norminv(x)", 0);
  }
}

/// The upper tail has its own digits, by a probability below 0.
TEST(FunctionsOfDistributions, CountNegativeProbabilitiesFromAbove) {
  for (double const p : {1e-300, 1e-30, 0.2, 0.5, 0.7}) {
    EXPECT_NEAR(at("gamma_q(3, gamma_quantile(3, -x))", p), p, 1000 * epsilon * p);
    EXPECT_EQ(at("student_t_quantile(5, -x)", p), -at("student_t_quantile(5, x)", p));
    EXPECT_NEAR(at("beta_quantile(0.01, 3, -x)", p), at("1-beta_quantile(3, 0.01, x)", p), 4 * epsilon);
  }
}

TEST(FunctionsOfDistributions, AreInfiniteZeroOrUndefinedAtTheirEnds) {
  for (auto const* text : {"gamma_p(2, x)", "gamma_quantile(2, x)", "beta_i(2, 3, x)", "beta_quantile(2, 3, x)",
                           "1-gamma_q(2, x)", "1/student_t_quantile(3, x)"})
    EXPECT_EQ(at(text, 0), 0) << text;
  for (auto const* text :
       {"gamma_p(2, 1/(1-x))", "beta_i(2, 3, x)", "beta_quantile(2, 3, x)", "gamma_quantile(2, x) > 1e300",
        "student_t_cdf(3, 1/(1-x))", "student_t_quantile(3, x) > 1e300"})
    EXPECT_EQ(at(text, 1), 1) << text;
  for (auto const* text :
       {"gamma_p(x, 1)", "gamma_p(1, x)", "gamma_quantile(x, 0.5)", "gamma_quantile(1, 2*x)", "student_t_cdf(x, 1)",
        "student_t_quantile(x, 0.5)", "student_t_quantile(1, -2*x)", "beta_i(x, 1, 0.5)", "beta_i(1, x, 0.5)",
        "beta_i(1, 1, x)", "beta_quantile(1, x, 0.5)", "beta_quantile(1, 1, 2*x)"})
    EXPECT_TRUE(std::isnan(at(text, -1))) << text;
  for (auto const& [text, rows] : table)
    for (auto const* name : {"a", "b", "c"})
      if (text.find(name + std::string(text.ends_with(name + std::string(")")) ? ")" : ", ")) != text.npos) {
        std::vector<double> point{2, 3, 0.5};
        point[static_cast<std::size_t>(name[0] - 'a')] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_TRUE(std::isnan(Expression::parse(text, {"a", "b", "c"})(point))) << text << ", " << name;
      }
}

/// The caller's names come first, and arguments are counted.
TEST(FunctionsOfDistributions, AreReadAsOtherSpecialFunctionsAre) {
  EXPECT_EQ(Expression::parse("gamma_p + beta_i", {"gamma_p", "beta_i"})(std::vector{1.0, 2.0}), 3);
  EXPECT_THROW(Expression::parse("beta_i(x, 1)"), kubature::ExpressionError);
  EXPECT_THROW(Expression::parse("gamma_p(x, 1, 2)"), kubature::ExpressionError);
  EXPECT_EQ(Expression::parse("x*beta_i(1, 2, 1/4)")(std::vector{1.0}), 0.4375); // a constant
  // Arguments that need the stack, in any order.
  auto const f = Expression::parse("beta_i((x+y)*(x-y), (x+2)*(y+1), x*y) - gamma_q((x+1)*(y+1), beta_i(x, y, x*y))");
  std::vector<double> const x{0.8, 0.3};
  EXPECT_NEAR(f(x), at("beta_i(0.55, 3.64, x) - gamma_q(2.34, beta_i(0.8, 0.3, x))", 0.24), 64 * epsilon);
}

} // namespace
} // namespace distributions_test
