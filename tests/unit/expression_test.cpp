#include <kubature/expression.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace expression_test {
namespace {

using Kokkos::Experimental::half_t;
using kubature::Expression;
using kubature::ExpressionError;
using Points = std::vector<std::vector<double>>;

template <class Real>
double epsilon() {
  return static_cast<double>(static_cast<float>(Kokkos::Experimental::epsilon_v<Real>));
}
template <>
double epsilon<double>() {
  return std::numeric_limits<double>::epsilon();
}

/// The value as Real has it. GCC 12.2 drops the rounding where it vectorises double -> float -> double, so it
/// goes through memory.
template <class Real>
double rounded(double value) {
  if constexpr (std::is_floating_point_v<Real>) {
    Real volatile const result = static_cast<Real>(value);
    return static_cast<double>(result);
  } else {
    return static_cast<double>(static_cast<Real>(value));
  }
}

template <class Space, class Real, int D>
struct Evaluate {
  kubature::DeviceExpression<typename Space::memory_space> f;
  Kokkos::View<double**, Space> points;
  Kokkos::View<double*, Space> values;

  KOKKOS_FUNCTION void operator()(int i) const {
    kubature::Point<Real, D> x;
    x.set_size(static_cast<int>(points.extent(1)));
    for (int axis = 0; axis < x.size(); ++axis)
      x[axis] = static_cast<Real>(points(i, axis));
    values(i) = static_cast<double>(f(x));
  }
};

/// The values of the expression at these points, computed in Real by a kernel.
template <class Space, class Real, int D = kubature::dynamic>
std::vector<double> on_device(Expression const& expression, Points const& at) {
  Space const exec;
  Kokkos::View<double**, Space> points("test::expression::points", at.size(), at[0].size());
  Kokkos::View<double*, Space> values("test::expression::values", at.size());
  auto const host_points = Kokkos::create_mirror_view(points);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t axis = 0; axis < at[i].size(); ++axis)
      host_points(i, axis) = at[i][axis];
  Kokkos::deep_copy(points, host_points);
  Kokkos::parallel_for("test::expression::evaluate", Kokkos::RangePolicy<Space>(exec, 0, static_cast<int>(at.size())),
                       Evaluate<Space, Real, D>{expression.on(exec), points, values});
  auto const host_values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values);
  return {host_values.data(), host_values.data() + host_values.size()};
}

double value(std::string const& text, std::vector<double> const& x = {0.5}, std::vector<std::string> names = {"x"}) {
  return Expression::parse(text, std::move(names))(x);
}

int instructions(std::string const& text) { return Expression::parse(text, {"x", "y"}).instruction_count(); }

template <class Pair>
struct ExpressionOn : testing::Test {};

template <class Space, class Number>
struct On {
  using space = Space;
  using real = Number;
};

using Device = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
using Pairs = testing::Types<On<Device, double>, On<Device, float>, On<Device, half_t>, On<Host, double>,
                             On<Host, float>, On<Host, half_t>>;
TYPED_TEST_SUITE(ExpressionOn, Pairs);

template <class Space>
struct ExpressionIn : testing::Test {};

using Spaces = testing::Types<Device, Host>;
TYPED_TEST_SUITE(ExpressionIn, Spaces);

struct Reference {
  double (*function)(double, double);
  double lower, upper; // of both arguments
};

double sign(double a, double) { return a > 0 ? 1 : a < 0 ? -1 : a; }

