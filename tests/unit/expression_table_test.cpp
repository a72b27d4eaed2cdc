#include "expression_tables.hpp"
#include "expression_values.hpp"

#include <kubature/error.hpp>
#include <kubature/expression.hpp>
#include <kubature/expressions.hpp>
#include <kubature/expressions_in_batches.hpp>
#include <kubature/formula_domain.hpp>
#include <kubature/substitution.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

namespace expression_table_test {
namespace {

using expression_tables::at, expression_tables::names, expression_tables::Point;
using expression_values::Evaluate, expression_values::on_host;
using Kokkos::Experimental::half_t;
using kubature::Expression, kubature::Expressions, kubature::FormulaDomain;

using ExpressionTable = expression_tables::TableFiles;

std::vector<Point> const grid{{-1, 0, 2, 2.5}, {0, 1, 4}, {0.5, 0.75, 3, 5}};

double product(Point const& x, std::function<double(double)> const& f) {
  double result = 1;
  for (std::size_t axis = 0; axis < x.size(); ++axis)
    result *= f(x[axis] + 0.1 * static_cast<double>(axis));
  return result;
}

TEST_F(ExpressionTable, InterpolatesPolynomialsExactly) {
  auto const linear = [](Point const& x) { return 3 - product(x, [](double u) { return 1 - 2 * u; }); };
  auto const parabolic = [](Point const& x) { return product(x, [](double u) { return 1 - 2 * u + u * u; }); };
  std::string arguments;
  for (std::size_t axes = 1; axes <= 3; ++axes) {
    std::vector<Point> const nodes(grid.begin(), grid.begin() + static_cast<std::ptrdiff_t>(axes));
    write("linear.txt", nodes, linear);
    write("parabolic.txt", nodes, parabolic);
    arguments += (axes == 1 ? "" : ", ") + names[axes - 1];
    for (double const part : {0.0, 0.01, 0.3, 0.5, 0.77, 1.0}) {
      Point x;
      for (auto const& axis : nodes)
        x.push_back(axis.front() + part * (axis.back() - axis.front()));
      EXPECT_NEAR(at(call("linear.txt", arguments), x), linear(x), 1e-12);
      EXPECT_NEAR(at(call("linear.txt", arguments, true), x), linear(x), 1e-11);
      EXPECT_NEAR(at(call("parabolic.txt", arguments, true), x), parabolic(x), 1e-11);
    }
  }
}

TEST_F(ExpressionTable, KeepsTheValueAtTheEdge) {
  folder.write("f.txt", "0 1\n1 3\n4 2\n");
  for (bool const cubic : {false, true}) {
    EXPECT_EQ(at(call("f.txt", "x", cubic), {-5}), 1);
    EXPECT_EQ(at(call("f.txt", "x", cubic), {1}), 3);
    EXPECT_EQ(at(call("f.txt", "x", cubic), {INFINITY}), 2);
    EXPECT_TRUE(std::isnan(at(call("f.txt", "x", cubic), {NAN})));
  }
}

TEST_F(ExpressionTable, IsPartOfFormulas) {
  folder.write("f.txt", "0 1\n1 3\n4 2\n");
  folder.write("g.txt", "0 0 1\n0 1 2\n2 0 3\n2 1 4\n");
  auto const f = call("f.txt", "x"), g = call("g.txt", "x, y");
  EXPECT_EQ(at("2*" + f + "^2 - y", {0.5, 3}), 5);
  EXPECT_EQ(at("let r = " + f + "; r*r + r", {0.5}), 6);
  EXPECT_EQ(at("if(x < 1, " + f + ", " + g + ")", {0.5, 0.5}), 2);
  EXPECT_EQ(at(call("f.txt", f), {0.5}), at(call("f.txt"), {2}));
  EXPECT_EQ(at(call("g.txt", f + "-2, sin(y)"), {1, 0}), 2);
  EXPECT_EQ(at(call("g.txt", "0.5, 0.25") + "*x", {2}), 3.5); // a constant
  EXPECT_EQ(at("table('" + folder.path("f.txt") + "', x)", {0.5}), 2);
  EXPECT_EQ(Expression::parse("table*2", {"table"})(Point{3}), 6);
}

TEST_F(ExpressionTable, OfTheSameFileIsReadOnce) {
  folder.write("f.txt", "0 1\n1 3\n");
  auto const f = call("f.txt");
  auto const expression = Expression::parse(f + "*exp(x) + sin(x)*" + f, {"x"});
  EXPECT_EQ(expression.terms().size(), 2u);
  EXPECT_EQ(Expression::parse(f + "*" + f, {"x"}).instruction_count(), 4); // the second one is the first
  auto const copy = expression;
  folder.write("f.txt", "0 10\n1 30\n");
  std::filesystem::remove(folder.path("f.txt"));
  EXPECT_DOUBLE_EQ(copy(std::array{0.5}), 2 * (std::exp(0.5) + std::sin(0.5)));
  folder.write("f.txt", "0 10\n1 30.0\n");
  EXPECT_EQ(at(f, {0.5}), 20);
  EXPECT_DOUBLE_EQ(copy(std::array{0.5}), 2 * (std::exp(0.5) + std::sin(0.5)));
}

TEST_F(ExpressionTable, KeepsItsMeaningInDomains) {
  folder.write("f.txt", "0 0\n1 1\n2 4\n");
  folder.write("a;b, (c):d=e.txt", "0 1\n1 2\n");
  folder.write("g.txt", "0 0 1\n0 1 2\n2 0 3\n2 1 4\n");
  auto const triangle = FormulaDomain::parse("x=0:1, y=0:" + call("a;b, (c):d=e.txt"));
  std::vector<double> const v{0.4, 0.5}, x = triangle.original(v);
  EXPECT_DOUBLE_EQ(x[1], 0.5 * 1.4);
  for (auto const& formula : {call("f.txt", "x+y"), call("g.txt", "x, y", true), call("a;b, (c):d=e.txt", "y")})
    EXPECT_DOUBLE_EQ(triangle.on(Expression::parse(formula, {"x", "y"}))(v), 1.4 * at(formula, x)) << formula;
  EXPECT_EQ(FormulaDomain::parse("0:" + call("f.txt", "2")).box()[0].upper, 4);
  auto const several = call("a;b, (c):d=e.txt") + "; x";
  EXPECT_EQ(Expressions::count(several), 2);
  EXPECT_EQ(Expressions::parse(several).size(), 2);
  auto const other =
      kubature::without_poles(Expression::parse(call("f.txt") + "/x^0.9", {"x"}), kubature::Box<>{{0, 1}});
  EXPECT_FALSE(other) << "the table is zero there";
  auto const pole =
      kubature::without_poles(Expression::parse("(1+" + call("f.txt") + ")/x^0.9", {"x"}), kubature::Box<>{{0, 1}});
  ASSERT_TRUE(pole);
  Point const u{0.9};
  auto const& line = pole->lines[0];
  EXPECT_NEAR(pole->integrand(u),
              (1 + at(call("f.txt"), pole->original(u))) / std::pow(pole->original(u)[0], 0.9) * line.slope *
                  line.power * std::pow(0.9, line.power - 1),
              1e-12);
}

constexpr int count = 256;

double coordinate(int i, int axis) { return std::fmod((i + 1) * (axis + 1) * std::numbers::phi, 7.0) - 1.5; }

/// The values at `count` points, W side by side, or in batches.
template <class Space, class Real, int W>
std::vector<double> evaluated(std::string const& text) {
  Space const exec;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> points("test::table::points", count, 3);
  Kokkos::View<double*, Space> values("test::table::values", count);
  auto const host = Kokkos::create_mirror_view(points);
  for (int i = 0; i < count; ++i)
    for (int axis = 0; axis < 3; ++axis)
      host(i, axis) = static_cast<double>(static_cast<float>(static_cast<Real>(coordinate(i, axis))));
  Kokkos::deep_copy(points, host);
  if constexpr (W > 0) {
    Kokkos::View<double**, Space> rows("test::table::rows", count, 3);
    Kokkos::deep_copy(rows, points);
    Kokkos::parallel_for("test::table::evaluate", Kokkos::RangePolicy<Space>(exec, 0, count / W),
                         Evaluate<Space, Real, 3, W>{Expression::parse(text, names).on(exec), rows, values});
  } else {
    kubature::ExpressionsInBatches<Space> const f(exec, Expressions::parse(text, names));
    f(exec, kubature::BatchPoints<Space>(points.data(), count, 3),
      kubature::BatchValues<Space>(values.data(), count, 1));
  }
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values);
  return {result.data(), result.data() + count};
}

template <class Space>
struct ExpressionTableOn : expression_tables::TableFiles {};
using Spaces = testing::Types<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
TYPED_TEST_SUITE(ExpressionTableOn, Spaces);

TYPED_TEST(ExpressionTableOn, HasTheSameValuesEverywhere) {
  auto const f = [](Point const& x) { return product(x, [](double u) { return std::cos(u) + 0.5 * u; }); };
  this->write("1.txt", {grid[0]}, f);
  this->write("2.txt", {grid[0], grid[1]}, f);
  this->write("3.txt", grid, f);
  std::vector<std::string> formulas;
  for (bool const cubic : {false, true}) {
    auto const one = this->call("1.txt", "x", cubic), two = this->call("2.txt", "x, y", cubic),
               three = this->call("3.txt", "z, y, x", cubic);
    formulas.insert(formulas.end(), {one, two, three, "sin(x)*" + two + " - " + three + "/(2 + " + one + "^2)",
                                     "let r = " + three + "; r*r + if(x < y, r, " + two + ") + j0(r)",
                                     this->call("3.txt", two + ", 0.7, " + one + "*z", cubic)});
  }
  for (auto const& formula : formulas) {
    auto const expression = Expression::parse(formula, names);
    auto const batches = evaluated<TypeParam, double, 0>(formula);
    if constexpr (on_host<TypeParam>) {
      EXPECT_EQ(batches, (evaluated<TypeParam, double, 1>(formula)));
      EXPECT_EQ(batches, (evaluated<TypeParam, double, 4>(formula)));
      EXPECT_EQ(batches, (evaluated<TypeParam, double, 32>(formula)));
    } else {
      EXPECT_THROW(expression.on(TypeParam()), kubature::InvalidArgument);
    }
    for (int i = 0; i < count; ++i) {
      Point x;
      for (int axis = 0; axis < 3; ++axis)
        x.push_back(static_cast<float>(coordinate(i, axis)));
      EXPECT_NEAR(batches[static_cast<std::size_t>(i)], expression(x), 1e-12) << formula;
    }
  }
}

TYPED_TEST(ExpressionTableOn, IsRoundedInOtherPrecisions) {
  if constexpr (on_host<TypeParam>) {
    this->write("1.txt", {grid[0]}, [](Point const& x) { return std::cos(x[0]); });
    auto const check = [&](auto zero) {
      using Real = decltype(zero);
      auto const found = evaluated<TypeParam, Real, 1>(this->call("1.txt"));
      EXPECT_EQ(found, (evaluated<TypeParam, Real, 32>(this->call("1.txt"))));
      for (int i = 0; i < count; ++i) {
        auto const x = static_cast<double>(static_cast<float>(static_cast<Real>(coordinate(i, 0))));
        auto const exact = at(this->call("1.txt"), {x});
        EXPECT_EQ(found[static_cast<std::size_t>(i)],
                  static_cast<double>(static_cast<float>(static_cast<Real>(static_cast<float>(exact)))));
      }
    };
    check(float());
    check(half_t());
  } else {
    GTEST_SKIP() << "batches are evaluated in double precision";
  }
}

} // namespace
} // namespace expression_table_test
