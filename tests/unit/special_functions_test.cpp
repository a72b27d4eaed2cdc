#include "bessel_values.hpp"
#include "expression_values.hpp"
#include "special_function_values.hpp"

#include <kubature/error.hpp>
#include <kubature/expression.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace special_functions_test {
namespace {

using expression_values::on_host;
using Kokkos::Experimental::half_t;
using kubature::Expression;
using kubature::special_function_values::Row;
namespace values = kubature::special_function_values;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::map<std::string, std::span<Row const>> const table{
    {"j0", values::j0},           {"j1", values::j1},           {"y0", values::y0},
    {"y1", values::y1},           {"i0", values::i0},           {"i1", values::i1},
    {"k0", values::k0},           {"k1", values::k1},           {"sinc", values::sinc},
    {"erfcx", values::erfcx},     {"normpdf", values::normpdf}, {"normcdf", values::normcdf},
    {"norminv", values::norminv}, {"digamma", values::digamma}, {"psi", values::digamma},
    {"li2", values::li2},         {"dilog", values::li2},       {"ellipk", values::ellipk},
    {"ellipe", values::ellipe},   {"beta", values::beta},
};

/// The values at the points of the table, W side by side.
template <class Space, class Real, int W>
std::vector<double> evaluated(std::string const& function, std::span<Row const> rows) {
  std::vector<std::array<double, 2>> at;
  for (auto const& row : rows)
    at.push_back({row.a, row.b});
  auto const text = function + (function == "beta" ? "(x, y)" : "(x)");
  return expression_values::evaluated<Space, Real, W>(text, {"x", "y"}, at);
}

template <class Space>
struct SpecialFunctions : testing::Test {};
using Spaces = testing::Types<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>;
TYPED_TEST_SUITE(SpecialFunctions, Spaces);

TYPED_TEST(SpecialFunctions, AgreeWithValuesOfMultiplePrecision) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  for (auto const& [name, rows] : table) {
    auto const found = evaluated<TypeParam, double, 1>(name, rows);
    double const bound = name == "beta" ? 8 : 4; // CUDA's tgamma may be off by more than others'
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_NEAR(found[i], rows[i].value, bound * epsilon * rows[i].scale) << name << " at " << rows[i].a;
    EXPECT_EQ(found, (evaluated<TypeParam, double, 4>(name, rows))) << name;
    EXPECT_EQ(found, (evaluated<TypeParam, double, 32>(name, rows))) << name;
  }
}

TYPED_TEST(SpecialFunctions, AreRefusedInOtherKernelsOfDevices) {
  auto const f = Expression::parse("j0(x)");
  if constexpr (on_host<TypeParam>)
    EXPECT_NO_THROW(f.on(TypeParam()));
  else
    EXPECT_THROW(f.on(TypeParam()), kubature::InvalidArgument);
}

TYPED_TEST(SpecialFunctions, AreRoundedInOtherPrecisions) {
  if (!on_host<TypeParam>)
    GTEST_SKIP() << "batches are evaluated in double precision";
  auto const check = [](auto zero) {
    using Real = decltype(zero);
    for (auto const& [name, rows] : table) {
      std::vector<Row> rounded(rows.begin(), rows.end());
      for (auto& row : rounded) {
        row.a = static_cast<double>(static_cast<float>(static_cast<Real>(static_cast<float>(row.a))));
        row.b = static_cast<double>(static_cast<float>(static_cast<Real>(static_cast<float>(row.b))));
      }
      auto const exact = evaluated<TypeParam, double, 1>(name, rounded);
      auto const found = evaluated<TypeParam, Real, 1>(name, rounded);
      auto const many = evaluated<TypeParam, Real, 32>(name, rounded);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        auto const expected = static_cast<double>(static_cast<float>(static_cast<Real>(static_cast<float>(exact[i]))));
        bool const defined = !std::isnan(expected);
        EXPECT_TRUE(defined ? found[i] == expected && many[i] == expected : std::isnan(found[i]) && std::isnan(many[i]))
            << name << " at " << rounded[i].a << ": " << found[i] << ", not " << expected;
      }
    }
  };
  check(float());
  check(half_t());
}

TEST(SpecialFunctionsAtTheirEnds, AreInfiniteZeroOrUndefined) {
  auto const at = [](std::string const& text, double x) { return Expression::parse(text, {"x"})(std::vector{x}); };
  for (auto const* zero : {"j0(x)", "j1(x)", "y0(x)", "y1(x)", "k0(x)", "k1(x)", "sinc(x)", "erfcx(x)", "normpdf(x)"})
    EXPECT_EQ(at(zero, infinity), 0) << zero;
  for (auto const* undefined : {"y0(x)", "y1(x)", "k0(x)", "k1(x)", "norminv(x)", "digamma(x)", "ellipk(-2*x)"})
    EXPECT_TRUE(std::isnan(at(undefined, -1))) << undefined;
  for (auto const* infinite :
       {"i0(x)", "i1(x)", "-y0(x-x)", "k1(x)", "k0(x)", "ellipk(1+x)", "-norminv(x)", "norminv(1-x)"})
    EXPECT_EQ(at(infinite, infinite[0] == 'i' ? infinity : 0), infinity) << infinite;
  EXPECT_EQ(at("digamma(x)", 0.0), -infinity);
  EXPECT_EQ(at("normcdf(x)", -infinity), 0);
  EXPECT_EQ(at("normcdf(x)", infinity), 1);
  EXPECT_EQ(at("ellipe(x)", 1), 1);
  EXPECT_EQ(at("ellipe(x)", -infinity), infinity);
  EXPECT_EQ(at("beta(x, 2)", infinity), 0);
  for (auto const& [name, rows] : table) {
    auto const text = name + (name == "beta" ? "(x, x)" : "(x)");
    EXPECT_TRUE(std::isnan(at(text, std::numeric_limits<double>::quiet_NaN()))) << name;
  }
}

} // namespace
} // namespace special_functions_test