// clang-format off
std::map<std::string, Reference> const references{
    {"abs", {[](double a, double) { return std::abs(a); }, -2, 2}},
    {"fabs", {[](double a, double) { return std::abs(a); }, -2, 2}},
    {"sign", {sign, -2, 2}},
    {"fmod", {[](double a, double b) { return std::fmod(a, b); }, 0.3, 5}},
    {"remainder", {[](double a, double b) { return std::remainder(a, b); }, 0.3, 5}},
    {"fdim", {[](double a, double b) { return std::fdim(a, b); }, -2, 2}},
    {"min", {[](double a, double b) { return std::fmin(a, b); }, -2, 2}},
    {"max", {[](double a, double b) { return std::fmax(a, b); }, -2, 2}},
    {"fmin", {[](double a, double b) { return std::fmin(a, b); }, -2, 2}},
    {"fmax", {[](double a, double b) { return std::fmax(a, b); }, -2, 2}},
    {"exp", {[](double a, double) { return std::exp(a); }, -4, 4}},
    {"exp2", {[](double a, double) { return std::exp2(a); }, -4, 4}},
    {"expm1", {[](double a, double) { return std::expm1(a); }, -2, 2}},
    {"log", {[](double a, double) { return std::log(a); }, 0.1, 5}},
    {"ln", {[](double a, double) { return std::log(a); }, 0.1, 5}},
    {"log2", {[](double a, double) { return std::log2(a); }, 0.1, 5}},
    {"log10", {[](double a, double) { return std::log10(a); }, 0.1, 5}},
    {"log1p", {[](double a, double) { return std::log1p(a); }, -0.5, 5}},
    {"pow", {[](double a, double b) { return std::pow(a, b); }, 0.1, 3}},
    {"sqrt", {[](double a, double) { return std::sqrt(a); }, 0, 5}},
    {"rsqrt", {[](double a, double) { return 1 / std::sqrt(a); }, 0.1, 5}},
    {"cbrt", {[](double a, double) { return std::cbrt(a); }, -5, 5}},
    {"hypot", {[](double a, double b) { return std::hypot(a, b); }, -3, 3}},
    {"sin", {[](double a, double) { return std::sin(a); }, -3, 3}},
    {"cos", {[](double a, double) { return std::cos(a); }, -3, 3}},
    {"tan", {[](double a, double) { return std::tan(a); }, -1.4, 1.4}},
    {"asin", {[](double a, double) { return std::asin(a); }, -0.9, 0.9}},
    {"acos", {[](double a, double) { return std::acos(a); }, -0.9, 0.9}},
    {"atan", {[](double a, double) { return std::atan(a); }, -3, 3}},
    {"atan2", {[](double a, double b) { return std::atan2(a, b); }, -3, 3}},
    {"arcsin", {[](double a, double) { return std::asin(a); }, -0.9, 0.9}},
    {"arccos", {[](double a, double) { return std::acos(a); }, -0.9, 0.9}},
    {"arctan", {[](double a, double) { return std::atan(a); }, -3, 3}},
    {"arctan2", {[](double a, double b) { return std::atan2(a, b); }, -3, 3}},
    {"sinh", {[](double a, double) { return std::sinh(a); }, -3, 3}},
    {"cosh", {[](double a, double) { return std::cosh(a); }, -3, 3}},
    {"tanh", {[](double a, double) { return std::tanh(a); }, -3, 3}},
    {"asinh", {[](double a, double) { return std::asinh(a); }, -3, 3}},
    {"acosh", {[](double a, double) { return std::acosh(a); }, 1.1, 3}},
    {"atanh", {[](double a, double) { return std::atanh(a); }, -0.9, 0.9}},
    {"arcsinh", {[](double a, double) { return std::asinh(a); }, -3, 3}},
    {"arccosh", {[](double a, double) { return std::acosh(a); }, 1.1, 3}},
    {"arctanh", {[](double a, double) { return std::atanh(a); }, -0.9, 0.9}},
    {"erf", {[](double a, double) { return std::erf(a); }, -2, 2}},
    {"erfc", {[](double a, double) { return std::erfc(a); }, -2, 2}},
    {"tgamma", {[](double a, double) { return std::tgamma(a); }, 0.2, 6}},
    {"gamma", {[](double a, double) { return std::tgamma(a); }, 0.2, 6}},
    {"lgamma", {[](double a, double) { return std::lgamma(a); }, 2.5, 20}},
    {"ceil", {[](double a, double) { return std::ceil(a); }, -2.5, 2.5}},
    {"floor", {[](double a, double) { return std::floor(a); }, -2.5, 2.5}},
    {"trunc", {[](double a, double) { return std::trunc(a); }, -2.5, 2.5}},
    {"round", {[](double a, double) { return std::round(a); }, -2.5, 2.5}},
    {"rint", {[](double a, double) { return std::nearbyint(a); }, -2.5, 2.5}},
    {"nearbyint", {[](double a, double) { return std::nearbyint(a); }, -2.5, 2.5}},
    {"logb", {[](double a, double) { return std::logb(a); }, 0.1, 100}},
    {"copysign", {[](double a, double b) { return std::copysign(a, b); }, -2, 2}},
    {"isnan", {[](double a, double) { return std::isnan(a) ? 1.0 : 0.0; }, -2, 2}},
    {"isinf", {[](double a, double) { return std::isinf(a) ? 1.0 : 0.0; }, -2, 2}},
    {"isfinite", {[](double a, double) { return std::isfinite(a) ? 1.0 : 0.0; }, -2, 2}},
};
// clang-format on

/// Those of special_functions_test.cpp and distributions_test.cpp.
std::set<std::string_view> const special{"erfcx",
                                         "normpdf",
                                         "normcdf",
                                         "norminv",
                                         "beta",
                                         "digamma",
                                         "psi",
                                         "li2",
                                         "dilog",
                                         "ellipk",
                                         "ellipe",
                                         "sinc",
                                         "j0",
                                         "j1",
                                         "y0",
                                         "y1",
                                         "i0",
                                         "i1",
                                         "k0",
                                         "k1",
                                         "normal_quantile",
                                         "gamma_p",
                                         "gamma_q",
                                         "gamma_quantile",
                                         "student_t_cdf",
                                         "student_t_quantile",
                                         "beta_i",
                                         "beta_quantile"};

TYPED_TEST(ExpressionOn, EveryFunctionHasItsValue) {
  using Real = typename TypeParam::real;
  for (auto const& [name, arguments] : Expression::functions()) {
    if (name == "if" || special.contains(name))
      continue;
    auto const found = references.find(std::string(name));
    ASSERT_NE(found, references.end()) << "no reference values for " << name;
    auto const& [reference, lower, upper] = found->second;
    constexpr int steps = 10;
    Points points;
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; j <= (arguments == 2 ? steps : 0); ++j)
        points.push_back({rounded<Real>(lower + (upper - lower) * i / steps),
                          rounded<Real>(lower + (upper - lower) * j / steps + 0.0625)});
    auto const text = std::string(name) + (arguments == 2 ? "(x, y)" : "(x)");
    auto const values = on_device<typename TypeParam::space, Real>(Expression::parse(text, {"x", "y"}), points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double const expected = reference(points[i][0], points[i][1]);
      EXPECT_NEAR(values[i], expected, 8 * epsilon<Real>() * std::abs(expected))
          << text << " at " << points[i][0] << ", " << points[i][1];
    }
  }
}

