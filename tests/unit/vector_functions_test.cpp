#include <kubature/detail/expression/vector_functions.hpp>
#include <kubature/expression.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace kubature;
using namespace kubature::detail::expression;

namespace vector_functions_test {

struct Case {
  char const* name;
  Opcode opcode;
  long double (*of)(long double a, long double b);
};

#define KUBATURE_CASE(name)                                                                                            \
  {#name, Opcode::name, [](long double a, long double) -> long double { return std::name(a); }},
std::vector<Case> const cases = {KUBATURE_CASE(exp) KUBATURE_CASE(exp2) KUBATURE_CASE(log) KUBATURE_CASE(log2)
                                     KUBATURE_CASE(log10) KUBATURE_CASE(log1p) KUBATURE_CASE(cbrt) KUBATURE_CASE(sin)
                                         KUBATURE_CASE(cos) KUBATURE_CASE(tan) KUBATURE_CASE(asin) KUBATURE_CASE(acos)
                                             KUBATURE_CASE(atan) KUBATURE_CASE(tanh) KUBATURE_CASE(atanh)
                                                 KUBATURE_CASE(erf) KUBATURE_CASE(erfc)
#undef KUBATURE_CASE
#define KUBATURE_CASE(name)                                                                                            \
  {#name, Opcode::name, [](long double a, long double b) -> long double { return std::name(a, b); }},
                                                     KUBATURE_CASE(pow) KUBATURE_CASE(atan2) KUBATURE_CASE(hypot)
#undef KUBATURE_CASE
};

/// Arguments that functions treat in different ways, then random ones of all magnitudes.
template <class Real>
std::vector<Real> arguments(int n, unsigned seed) {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> all{0,
                        Real(-0.0),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        1,
                        -1,
                        2,
                        -2,
                        Real(0.5),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::min(),
                        Limits::denorm_min(),
                        -Limits::denorm_min(),
                        709,
                        -745,
                        3};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<Real> number(-1, 1), magnitude(-6, 3);
  for (int i = 0; i < n; ++i)
    all.push_back(number(random) * std::pow(Real(10), magnitude(random)));
  return all;
}

/// The distance from the true value in units of its last place; infinite for a wrong infinity or NaN.
template <class Real>
double distance(Real value, long double truth) {
  Real const nearest = static_cast<Real>(truth);
  if (std::isnan(nearest) || std::isnan(value))
    return std::isnan(nearest) && std::isnan(value) ? 0 : std::numeric_limits<double>::infinity();
  if (value == nearest)
    return 0;
  if (std::isinf(nearest) || std::isinf(value))
    return std::numeric_limits<double>::infinity();
  int exponent;
  std::frexp(nearest, &exponent);
  using Limits = std::numeric_limits<Real>;
  int const last = std::max(exponent - Limits::digits, Limits::min_exponent - Limits::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - truth) / std::ldexp(1.0L, last));
}

template <class Real>
void compare(double allowed) {
  if (!vector_function(Opcode::exp, Real{}))
    GTEST_SKIP() << "built without vector functions, or a processor without them";
  for (auto const& one : cases) {
    auto const function = vector_function(one.opcode, Real{});
    ASSERT_TRUE(function) << one.name;
    auto const left = arguments<Real>(5000, 1), right = arguments<Real>(5000, 2);
    auto value = left;
    function(value.data(), right.data(), static_cast<int>(value.size()));
    for (std::size_t i = 0; i < value.size(); ++i) {
      EXPECT_LE(distance(value[i], one.of(left[i], right[i])), allowed)
          << one.name << ' ' << left[i] << ' ' << right[i];
      Real alone = left[i]; // the same bits in any company
      function(&alone, &right[i], 1);
      EXPECT_TRUE(std::memcmp(&alone, &value[i], sizeof alone) == 0 || (std::isnan(alone) && std::isnan(value[i])))
          << one.name << ' ' << left[i] << ' ' << right[i];
    }
  }
}

TEST(VectorFunctions, AreThoseOfTheCLibraryInDoublePrecision) { compare<double>(1.01); }
TEST(VectorFunctions, AreThoseOfTheCLibraryInSinglePrecision) { compare<float>(1.01); }

TEST(VectorFunctions, LeaveOtherFunctionsToTheCLibrary) {
  for (auto const opcode : {Opcode::sinh, Opcode::lgamma, Opcode::floor, Opcode::add, Opcode::table})
    EXPECT_FALSE(vector_function(opcode, double{}));
}

TEST(VectorFunctions, GiveFormulasTheSameValuesAtOnePointAsAtMany) {
  auto const formula = Expression::parse("exp(-x)*sin(3*y) + pow(x + 1, y) + atan2(x, y)", {"x", "y"});
  auto const f = formula.on(Kokkos::DefaultHostExecutionSpace());
  Point<double, dynamic> points[32];
  for (int w = 0; w < 32; ++w) {
    points[w].set_size(2);
    points[w][0] = (w + 0.5) / 32;
    points[w][1] = 1 / (w + 1.5);
  }
  double values[32];
  f.batch(points, values);
  for (int w = 0; w < 32; ++w)
    EXPECT_EQ(values[w], f(points[w])) << w;
}

} // namespace vector_functions_test
