#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <string>

namespace variance_test {
namespace {

using namespace kubature;

struct Everywhere {
  double value;
  KOKKOS_FUNCTION double operator()(Point<double, 2> const&) const { return value; }
};

/// 1 where x_1 < 1/2: the edge falls on a border of the strata if their number along the first axis is even.
struct Step {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return x[0] < 0.5 ? 1 : 0; }
};

/// A peak that no sample sees.
struct Peak {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const {
    double const a = x[0] - 0.123, b = x[1] - 0.789;
    return Kokkos::exp(-1e13 * (a * a + b * b));
  }
};

/// Zero, and x_1.
struct Two {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, 2> const& x) const { return {0, x[0]}; }
};

template <class Method>
class Variance : public ::testing::Test {};
using Methods = ::testing::Types<PlainMonteCarlo<>, QuasiMonteCarlo<>, MCubes<>, VegasPlus<>>;
TYPED_TEST_SUITE(Variance, Methods);

template <class Method>
Method few() {
  Method method;
  method.evaluations = 20'000;
  return method;
}

TYPED_TEST(Variance, ZerosAreNoEstimate) {
  for (Tolerance const tolerance : {Tolerance{}, Tolerance{.relative = 1e-3}, Tolerance{.absolute = 1e-3}}) {
    auto const result = integrate(few<TypeParam>(), Peak{}, Box<2>{}, tolerance);
    EXPECT_EQ(result.status, Status::no_variance);
    EXPECT_EQ(result.value, 0);
    EXPECT_EQ(result.error, 0);
    EXPECT_FALSE(result.remarks.empty());
  }
  EXPECT_EQ(integrate(few<TypeParam>(), Peak{}, Box<2>{}, {.relative = 1e-3}, {.iterations = 6}).status,
            Status::no_variance);
}

TYPED_TEST(Variance, AConstantConvergesWithItsRounding) {
  for (double const value : {0.1, -3.0, 1e-200}) {
    auto const result = integrate(few<TypeParam>(), Everywhere{value}, Box<2>{}, {.relative = 1e-6});
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.value / value, 1, 1e-12);
    EXPECT_GT(result.error, 0);
    EXPECT_LT(result.error, 1e-12 * std::abs(value));
  }
}

/// Zero beside components that vary is exact, as far as samples tell; a remark says which one it is.
TYPED_TEST(Variance, AZeroComponentKeepsNoRelativeToleranceFromBeingMet) {
  auto const relative = integrate(few<TypeParam>(), Two{}, Box<2>{}, {.relative = 1e-2}, {.iterations = 8});
  EXPECT_EQ(relative.status, Status::converged);
  EXPECT_NE(relative.remarks.at(0).find("component 1"), std::string::npos);
  auto const absolute = integrate(few<TypeParam>(), Two{}, Box<2>{}, {.absolute = 1e-2});
  EXPECT_EQ(absolute.status, Status::converged);
}

TEST(Variance, StepsOnBordersOfStrataAreNoConstant) {
  // 20,000 samples make 100 x 100 cubes, and the map of one interval stays as it is.
  auto const result = integrate(MCubes{.evaluations = 20'000, .bins = 1}, Step{}, Box<2>{}, {.relative = 1e-3});
  EXPECT_EQ(result.status, Status::no_variance);
  EXPECT_NEAR(result.value, 0.5, 1e-12);
}

} // namespace
} // namespace variance_test