TYPED_TEST(ExpressionOn, IntegerPowersAreProducts) {
  using Real = typename TypeParam::real;
  Points points;
  for (double const x : {0.3, -0.7, 1.1, 1.7, -1.3})
    points.push_back({rounded<Real>(x)});
  auto const check = [&](std::string const& text, auto product) {
    auto const values = on_device<typename TypeParam::space, Real, 1>(Expression::parse(text), points);
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_EQ(values[i], static_cast<double>(product(static_cast<Real>(points[i][0])))) << text;
  };
  check("x^0", [](Real) { return Real(1); });
  check("x^1", [](Real x) { return x; });
  check("x^2", [](Real x) { return Real(x * x); });
  check("pow(x, 3)", [](Real x) { return Real(x * Real(x * x)); });
  check("x^4", [](Real x) { return Real(Real(x * x) * Real(x * x)); });
  check("x^5", [](Real x) { return Real(x * Real(Real(x * x) * Real(x * x))); });
  check("x^-1", [](Real x) { return Real(Real(1) / x); });
  check("x^-3", [](Real x) { return Real(Real(1) / Real(x * Real(x * x))); });
}

/// Expressions that use every kind of step: arithmetic with either operand order, comparison, and selection in its
/// three orders.
std::vector<std::string> const mixture{
    "x + y*z - w/2",
    "(x + y)*(z + w)/(1 + x*w)",
    "1/(1 + exp(-2.5*(z - 0.05)))",
    "2 - (x - (y - (z - w)))",
    "3/(1 + x/(1 + y/(1 + z/(1 + w))))",
    "(2 - x*y) - (3 - (z + w)*(z - w))*(x + y)",
    "-x^2 + 2^-y - (-z)^3 + w^2.5",
    "atan2(x + y, z + w) + atan2(1, x + y) + atan2(x + y, 2) + atan2(x, z)",
    "if(x < y, x*y, z*w) + if(z >= 0.5, 2, 3) + if(x*y < z*w, if(y > w, 1 + x, 2 + y), 3 + z)",
    "if(x + y, if(z > 0.5, if(w > 0.5, x + y, x + z), x + w), 7)",
    "(x < 0.5 || y > 0.5) + (z <= 0.5 && w != 0.25) - !(x == y)",
    "max(x + y, z + w)*min(x, w) + hypot(x, y)^3 - x^-2/8",
};

Points unit_points(int dimension, int count, double shift = 0.1) {
  Points points;
  for (int i = 0; i < count; ++i) {
    points.emplace_back();
    for (int axis = 0; axis < dimension; ++axis)
      points.back().push_back(shift + 0.8 * std::fmod((i + 1) * std::sqrt(axis + 2.0), 1.0));
  }
  return points;
}

double mixture_value(std::size_t i, double x, double y, double z, double w) {
  switch (i) {
  case 0:
    return x + y * z - w / 2;
  case 1:
    return (x + y) * (z + w) / (1 + x * w);
  case 2:
    return 1 / (1 + std::exp(-2.5 * (z - 0.05)));
  case 3:
    return 2 - (x - (y - (z - w)));
  case 4:
    return 3 / (1 + x / (1 + y / (1 + z / (1 + w))));
  case 5:
    return (2 - x * y) - (3 - (z + w) * (z - w)) * (x + y);
  case 6:
    return -(x * x) + std::pow(2, -y) + z * z * z + std::pow(w, 2.5);
  case 7:
    return std::atan2(x + y, z + w) + std::atan2(1, x + y) + std::atan2(x + y, 2) + std::atan2(x, z);
  case 8:
    return (x < y ? x * y : z * w) + (z >= 0.5 ? 2 : 3) + (x * y < z * w ? (y > w ? 1 + x : 2 + y) : 3 + z);
  case 9:
    return x + y != 0 ? (z > 0.5 ? (w > 0.5 ? x + y : x + z) : x + w) : 7;
  case 10:
    return (x < 0.5 || y > 0.5) + (z <= 0.5 && w != 0.25) - !(x == y);
  default:
    return std::max(x + y, z + w) * std::min(x, w) + std::pow(std::hypot(x, y), 3) - 1 / (x * x) / 8;
  }
}

TYPED_TEST(ExpressionOn, TheDeviceComputesWhatTheHostDoes) {
  using Real = typename TypeParam::real;
  auto points = unit_points(4, 50);
  for (auto& point : points)
    for (auto& x : point)
      x = rounded<Real>(x);
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    auto const expression = Expression::parse(mixture[i], {"x", "y", "z", "w"});
    auto const values = on_device<typename TypeParam::space, Real, 4>(expression, points);
    EXPECT_EQ(values, (on_device<typename TypeParam::space, Real>(expression, points))) << mixture[i];
    for (std::size_t p = 0; p < points.size(); ++p) {
      auto const& x = points[p];
      EXPECT_NEAR(values[p], expression(x), 16 * epsilon<Real>() * std::max(1.0, std::abs(expression(x))))
          << mixture[i];
      EXPECT_NEAR(expression(x), mixture_value(i, x[0], x[1], x[2], x[3]), 1e-14) << mixture[i];
    }
  }
}

TYPED_TEST(ExpressionOn, TheBranchNotChosenMayBeNaN) {
  using Real = typename TypeParam::real;
  auto const values =
      on_device<typename TypeParam::space, Real>(Expression::parse("if(x > 0, log(x), -1)"), {{-1.0}, {0.0}, {1.0}});
  EXPECT_EQ(values, (std::vector<double>{-1, -1, 0}));
}

