#include "correlated.hpp"

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace covariance_test {
namespace {

using namespace kubature;
using correlated_methods::correlated;

/// x, y, x + y and x - 2 y: the covariances of a sample are rational multiples of 1/12.
struct Related {
  KOKKOS_FUNCTION Kokkos::Array<double, 4> operator()(Point<double, 2> const& x) const {
    return {x[0], x[1], x[0] + x[1], x[0] - 2 * x[1]};
  }
};

/// Zeros, a function, its copy, and others that are very small and very large.
struct Hard {
  KOKKOS_FUNCTION Kokkos::Array<double, 5> operator()(Point<double, 2> const& x) const {
    double const f = Kokkos::exp(-5 * (x[0] - x[1]) * (x[0] - x[1]));
    return {f, 0, f, 1e-30 * x[0], 1e30 * f * x[1]};
  }
};

/// Five functions, and the sums of each pair of the first four.
struct Sums {
  KOKKOS_FUNCTION Kokkos::Array<double, 11> operator()(Point<double, 2> const& x) const {
    Kokkos::Array<double, 11> f{x[0], x[1], x[0] * x[1] + 1, Kokkos::exp(-3 * x[0]), Kokkos::sqrt(x[1])};
    for (int j = 1; j < 4; ++j)
      for (int i = 0; i < j; ++i)
        f[5 + detail::pair_place(i, j)] = f[i] + f[j];
    return f;
  }
};

struct Identity {
  KOKKOS_FUNCTION double operator()(double x) const { return x; }
};

template <int C>
struct Many {
  KOKKOS_FUNCTION Kokkos::Array<double, C> operator()(Point<double, 2> const& x) const {
    Kokkos::Array<double, C> values;
    double power = 1;
    for (int c = 0; c < C; ++c) {
      values[c] = power;
      power *= c % 2 == 0 ? x[0] : x[1] + 0.5;
    }
    return values;
  }
};

template <class Method>
class CovarianceOf : public ::testing::Test {};
using Methods = ::testing::Types<PlainMonteCarlo<>, MCubes<>, VegasPlus<>, MixedPrecision<Fp64>>;
TYPED_TEST_SUITE(CovarianceOf, Methods);

TYPED_TEST(CovarianceOf, LinearRelationsHoldForValuesAndErrors) {
  auto const method = correlated<TypeParam>(20'000);
  auto const result = integrate(method, Related{}, Box<2>{});
  ASSERT_TRUE(result.has_covariance());
  double const error = result.error[0];
  EXPECT_NEAR(result.value[2], result.value[0] + result.value[1], 1e-6 * error);
  auto const difference = result.linear(std::array<double, 4>{1, -2, 0, -1});
  EXPECT_NEAR(difference.value, 0, 1e-6 * error);
  EXPECT_LT(difference.error, 1e-5 * error);
  double const sum = result.covariance(0, 0) + 2 * result.covariance(0, 1) + result.covariance(1, 1);
  EXPECT_NEAR(result.error[2], std::sqrt(sum), 1e-6 * error);
  EXPECT_NEAR(result.linear(std::array<double, 4>{1, 1, 0, 0}).error, result.error[2], 1e-6 * error);
  EXPECT_NEAR(result.sum().value, result.value[0] + result.value[1] + result.value[2] + result.value[3], 1e-12);
  EXPECT_NEAR(result.covariance(0, 3), result.covariance(0, 0) - 2 * result.covariance(0, 1), 1e-6 * error * error);

  // Two of the four are independent.
  auto const included = std::count_if(result.iterations.begin(), result.iterations.end(),
                                      [](auto const& iteration) { return iteration.included; });
  EXPECT_EQ(result.dof, 2 * (included - 1));

  // The sums of each component are the same as without products, to the bit.
  auto without = method;
  without.covariance = Covariance::diagonal;
  auto const diagonal = integrate(without, Related{}, Box<2>{});
  ASSERT_EQ(diagonal.iterations.size(), result.iterations.size());
  for (std::size_t k = 0; k < result.iterations.size(); ++k)
    for (int c = 0; c < 4; ++c) {
      EXPECT_EQ(result.iterations[k].value[c], diagonal.iterations[k].value[c]);
      EXPECT_EQ(result.iterations[k].error[c], diagonal.iterations[k].error[c]);
    }
  EXPECT_TRUE(diagonal.correlations.empty());
  EXPECT_TRUE(diagonal.iterations[0].correlations.empty());

  without.covariance = Covariance::none;
  auto const none = integrate(without, Related{}, Box<2>{});
  EXPECT_FALSE(none.has_covariance());
  EXPECT_TRUE(none.iterations[0].correlations.empty());
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(none.value[c], diagonal.value[c]);
    EXPECT_EQ(none.error[c], diagonal.error[c]);
  }
}

TYPED_TEST(CovarianceOf, ZerosCopiesAndAllSizes) {
  auto const result = integrate(correlated<TypeParam>(10'000), Hard{}, Box<2>{});
  EXPECT_EQ(result.value[1], 0);
  EXPECT_EQ(result.error[1], 0);
  EXPECT_EQ(result.correlation(0, 1), 0);
  EXPECT_NEAR(result.value[2], result.value[0], 1e-6 * result.error[0]);
  EXPECT_NEAR(result.correlation(0, 2), 1, 1e-9);
  EXPECT_NEAR(result.ratio(2, 0).value, 1, 1e-6 * result.error[0]);
  EXPECT_LT(result.ratio(2, 0).error, 1e-4 * result.error[0]);
  EXPECT_NEAR(result.value[3], 0.5e-30, 5 * result.error[3]);
  EXPECT_GT(result.error[3], 1e-35);
  EXPECT_LT(result.error[3], 1e-32);
  EXPECT_NEAR(result.correlation(0, 4) * result.error[0] * result.error[4], result.covariance(0, 4),
              1e-9 * result.error[0] * result.error[4]);
  EXPECT_GT(result.correlation(0, 4), 0.1);
  auto const included = std::count_if(result.iterations.begin(), result.iterations.end(),
                                      [](auto const& iteration) { return iteration.included; });
  EXPECT_EQ(result.dof, 3 * (included - 1));
  EXPECT_GT(kubature::chi2_survival(result.chi2, result.dof), 1e-4);
}

/// On devices, teams sum the products of this many components together.
TYPED_TEST(CovarianceOf, HoldsInEachIterationOfManyComponents) {
  auto method = correlated<TypeParam>(20'000);
  auto const result = integrate(method, Sums{}, Box<2>{});
  method.covariance = Covariance::diagonal;
  auto const diagonal = integrate(method, Sums{}, Box<2>{});
  for (std::size_t k = 0; k < result.iterations.size(); ++k) {
    auto const& [value, error, correlations] =
        std::tie(result.iterations[k].value, result.iterations[k].error, result.iterations[k].correlations);
    for (int c = 0; c < 11; ++c) {
      EXPECT_EQ(value[c], diagonal.iterations[k].value[c]);
      EXPECT_EQ(error[c], diagonal.iterations[k].error[c]);
    }
    for (int j = 1; j < 4; ++j)
      for (int i = 0; i < j; ++i) {
        auto const p = static_cast<std::size_t>(detail::pair_place(i, j));
        double const variance = error[i] * error[i] + error[j] * error[j] + 2 * correlations[p] * error[i] * error[j];
        EXPECT_NEAR(std::sqrt(variance), error[5 + static_cast<int>(p)], 1e-9 * (error[i] + error[j])) << i << ' ' << j;
      }
  }
}

TYPED_TEST(CovarianceOf, OneComponentNeedsNoOption) {
  TypeParam method;
  method.evaluations = 1000;
  auto const result = integrate(method, unpack(Identity{}), Box<1>{});
  EXPECT_EQ(result.covariance(0, 0), result.error * result.error);
  EXPECT_EQ(result.ratio(0, 0).error, 0);
  EXPECT_DOUBLE_EQ(result.linear(std::array<double, 1>{-3}).error, 3 * result.error);
  EXPECT_DOUBLE_EQ(result.chi2 / result.dof, result.chi2_per_dof);
}

TEST(Covariance, OfUniformSamplesIsKnown) {
  auto const result = integrate(correlated<PlainMonteCarlo<>>(100'000), Related{}, Box<2>{});
  double const unit = 1.0 / 12 / 1e6, bound = 5 * unit * std::sqrt(5.0 / 1e6) * 3; // of 10 iterations
  double const expected[4][4] = {{1, 0, 1, 1}, {0, 1, 1, -2}, {1, 1, 2, -1}, {1, -2, -1, 5}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_NEAR(result.covariance(i, j), expected[i][j] * unit, bound) << i << ' ' << j;
}

TEST(Covariance, OfAsManyComponentsAsThereMayBe) {
  auto const result = integrate(correlated<VegasPlus<>>(20'000), Many<32>{}, Box<2>{});
  auto const few = integrate(VegasPlus{.evaluations = 20'000}, Many<32>{}, Box<2>{});
  for (int c = 0; c < 32; ++c) {
    EXPECT_NEAR(result.value[c], few.value[c], 5 * few.error[c]) << c;
    EXPECT_LT(result.error[c], 2 * few.error[c]) << c;
  }
  EXPECT_EQ(result.correlations.size(), 32u * 31 / 2);
  for (double const correlation : result.correlations)
    EXPECT_LE(std::abs(correlation), 1);
}

TEST(Covariance, GoesOnFromACheckpoint) {
  auto method = correlated<VegasPlus<>>(2000);
  auto const whole = integrate(method, Related{}, Box<2>{});
  auto const file = std::filesystem::temp_directory_path() / ("kubature-covariance-" + std::to_string(::getpid()));
  method.checkpoint = {.file = file.string(), .seconds = 0};
  integrate(method, Related{}, Box<2>{}, {}, {}, [](Progress const& progress) { return progress.iteration < 8; });
  auto other = method;
  other.covariance = Covariance::diagonal;
  EXPECT_THROW(integrate(other, Related{}, Box<2>{}), InvalidArgument);
  other = method;
  other.driver = component(1);
  EXPECT_THROW(integrate(other, Related{}, Box<2>{}), InvalidArgument);
  auto const resumed = integrate(method, Related{}, Box<2>{});
  std::filesystem::remove(file);
  EXPECT_EQ(resumed.correlations, whole.correlations);
  EXPECT_EQ(resumed.chi2, whole.chi2);
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(resumed.value[c], whole.value[c]);
    EXPECT_EQ(resumed.error[c], whole.error[c]);
  }
}

TEST(Covariance, OfMoreIsRefused) {
  try {
    integrate(correlated<PlainMonteCarlo<>>(1000), Many<33>{}, Box<2>{});
    ADD_FAILURE();
  } catch (InvalidArgument const& refused) {
    EXPECT_EQ(refused.argument(), "PlainMonteCarlo.covariance");
    EXPECT_NE(refused.problem().find("33 components"), std::string::npos);
  }
}

TEST(Covariance, WhatNeedsItIsRefusedByTheOptionsName) {
  auto const result = integrate(PlainMonteCarlo{.evaluations = 1000}, Related{}, Box<2>{});
  EXPECT_FALSE(result.has_covariance());
  for (auto const& ask : std::vector<std::function<void()>>{[&] { result.ratio(0, 1); },
                                                            [&] { result.covariance(0, 0); }, [&] { result.sum(); }})
    try {
      ask();
      ADD_FAILURE();
    } catch (InvalidArgument const& refused) {
      EXPECT_NE(refused.problem().find("Covariance::full"), std::string::npos);
    }
}

TEST(Covariance, OfWrongComponentsIsRefused) {
  auto const result = integrate(correlated<PlainMonteCarlo<>>(1000), Related{}, Box<2>{});
  EXPECT_THROW(result.ratio(0, 4), InvalidArgument);
  EXPECT_THROW(result.correlation(-1, 0), InvalidArgument);
  EXPECT_THROW(result.linear(std::array<double, 3>{}), InvalidArgument);
}

TEST(Covariance, IsPrintedAsATable) {
  Result<Kokkos::Array<double, 2>> result;
  result.value = {1.5, 2.5};
  result.error = {0.2, 0.3};
  result.chi2_per_dof = {0.5, 9};
  result.chi2 = 11;
  result.dof = 10;
  result.correlations = {-0.25};
  std::ostringstream text;
  text << result << '\n' << result.ratio(0, 1);
  EXPECT_NE(text.str().find("chi2/dof 1.10"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("\n  correlations\n   1.000\n  -0.250  1.000\n0.60(12)"), std::string::npos) << text.str();
}

} // namespace
} // namespace covariance_test
