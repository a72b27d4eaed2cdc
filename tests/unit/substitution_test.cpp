#include <kubature/runtime/integrator.hpp>
#include <kubature/substitution.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

/// Poles that a change of variables removes.
namespace substitution_test {
namespace {

using namespace kubature;

double const infinity = std::numeric_limits<double>::infinity();

std::string in_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", x);
  return text;
}

Result<> by_auto(std::string const& text, Box<> const& box, char const* relative) {
  return runtime::Integrator(runtime::Settings("auto").set("relative", relative).set("max_evaluations", "3e7"))
      .integrate(Expression::parse(text), box);
}

TEST(Substitution, LeavesNoPole) {
  auto const other = without_poles(Expression::parse("(1-x)^-0.75*exp(y)*abs(y-0.3)^-0.5"), Box<>{{0, 1}, {-1, 1}});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->pieces, 2); // of y, on both sides of 0.3
  EXPECT_EQ(other->box[0].lower, 0);
  EXPECT_EQ(other->box[1].upper, 1);
  double const far = other->integrand(std::vector<double>{0.5, 0.5});
  for (double const near : {1e-3, 1e-6, 1e-12}) {
    EXPECT_LT(std::abs(other->integrand(std::vector<double>{near, 0.5})), far);
    EXPECT_LT(std::abs(other->integrand(std::vector<double>{0.5, near})), far);
  }
  auto const first = other->original({0.5, 0.5});
  EXPECT_GT(first[0], 0.5);
  EXPECT_LT(first[0], 1);
}

/// The distance from the pole has all of its digits.
TEST(Substitution, KnowsTheDistanceExactly) {
  auto const other = without_poles(Expression::parse("(2.5-x)^-0.9"), Box<>{{0.5, 2.5}});
  ASSERT_TRUE(other);
  auto const& line = other->lines[0];
  double const v = 0.01;
  double const distance = 2 * std::pow(v, line.power), slope = 2 * line.power * std::pow(v, line.power - 1);
  EXPECT_NEAR(other->integrand(std::vector<double>{v}) / (std::pow(distance, -0.9) * slope), 1, 1e-13);
}

TEST(Substitution, LeavesOthersAlone) {
  auto const none = [](std::string const& text, Box<> const& box) {
    EXPECT_FALSE(without_poles(Expression::parse(text), box)) << text;
  };
  none("exp(-x*y)", Box<>{{0, 1}, {0, 1}});
  none("sqrt(x)", Box<>{{0, 1}});
  none("1/(x+1e-4)", Box<>{{0, 1}});
  none("exp(-((x-0.3)/1e-6)^2)", Box<>{{0, 1}});
  none("1/x", Box<>{{0, 1}});                         // has no integral
  none("abs(x-0.3)^-1.01", Box<>{{0, 1}});            // nor this
  none("1/sqrt(abs(x-y))", Box<>{{0, 1}, {0, 1}});    // not along an axis
  none("1/sqrt(x^2+y^2)", Box<>{{0, 1}, {0, 1}});     // at a point
  none("1/sqrt(1-x^2)", Box<>{{0, 1}});               // the formula itself rounds the distance
  none("(1+x^2)^-0.7", Box<>{{-infinity, infinity}}); // nothing to remove on infinite sides
  none("x^-0.9", Box<>{{1e-3, 1}});                   // outside the box
  none("1/sqrt(abs(sin(x)))", Box<>{{1, 3}});         // none inside
  none("abs((x-1)*(x-2)*(x-3)*(x-4)*(x-5))^-0.5*abs((y-1)*(y-2))^-0.5", Box<>{{0, 6}, {0, 3}}); // too many pieces
}

TEST(Substitution, RewritesWhatIsAffine) {
  std::vector<double> const v{0.37};
  for (std::string const text : {"(1-x)^-0.5*cos(2*x-1)", "1/sqrt(1-x)*exp(-x/3)", "(2-2*x)^(-1/2)+x^2",
                                 "sqrt(1/(1-x))*if(x<0.5,1-x,x)", "max(1-x,x)/sqrt(-x+1)", "log(1-x)*(x+1)*3"}) {
    auto const formula = Expression::parse(text);
    auto const other = without_poles(formula, Box<>{{0, 1}});
    ASSERT_TRUE(other) << text;
    EXPECT_EQ(other->pieces, 1) << text;
    auto const& line = other->lines[0];
    double const slope = std::abs(line.slope) * line.power * std::pow(v[0], line.power - 1);
    EXPECT_NEAR(other->integrand(v), formula(other->original(v)) * slope, 1e-12 * slope) << text;
  }
}

/// prod |x_i - u_i|^-a_i, at ends and inside, to 1e-8.
TEST(Substitution, RandomPolesToManyDigits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  int converged = 0;
  for (int number = 0; number < 30; ++number) {
    int const d = 1 + number % 3;
    std::string text;
    std::vector<Side> sides;
    double truth = 1;
    for (int i = 0; i < d; ++i) {
      double const u = number % 2 == 0 ? 1 : std::stod(in_digits(0.05 + 0.9 * uniform(random)));
      double const a = std::stod(in_digits(0.2 + 0.7 * uniform(random)));
      text += (i > 0 ? "*abs(" : "abs(") + std::string(1, "xyz"[i]) + "-" + in_digits(u) + ")^-" + in_digits(a);
      truth *= (std::pow(u, 1 - a) + std::pow(1 - u, 1 - a)) / (1 - a);
      sides.push_back({0, 1});
    }
    auto const result = by_auto(text, Box<>(std::span<Side const>(sides), d), "1e-8");
    converged += result.status == Status::converged;
    EXPECT_NEAR(result.value / truth, 1, 1e-8) << text << '\n' << result;
  }
  EXPECT_GE(converged, 28);
}

TEST(Substitution, CountsEvaluationsOfTheFormula) {
  auto const result = by_auto("1/sqrt(abs(x-0.3))", Box<>{{0, 1}}, "1e-3");
  EXPECT_EQ(result.evaluations % 2, 0u);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_NE(result.remarks.back().find("change of variables, over 2 pieces"), std::string::npos) << result;
  EXPECT_NEAR(result.value, 2 * (std::sqrt(0.3) + std::sqrt(0.7)), 5e-3);
}

} // namespace
} // namespace substitution_test