TYPED_TEST(ExpressionOn, TwentyVariables) {
  using Real = typename TypeParam::real;
  std::string text = "1*x1";
  double expected = 0;
  std::vector<double> x;
  for (int i = 1; i <= 20; ++i) {
    if (i > 1)
      text += " + " + std::to_string(i) + "*x" + std::to_string(i);
    x.push_back(i % 3);
    expected += i * x.back();
  }
  auto const expression = Expression::parse(text);
  EXPECT_EQ(expression.dimension(), 20);
  EXPECT_EQ((on_device<typename TypeParam::space, Real, 20>(expression, {x})), std::vector<double>{expected});
}

TYPED_TEST(ExpressionOn, ProgramsMayBeLong) {
  std::string text = "x";
  for (int i = 0; i < 1000; ++i)
    text += " + x*y - y*x";
  EXPECT_EQ((on_device<typename TypeParam::space, typename TypeParam::real>(Expression::parse(text), {{0.5, 0.25}})),
            std::vector<double>{0.5});
}

struct Eq12 {
  double operator()(std::vector<double> const& p) const {
    using namespace std;
    double const a = p[0], b = p[1], c = p[2], d = p[3], x = p[4], y = p[5], z = p[6], v = p[7];
    return sin(2 * numbers::pi * (a + b)) + cos(5 * c * d) + exp(-0.5 * (x * x + v * v)) + exp(-abs(y)) +
           1 / (1 + exp(-25 * (z - 0.05))) + log(1 + abs(a * x)) + 0.01 * (sqrt(1 + 1e-5 * (b * c + d * x)) - 1) +
           (log(1 + 1e-5 * (v + y)) - 1e-5 * (v + y)) +
           0.001 / sqrt(1e-12 + (y - 0.02) * (y - 0.02) + (z + 0.03) * (z + 0.03)) + (exp(8 * a) - exp(8 * a - 1e-5));
  }
};

TYPED_TEST(ExpressionIn, MixedPrecisionEquation12) {
  auto const expression = Expression::parse("sin(2*pi*(a+b))+cos(5*c*d)+exp(-0.5*(x^2+v^2))+exp(-abs(y))+1/"
                                            "(1+exp(-25*(z-0.05)))+log(1+abs(a*x))+0.01*(sqrt("
                                            "1+1e-5*(b*c+d*x))-1)+(log(1+1e-5*(v+y))-1e-5*(v+y))+0.001/"
                                            "sqrt(1e-12+(y-0.02)^2+(z+0.03)^2)+(exp(8*a)-exp(8*a-"
                                            "1e-5))",
                                            {"a", "b", "c", "d", "x", "y", "z", "v"});
  auto const points = unit_points(8, 200, 0);
  auto const values = on_device<TypeParam, double, 8>(expression, points);
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_NEAR(values[i], Eq12{}(points[i]), 3e-12);
}

TYPED_TEST(ExpressionIn, GenzDiscontinuousF6) {
  auto const expression = Expression::parse("if(x1 < 0.4 && x2 < 0.5 && x3 < 0.6 && x4 < 0.7 && x5 < 0.8 && x6 < 0.9, "
                                            "exp(5*x1 + 6*x2 + 7*x3 + 8*x4 + 9*x5 + 10*x6), 0)");
  auto points = unit_points(6, 200, 0);
  points.push_back({0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  points.push_back({0.39, 0.49, 0.59, 0.69, 0.79, 0.89});
  points.push_back({0.39, 0.49, 0.59, 0.69, 0.79, 0.91});
  auto const values = on_device<TypeParam, double, 6>(expression, points);
  int inside = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double sum = 0;
    bool in = true;
    for (int axis = 0; axis < 6; ++axis) {
      sum += (axis + 5) * points[i][axis];
      in = in && points[i][axis] < (axis + 4) / 10.0;
    }
    inside += in;
    double const expected = in ? std::exp(sum) : 0;
    EXPECT_NEAR(values[i], expected, 1e-13 * expected);
  }
  EXPECT_GE(inside, 2);
}

bool global_fence = false;
std::set<std::string>* labels = nullptr;

TYPED_TEST(ExpressionIn, TheUploadIsLabelledAndFencesItsInstanceOnly) {
  namespace Tools = Kokkos::Tools::Experimental;
  auto const expression = Expression::parse("x + y");
  TypeParam const exec;
  std::set<std::string> seen;
  global_fence = false;
  labels = &seen;
  Tools::set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, char const* label, void const*, std::uint64_t) { labels->insert(label); });
  Tools::set_begin_fence_callback([](char const*, std::uint32_t device, std::uint64_t*) {
    auto const instance = Tools::identifier_from_devid(device).instance_id;
    if (instance ==
        Tools::int_for_synchronization_reason(Tools::SpecialSynchronizationCases::GlobalDeviceSynchronization))
      global_fence = true;
  });
  auto const f = expression.on(exec);
  Tools::set_allocate_data_callback(nullptr);
  Tools::set_begin_fence_callback(nullptr);
  EXPECT_EQ(seen, std::set<std::string>{"kubature::expression::program"});
  EXPECT_FALSE(global_fence);
  EXPECT_EQ(f.dimension(), 2);
}

TEST(Expression, Precedence) {
  double const x = 3, y = 2;
  std::vector<std::pair<std::string, double>> const table{
      {"-x^2", -9},
      {"(-x)^2", 9},
      {"2^-y", 0.25},
      {"2^3^2", 512},
      {"2^-y^2", 0.0625},
      {"y^x^y", 512},
      {"-2^2", -4},
      {"--x", 3},
      {"-+-x", 3},
      {"2 - -x", 5},
      {"2*-x", -6},
      {"-x*y", -6},
      {"x - y - 1", 0},
      {"x/y/2", 0.75},
      {"x/y*2", 3},
      {"x - y*2", -1},
      {"x*y^2", 12},
      {"(x - y)*2", 2},
      {"+x", 3},
      {"x < y", 0},
      {"x > y", 1},
      {"x >= 3", 1},
      {"x <= 2.5", 0},
      {"x == 3", 1},
      {"x != 3", 0},
      {"2 < x", 1},
      {"2 > x + y", 0},
      {"x - 1 < y + 1", 1},
      {"x < y == y > x", 1},
      {"1 || 0 && 0", 1},
      {"x > 1 && y > 2 || x > 2", 1},
      {"!x", 0},
      {"!(x < y)", 1},
      {"!x == y", 0},
      {"!x^2", 0},
      {"-!0", -1},
      {"x && 0", 0},
      {"0.5 && -x", 1},
      {"1 + (x > y)", 2},
      {"if(x > y, x, y)", 3},
      {"if(x < y, x, y)", 2},
      {"if(1, x, y)", 3},
      {"if(0, x, y*2)", 4},
      {"if(x, y, 1)", 2},
      {"1e3 + 2.5E-1 + .5 + 1.", 1001.75},
      {"max(x, y) - min(x, y)", 1},
      {"max(x, max(y, -(x + y)))", 3},
      {"log(e)", 1},
      {" \t\n x ", 3},
  };
  for (auto const& [text, expected] : table)
    EXPECT_DOUBLE_EQ(value(text, {x, y}, {"x", "y"}), expected) << text;
  EXPECT_DOUBLE_EQ(value("sin(pi/2) + cos(pi)"), 0);
  EXPECT_DOUBLE_EQ(value("2e0"), 2);
}

TEST(Expression, RoundsHalvesToEven) {
  for (auto const& [x, expected] : {std::pair{0.5, 0.0}, {1.5, 2.0}, {2.5, 2.0}, {-0.5, 0.0}, {-1.5, -2.0}, {0.7, 1.0}})
    EXPECT_EQ(value("rint(x)", {x}), expected) << x;
}

TEST(Expression, ConstantsFold) {
  EXPECT_EQ(instructions("x"), 1);
  EXPECT_EQ(instructions("2"), 1);
  EXPECT_EQ(instructions("2*pi*x"), 1);
  EXPECT_EQ(instructions("sin(pi/3)^2 + atan2(1, 2)*max(3, 4) - -e"), 1);
  EXPECT_EQ(instructions("if(2 > 1, x, sin(y))"), 1);
  EXPECT_EQ(instructions("x + 2*3"), 1);
  EXPECT_DOUBLE_EQ(value("2^10 + 10^-3 + 2^0.5"), 1024.001 + std::numbers::sqrt2);
}

TEST(Expression, OperandsAreFusedFromEitherSide) {
  EXPECT_EQ(instructions("x + y"), 2);
  EXPECT_EQ(instructions("1/(1 + exp(x))"), 4);
  EXPECT_EQ(instructions("x - sin(y)"), 3);
  EXPECT_EQ(instructions("x > sin(y)"), 3);
  EXPECT_EQ(instructions("atan2(x, sin(y))"), 3);
  EXPECT_EQ(instructions("if(x < y, sin(x), 0)"), 5);
  EXPECT_EQ(instructions("x*y + y"), 3);
  EXPECT_EQ(instructions("x^2"), 1);
  EXPECT_EQ(instructions("x^17"), 2);
  EXPECT_EQ(instructions("x^0.5"), 2);
  EXPECT_EQ(instructions("x^-0.5"), 2);
  EXPECT_EQ(instructions("x^y"), 2);
}

TEST(Expression, AStepDoesWhatSeveralDid) {
  EXPECT_EQ(instructions("exp(-625*((x-0.5)^2 + (0.5-y)^2))"), 4);
  EXPECT_EQ(instructions("2*x - y*3 + 4"), 3);
  EXPECT_EQ(instructions("abs(x - 0.3)*abs(0.7 - y)*(x + 1)"), 3);
  EXPECT_EQ(instructions("-(3*sin(x))"), 3);
  EXPECT_EQ(instructions("x/4 + y/-8"), 2);
  EXPECT_EQ(instructions("x/3"), 2);
}

TEST(Expression, AStepThatDoesWhatSeveralDidHasTheirValue) {
  double const inf = std::numeric_limits<double>::infinity();
  for (double const x : {0.5, -0.0, 1e-320, -1e308, inf, std::numeric_limits<double>::quiet_NaN(), 0.1234567})
    for (double const y : {0.25, -inf, 0.7654321}) {
      auto const expect = [&](char const* text, double expected) {
        double const got = value(text, {x, y}, {"x", "y"});
        EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << text << ": " << got;
        EXPECT_EQ(std::signbit(got) || std::isnan(got), std::signbit(expected) || std::isnan(expected)) << text;
      };
      double volatile const a = x - 0.5, b = 0.3 - y, c = 3 * x, d = 2 * y;
      double volatile const aa = a * a, bb = b * b;
      expect("(x-0.5)^2 + (0.3-y)^2", aa + bb);
      expect("(x-0.5)^2 - (0.3-y)^2", aa - bb);
      expect("(x-0.5)^2 * (0.3-y)^2", aa * bb);
      expect("3*x + y*2", c + d);
      expect("3*x - y*2", c - d);
      expect("3*x*(y*2)", c * d);
      expect("abs(x-0.5) - abs(0.3-y)", std::abs(a) - std::abs(b));
      expect("(x-0.5)*(0.3-y)", a * b);
      expect("x^2*abs(y)", (x * x) * std::abs(y));
      expect("-(3*x)", -c);
      expect("x/-4096", x / -4096);
    }
}

/// Factors far from zero and others close to it would overflow by themselves.
TEST(Expression, ProductsOfExponentialsAreOne) {
  EXPECT_EQ(instructions("exp(x)*exp(y)"), instructions("exp(x + y)"));
  EXPECT_EQ(instructions("exp(x)/exp(y)"), instructions("exp(x - y)"));
  EXPECT_EQ(instructions("exp(x)*exp(y)*exp(-x*y)"), instructions("exp(x + y + -x*y)"));
  EXPECT_EQ(instructions("exp(x)*sin(x)*exp(y)"), instructions("sin(x)*exp(x + y)"));
  std::vector<std::string> const names{"x", "y"};
  for (double const x : {0.3, -400.0, 600.0, 1e5})
    for (double const y : {0.7, 800.0}) {
      EXPECT_DOUBLE_EQ(value("exp(2*x)*exp(-x^2/2)", {x}), std::exp(2 * x - x * x / 2)) << x;
      EXPECT_DOUBLE_EQ(value("exp(x)*y*exp(-x)", {x, y}, names), y) << x;
      EXPECT_DOUBLE_EQ(value("exp(-x)/(2*exp(-x))", {x}), 0.5) << x;
      EXPECT_DOUBLE_EQ(value("2/exp(x)*exp(x + 1)", {x}), 2 * std::numbers::e) << x;
      EXPECT_DOUBLE_EQ(value("-exp(x)*-exp(-x)*exp(y - 700)", {x, y}, names), std::exp(y - 700)) << x;
    }
  // A single one stays what it is.
  EXPECT_EQ(value("y*exp(x)", {0.3, 0.7}, names), 0.7 * std::exp(0.3));
}

TEST(Expression, WhatStandsSeveralTimesIsComputedOnce) {
  EXPECT_EQ(instructions("x*y + y*x"), 4);               // x, * y, store, + stored
  EXPECT_EQ(instructions("exp(x*y)*(1 + exp(x*y))"), 5); // x, * y, exp, store, * (stored + 1)
  EXPECT_EQ(instructions("(x - 1)*(x - 1)"), 2);         // no step is saved
  double const x = 0.3, y = 0.7;
  EXPECT_EQ(value("exp(x*y)*(1 + exp(x*y))", {x, y}, {"x", "y"}), std::exp(x * y) * (1 + std::exp(x * y)));
  EXPECT_EQ(value("sin(x)/cos(y) - cos(y)/sin(x) + sin(x)", {x, y}, {"x", "y"}),
            std::sin(x) / std::cos(y) - std::cos(y) / std::sin(x) + std::sin(x));
  EXPECT_EQ(value("if(sin(x) < y, atan2(sin(x), cos(y)), -sin(x))", {x, y}, {"x", "y"}),
            std::atan2(std::sin(x), std::cos(y)));
}

/// More than can be stored, nested within each other.
TEST(Expression, StoresAsMuchAsThereIsRoomFor) {
  std::string text = "x";
  double expected = 0.4;
  for (int k = 1; k <= 14; ++k) {
    text = "(sin(" + text + ") + " + text + "/" + std::to_string(2 * k + 1) + ")";
    expected = std::sin(expected) + expected / (2 * k + 1);
  }
  EXPECT_EQ(value(text, {0.4}), expected);
  EXPECT_LT(Expression::parse(text).instruction_count(), 2000); // 16384 sines as it is written
}

TEST(Expression, CountsOperations) {
  auto const count = [](char const* text) { return Expression::parse(text, {"x", "y"}).operation_count(); };
  EXPECT_EQ(count("x"), 0);
  EXPECT_EQ(count("2*pi*x + sin(y)"), 3);
  EXPECT_EQ(count("x^2"), 1);
  EXPECT_EQ(count("x^3"), 2);
  EXPECT_EQ(count("x^5"), 3);
  EXPECT_EQ(count("x^64"), 6);
  EXPECT_EQ(count("x^-64"), 7);
  EXPECT_EQ(count("if(x < y, x*y, 0)"), 3);
}

TEST(Expression, HighPowersStayAccurate) {
  for (int n = -64; n <= 64; ++n) {
    double const expected = std::pow(1.37, n);
    EXPECT_NEAR(value("x^" + std::to_string(n), {1.37}), expected, 64e-16 * expected) << n;
  }
  EXPECT_DOUBLE_EQ(value("x^65", {1.1}), std::pow(1.1, 65));
  EXPECT_DOUBLE_EQ(value("x^0.5", {2.0}), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(value("x^-0.5", {2.0}), 1 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(value("x^2.5", {2.0}), std::pow(2.0, 2.5));
}

TEST(Expression, VariablesGiveTheDimension) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Expression::parse("x").variables(), Names{"x"});
  EXPECT_EQ(Expression::parse("y").variables(), (Names{"x", "y"}));
  EXPECT_EQ(Expression::parse("w + x").variables(), (Names{"x", "y", "z", "w"}));
  EXPECT_EQ(Expression::parse("s").variables(), (Names{"x", "y", "z", "w", "v", "u", "t", "s"}));
  EXPECT_EQ(Expression::parse("x3 - x1").variables(), (Names{"x1", "x2", "x3"}));
  EXPECT_EQ(Expression::parse("x1024").dimension(), 1024);
  EXPECT_EQ(Expression::parse("2", {"a", "b"}).variables(), (Names{"a", "b"}));
  EXPECT_EQ(Expression::parse("mass*c^2", {"mass", "c"}).text(), "mass*c^2");
  EXPECT_EQ(value("e*pi", {2.0, 3.0}, {"pi", "e"}), 6);
  EXPECT_EQ(value("y - x", {2.0, 3.0}, {"y", "x"}), -1);
}

TEST(Expression, ErrorsNameTheColumn) {
  struct Case {
    std::string text;
    int column;
    std::string problem;
  };
  std::string const operand = "expected a number, a variable, a function or '(', found ";
  std::string const product = " (write * for a product)";
  std::vector<Case> const table{
      {"", 1, "the expression is empty"},
      {"  ", 3, "the expression is empty"},
      {"x + * y", 5, operand + "'*'"},
      {"x +", 4, operand + "the end"},
      {"x ** 2", 4, operand + "'*' (write ^ for a power)"},
      {"*x", 1, operand + "'*'"},
      {"()", 2, operand + "')'"},
      {"x + )", 5, operand + "')'"},
      {"max(x,)", 7, operand + "')'"},
      {"max(,x)", 5, operand + "','"},
      {"x y", 3, "expected an operator, found 'y'" + product},
      {"2x", 2, "expected an operator, found 'x'" + product},
      {"2(x)", 2, "expected an operator, found '('" + product},
      {"x(2)", 2, "expected an operator, found '('" + product},
      {"2exp(x)", 2, "expected an operator, found 'exp'" + product},
      {"(x y)", 4, "expected an operator or ')', found 'y'" + product},
      {"max(x y)", 7, "expected an operator, ',' or ')', found 'y'" + product},
      {"x = y", 3, "expected an operator, found '=' (write == to compare)"},
      {"x & y", 3, "expected an operator, found '&' (write && for 'and')"},
      {"x | y", 3, "expected an operator, found '|' (write || for 'or')"},
      {"x ! y", 3, "expected an operator, found '!'"},
      {"x $ y", 3, "expected an operator, found '$'"},
      {"x + π*y", 5, operand + "'π'"},
      {"x × y", 3, "expected an operator, found '×'"},
      {"π", 1, operand + "'π'"},
      {"(x + 1", 1, "this '(' is not closed"},
      {"2*(x + (1 - x)", 3, "this '(' is not closed"},
      {"sin (x", 5, "this '(' is not closed"},
      {"x + 1)", 6, "this ')' has no '('"},
      {"(x) + 1) + (2", 8, "this ')' has no '('"},
      {"x, y", 2, "',' outside the arguments of a function"},
      {"(x, y)", 3, "',' outside the arguments of a function"},
      {"sin((x, y))", 7, "',' outside the arguments of a function"},
      {"1..2", 1, "'1..2' is not a number"},
      {"x + 1.2.3", 5, "'1.2.3' is not a number"},
      {".", 1, "'.' is not a number"},
      {"x*1e", 3, "'1e' is not a number: its exponent has no digits"},
      {"1e+", 1, "'1e+' is not a number: its exponent has no digits"},
      {"1e*x", 1, "'1e' is not a number: its exponent has no digits"},
      {"1e999", 1, "'1e999' is outside the range of double precision"},
      {"sin x", 5, "expected '(' after the function 'sin', found 'x'"},
      {"x + sin", 8, "expected '(' after the function 'sin', found the end"},
      {"1 + sin()", 5, "'sin' takes 1 argument, given 0"},
      {"sin(x, y)", 1, "'sin' takes 1 argument, given 2"},
      {"1 + atan2(x)", 5, "'atan2' takes 2 arguments, given 1"},
      {"max(x, y, z)", 1, "'max' takes 2 arguments, given 3"},
      {"if(x, y)", 1, "'if' takes 3 arguments, given 2"},
      {"x == y + 1 != z", 12, "== and != cannot be chained: write a == b && b == c"},
      {"1 + foo(x)", 5, "unknown function 'foo'"},
      {"1 + q", 5, "unknown name 'q'; variables are x1 to x1024, or x, y, z, w, v, u, t, s"},
      {"x0", 1, "unknown variable 'x0'; numbered variables are x1 to x1024"},
      {"x1 + x1025", 6, "unknown variable 'x1025'; numbered variables are x1 to x1024"},
      {"x01", 1, "unknown variable 'x01'; numbered variables are x1 to x1024"},
      {"x99999999999", 1, "unknown variable 'x99999999999'; numbered variables are x1 to x1024"},
      {"y + x2", 5, "'y' and 'x2' cannot be mixed: use either x1 to x1024, or x, y, z, w, v, u, t, s"},
      {"x2 + x", 6, "'x2' and 'x' cannot be mixed: use either x1 to x1024, or x, y, z, w, v, u, t, s"},
      {"2*pi", 1, "no variable, so no dimension: name the variables"},
  };
  for (auto const& [text, column, problem] : table) {
    try {
      static_cast<void>(Expression::parse(text));
      ADD_FAILURE() << text << " was accepted";
    } catch (ExpressionError const& error) {
      EXPECT_EQ(error.column(), column) << text;
      EXPECT_EQ(error.problem(), "column " + std::to_string(column) + ": " + problem) << text;
      EXPECT_EQ(error.what(), "expression = " + text + ": " + error.problem());
      EXPECT_EQ(error.argument(), "expression");
      EXPECT_NE(std::string(error.where().file_name()).find("expression_test"), std::string::npos);
    }
  }
}

TEST(Expression, ErrorsNameTheVariablesThatWereGiven) {
  auto const problem = [](std::string const& text, std::vector<std::string> names) -> std::string {
    try {
      static_cast<void>(Expression::parse(text, std::move(names)));
    } catch (ExpressionError const& error) {
      return error.problem();
    }
    return "accepted";
  };
  EXPECT_EQ(problem("a + x", {"a", "b"}), "column 5: unknown name 'x'; the variables are a, b");
  EXPECT_EQ(problem("a + x1", {"a"}), "column 5: unknown name 'x1'; the variable is a");
}

TEST(Expression, RefusesUnusableNames) {
  auto const message = [](std::vector<std::string> names) -> std::string {
    try {
      static_cast<void>(Expression::parse("1", std::move(names)));
    } catch (ExpressionError const&) {
      return "an error of the text";
    } catch (kubature::InvalidArgument const& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({"a", "b", "a"}), "variable = 'a': this name is given twice");
  EXPECT_EQ(message({"2a"}),
            "variable = '2a': a name consists of letters, digits and '_', and must not begin with a digit");
  EXPECT_EQ(message({""}),
            "variable = '': a name consists of letters, digits and '_', and must not begin with a digit");
  EXPECT_EQ(message({"a b"}),
            "variable = 'a b': a name consists of letters, digits and '_', and must not begin with a digit");
  EXPECT_EQ(message({"x", "sin"}), "variable = 'sin': a function has this name");
  EXPECT_EQ(message({"if"}), "variable = 'if': a function has this name");
  std::vector<std::string> names;
  for (int i = 1; i <= 1024; ++i)
    names.push_back(std::string(1, 'a').append(std::to_string(i)));
  EXPECT_EQ(message(names), "accepted");
  names.push_back("a1025");
  EXPECT_EQ(message(names), "number of variables = 1025: an expression has between 1 and 1024 variables");
}

TEST(Expression, RefusesPointsOfAnotherDimension) {
  EXPECT_THROW(Expression::parse("x + y")(std::vector<double>{1.0}), kubature::InvalidArgument);
  EXPECT_THROW(Expression::parse("x + y")(std::vector<double>{1.0, 2.0, 3.0}), kubature::InvalidArgument);
}

TEST(Expression, RefusesTextsThatAreTooLong) {
  std::size_t const longest = 10'000'000;
  EXPECT_EQ(value(std::string(longest - 1, ' ') + "x"), 0.5);
  try {
    Expression::parse(std::string(longest, ' ') + "x");
    ADD_FAILURE() << "accepted";
  } catch (kubature::InvalidArgument const& error) {
    EXPECT_STREQ(error.what(), "length of the expression = 10000001: an expression has at most 10,000,000 characters");
  }
}

TEST(Expression, NestsWithoutLimit) {
  std::size_t const deep = 100000;
  EXPECT_EQ(value(std::string(deep, '(') + "x" + std::string(deep, ')')), 0.5);
  EXPECT_EQ(value(std::string(deep, '-') + "x"), 0.5);
  std::string right = "x", sines, selects = "x";
  for (int i = 0; i < 1000; ++i) {
    right = "(x*x + " + right + "*(x + x))";
    sines += "abs(";
    selects = i % 2 ? "if(x > 0.25, " + selects + ", x + 1)" : "if(x*x > 1, x + 2, 0 + " + selects + ")";
  }
  EXPECT_DOUBLE_EQ(value(right), 0.5 + 1000 * 0.25);
  EXPECT_EQ(value(sines + "x" + std::string(1000, ')')), 0.5);
  EXPECT_EQ(value(selects), 0.5);
}

/// A balanced sum of 2^levels products.
std::string balanced(int levels) {
  return levels == 0 ? "x*x" : "(" + balanced(levels - 1) + "+" + balanced(levels - 1) + ")";
}

TEST(Expression, RefusesWhatTheStackCannotHold) {
  EXPECT_EQ(value(balanced(15)), 32768 * 0.25);
  try {
    static_cast<void>(Expression::parse(balanced(16)));
    ADD_FAILURE() << "was accepted";
  } catch (ExpressionError const& error) {
    EXPECT_EQ(error.problem(), "column 1: too many intermediate results at once: 17, at most 16 are possible");
  }
}

TEST(Expression, ListsItsFunctions) {
  std::set<std::string_view> names;
  for (auto const& [name, arguments] : Expression::functions()) {
    EXPECT_TRUE(names.insert(name).second) << name << " is listed twice";
    EXPECT_GE(arguments, 1);
    EXPECT_LE(arguments, 3);
  }
  EXPECT_TRUE(names.contains("atan2"));
  EXPECT_TRUE(names.contains("if"));
}

} // namespace
} // namespace expression_test
