#include "refused.hpp"

#include <kubature/batched.hpp>
#include <kubature/detail/components/matrix_products.hpp>
#include <kubature/mcubes.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/plain_monte_carlo.hpp>
#include <kubature/vegas_plus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <unistd.h>

// Components known at run time. The tests of covariances need Kokkos Kernels, and run if the library has them: in
// scripts/test in a separate build.

namespace {

using namespace kubature;
using Space = Kokkos::DefaultExecutionSpace;

/// What batched() is given: a kernel that evaluates f(c, x) for each component.
template <int D, class F>
struct Evaluate {
  F f;

  struct Kernel {
    F f;
    BatchPoints<Space> points;
    BatchValues<Space> values;

    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      Point<double, D> x;
      for (int i = 0; i < D; ++i)
        x[i] = points(k, i);
      for (int c = 0; c < static_cast<int>(values.extent(1)); ++c)
        values(k, c) = f(c, x);
    }
  };

  void operator()(Space const& exec, BatchPoints<Space> const& at, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("test::components::evaluate",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, at.extent(0)),
                         Kernel{f, at, values});
  }
};

/// A peak, its product with x, 1e10 times its product with y, and, where x is below `edge`, a NaN.
struct Peak {
  double edge = 0;
  KOKKOS_FUNCTION double operator()(int c, Point<double, 2> const& x) const {
    if (x[0] < edge)
      return Kokkos::Experimental::quiet_NaN_v<double>;
    double const peak = Kokkos::exp(-20 * ((x[0] - 0.4) * (x[0] - 0.4) + (x[1] - 0.6) * (x[1] - 0.6)));
    return c == 0 ? peak : c == 1 ? peak * x[0] : 1e10 * peak * x[1];
  }
};

/// 2^(1/2) cos((c + 1) pi x), of variance 1 and uncorrelated; then a zero, a copy of the first, the sum of all before
/// that copy, and very small and very large ones.
struct Waves {
  static constexpr int waves = 40, zero = waves, copy = waves + 1, sum = waves + 2, small = waves + 3,
                       large = waves + 4, count = waves + 5;
  KOKKOS_FUNCTION double operator()(int c, Point<double, 1> const& x) const {
    if (c == zero)
      return 0;
    if (c == copy)
      return wave(0, x[0]);
    if (c == small)
      return 1e-30 * x[0];
    if (c == large)
      return 1e30 * x[0] * x[0];
    if (c < waves)
      return wave(c, x[0]);
    double all = 0;
    for (int k = 0; k < waves; ++k)
      all += wave(k, x[0]);
    return all;
  }
  KOKKOS_FUNCTION static double wave(int c, double x) {
    return std::numbers::sqrt2 * Kokkos::cos((c + 1) * std::numbers::pi * x);
  }
};

/// exp(-c x y / 300): the mean over the square is the sum of (-c / 300)^k / (k! (k + 1)^2).
struct Family {
  KOKKOS_FUNCTION double operator()(int c, Point<double, 2> const& x) const {
    return Kokkos::exp(-c * x[0] * x[1] / 300);
  }
  static double integral(int c) {
    double sum = 0, term = 1;
    for (int k = 0; k < 60; ++k) {
      sum += term / ((k + 1.0) * (k + 1.0));
      term *= -c / 300.0 / (k + 1);
    }
    return sum;
  }
};

template <class Method>
Method with(std::uint64_t evaluations, bool full = detail::has_matrix_products()) {
  Method method;
  method.evaluations = evaluations;
  method.covariance = full ? Covariance::full : Covariance::diagonal;
  if constexpr (requires { method.strategy; })
    method.strategy = Strategy::region;
  return method;
}

template <class Method>
class ComponentsAtRunTime : public ::testing::Test {};
using Methods = ::testing::Types<PlainMonteCarlo<>, MCubes<>, VegasPlus<>, MixedPrecision<Fp64>>;
TYPED_TEST_SUITE(ComponentsAtRunTime, Methods);

/// With the same samples: with regions, mixed precision has an even number in each if components are known at run time.
template <class Method>
Method with_the_same_samples(std::uint64_t evaluations, bool full = detail::has_matrix_products()) {
  auto method = with<Method>(evaluations, full);
  if constexpr (requires { method.driver; })
    method.driver = Driver::first; // others have strata by the variance of what trains the map
  if constexpr (requires { method.strategy; })
    method.strategy = Strategy::term;
  return method;
}

/// Except for the order in which they are added.
TYPED_TEST(ComponentsAtRunTime, AreThoseKnownAtCompileTime) {
  for (int const driver : {0, 2}) {
    auto method = with_the_same_samples<TypeParam>(20'000);
    if constexpr (requires { method.driver; })
      method.driver = component(driver);
    else if (driver > 0)
      break;
    Evaluate<2, Peak> const f{};
    auto const known = integrate(method, batched<3>(f), Box<2>{});
    auto const result = integrate(method, batched(f, 3), Box<2>{});
    ASSERT_EQ(result.components(), 3);
    EXPECT_EQ(result.status, known.status);
    EXPECT_LE(result.evaluations, known.evaluations); // which are audited
    EXPECT_GE(result.evaluations, known.evaluations - known.evaluations / 32);
    EXPECT_EQ(result.iterations.size(), known.iterations.size());
    EXPECT_EQ(result.method, known.method);
    EXPECT_EQ(result.seed, known.seed);
    // Errors of mixed precision come from the scatter within segments: they agree up to the scatter of these estimates.
    bool const mixed = std::is_same_v<TypeParam, MixedPrecision<Fp64>>;
    double const apart = mixed ? 0.01 : 1e-8;
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(result.value[c], known.value[c], 1e-6 * known.error[c]);
      EXPECT_NEAR(result.error[c], known.error[c], apart * known.error[c]);
      EXPECT_NEAR(result.chi2_per_dof[c], known.chi2_per_dof[c], mixed ? 0.02 : 1e-6);
    }
    if (!detail::has_matrix_products())
      continue;
    EXPECT_EQ(result.dof, known.dof);
    EXPECT_NEAR(result.chi2, known.chi2, mixed ? 1 : 1e-4);
    for (int j = 1; j < 3; ++j)
      for (int i = 0; i < j; ++i)
        EXPECT_NEAR(result.correlation(i, j), known.correlation(i, j), apart);
  }
}

TYPED_TEST(ComponentsAtRunTime, EndWhenAllComponentsMeetTheTolerance) {
  auto const method = with<TypeParam>(20'000, false);
  auto const result = integrate(method, batched(Evaluate<2, Peak>{}, 3), Box<2>{}, {.relative = 5e-3});
  EXPECT_EQ(result.status, Status::converged) << result;
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_LE(result.error[c], 5e-3 * result.value[c]);
}

TYPED_TEST(ComponentsAtRunTime, CountValuesThatAreNotFinite) {
  Evaluate<2, Peak> const f{{.edge = 0.01}};
  auto method = with_the_same_samples<TypeParam>(20'000, false);
  auto const ended = integrate(method, batched(f, 3), Box<2>{});
  EXPECT_EQ(ended.status, Status::non_finite);
  EXPECT_TRUE(std::isnan(ended.value[0]) && std::isnan(ended.value[2]));
  method.non_finite = NonFinite::discard;
  auto const known = integrate(method, batched<3>(f), Box<2>{});
  auto const result = integrate(method, batched(f, 3), Box<2>{});
  EXPECT_EQ(result.non_finite, known.non_finite);
  EXPECT_GT(result.non_finite, 0u);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(result.value[c], known.value[c], 1e-6 * known.error[c]);
}

/// A call with a time limit is launched in slices.
TYPED_TEST(ComponentsAtRunTime, GiveTheSameBitsInSlices) {
  auto method = with<TypeParam>(50'000); // more chunks than fit into a batch
  method.iterations = 6;
  auto const f = batched(Evaluate<2, Family>{}, 40);
  auto const result = integrate(method, f, Box<2>{}), sliced = integrate(method, f, Box<2>{}, {}, {.seconds = 1e6});
  EXPECT_EQ(result.value, sliced.value);
  EXPECT_EQ(result.error, sliced.error);
  EXPECT_EQ(result.correlations, sliced.correlations);
}

std::size_t allocated = 0, most_allocated = 0;

void allocate(Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t size) {
  allocated += size;
  most_allocated = std::max(most_allocated, allocated);
}
void free(Kokkos_Profiling_SpaceHandle, char const*, void const*, std::uint64_t size) { allocated -= size; }

template <class Method>
void expect_limits_of_memory(Method const& method) {
  constexpr std::size_t bytes = 50'000'000;
  allocated = most_allocated = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(allocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(free);
  auto const f = batched(Evaluate<2, Family>{}, 1000);
  auto const result = integrate(method, f, Box<2>{}, {}, {.bytes = bytes});
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  ASSERT_EQ(result.status, Status::completed);
  EXPECT_LE(most_allocated, bytes);
  EXPECT_GT(most_allocated, 1'000'000u);
  ASSERT_EQ(result.components(), 1000);
  double largest = 0, squares = 0;
  for (int c = 1; c < 1000; ++c) {
    auto const place = static_cast<std::size_t>(c);
    double const pull = (result.value[place] - Family::integral(c)) / result.error[place];
    largest = std::max(largest, std::abs(pull));
    squares += pull * pull;
  }
  EXPECT_LT(largest, 5);
  EXPECT_LT(squares / 999, 9); // this is one number, or two, since they are dependent
  EXPECT_EQ(integrate(method, f, Box<2>{}, {}, {.bytes = 1'000'000}).status, Status::memory_exhausted);
}

/// A full covariance exceeds it, with four times 8 MB, three of them in vectors on the host.
TEST(AThousandComponents, KeepToLimitsOfMemory) {
  auto method = with<VegasPlus<>>(1'000);
  method.iterations = 2;
  method.skip = 0;
  expect_limits_of_memory(method);
}
/// Besides the points by which regions are chosen.
TEST(AThousandComponents, KeepToLimitsOfMemoryInMixedPrecision) {
  auto method = with<MixedPrecision<Fp64>>(1'000, false);
  method.iterations = 2;
  expect_limits_of_memory(method);
}

TYPED_TEST(ComponentsAtRunTime, HaveErrorsOfLinearCombinations) {
  if (!detail::has_matrix_products())
    GTEST_SKIP() << "built without Kokkos Kernels";
  auto method = with<TypeParam>(10'000);
  if constexpr (requires { method.driver; })
    method.driver = component(1);
  auto const result = integrate(method, batched(Evaluate<1, Waves>{}, Waves::count), Box<1>{});
  ASSERT_TRUE(result.has_covariance());
  EXPECT_EQ(result.value[Waves::zero], 0);
  EXPECT_EQ(result.error[Waves::zero], 0);
  EXPECT_EQ(result.correlation(Waves::zero, 3), 0);
  EXPECT_NEAR(result.correlation(0, Waves::copy), 1, 1e-12);
  EXPECT_EQ(result.value[0], result.value[Waves::copy]);
  EXPECT_LE(result.ratio(0, Waves::copy).error, std::sqrt(2e-12) * result.error[0] / std::abs(result.value[0]));
  EXPECT_NEAR(result.value[Waves::small], 0.5e-30, 5 * result.error[Waves::small]);
  EXPECT_NEAR(result.value[Waves::large], 1e30 / 3, 5 * result.error[Waves::large]);
  EXPECT_GT(result.correlation(Waves::small, Waves::large), 0.8);
  // A combination that is zero for every sample has no error: the sum less its terms.
  std::vector<double> weights(Waves::count, 0.0);
  for (std::size_t c = 0; c < Waves::waves; ++c)
    weights[c] = 1;
  double const sum = result.linear(weights).error;
  EXPECT_NEAR(sum, result.error[Waves::sum], 1e-9 * sum);
  weights[Waves::sum] = -1;
  auto const nothing = result.linear(weights);
  EXPECT_NEAR(nothing.value, 0, 1e-9 * sum);
  EXPECT_NEAR(nothing.error, 0, 1e-5 * sum);
  // A zero, a copy and a sum do not contribute: of 45 components 42 are independent.
  int const iterations = result.method == "mc" || result.method == "mixed" ? 10 : 15;
  EXPECT_EQ(result.dof, 42 * (iterations - 1));
  EXPECT_NEAR(result.chi2 / result.dof, 1, 6 * std::sqrt(2.0 / result.dof));
}

/// Plain Monte Carlo knows the covariances of waves, which have variance 1 and no correlations.
TEST(ComponentsOfPlainMonteCarlo, HaveTheCovarianceThatIsKnown) {
  PlainMonteCarlo<> method = with<PlainMonteCarlo<>>(20'000);
  auto const result = integrate(method, batched(Evaluate<1, Waves>{}, Waves::waves), Box<1>{});
  double const n = static_cast<double>(result.evaluations), spread = 1 / std::sqrt(n);
  for (int j = 0; j < Waves::waves; ++j) {
    EXPECT_NEAR(result.error[static_cast<std::size_t>(j)] * std::sqrt(n), 1, 5 * spread) << j;
    for (int i = 0; i < j && result.has_covariance(); ++i)
      EXPECT_NEAR(result.correlation(i, j), 0, 6 * spread);
  }
}

TYPED_TEST(ComponentsAtRunTime, HaveHonestErrors) {
  auto method = with<TypeParam>(2'000);
  method.iterations = 8;
  double squares[3] = {};
  constexpr int seeds = 30;
  for (int seed = 0; seed < seeds; ++seed) {
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = integrate(method, batched(Evaluate<2, Family>{}, 40), Box<2>{});
    auto const pull = [](ValueAndError const& of, double truth) { return (of.value - truth) / of.error; };
    squares[0] += std::pow(pull({result.value[30], result.error[30]}, Family::integral(30)), 2);
    if (!result.has_covariance())
      continue;
    double sum = 0;
    for (int c = 0; c < 40; ++c)
      sum += Family::integral(c);
    squares[1] += std::pow(pull(result.ratio(30, 10), Family::integral(30) / Family::integral(10)), 2);
    squares[2] += std::pow(pull(result.sum(), sum), 2);
  }
  for (double const square : squares)
    if (square > 0) { // chi^2 of 30 degrees of freedom
      EXPECT_GT(square / seeds, 0.3);
      EXPECT_LT(square / seeds, 2.2);
    }
}

/// A call that is stopped resumes to the same bits as one that was not; another number of components is refused.
class GoOnFromACheckpoint : public ::testing::TestWithParam<Driver> {};
INSTANTIATE_TEST_SUITE_P(ComponentsAtRunTimeOfVegasPlus, GoOnFromACheckpoint,
                         ::testing::Values(component(3), Driver::balanced));
TEST_P(GoOnFromACheckpoint, ToTheSameBits) {
  auto const file = std::filesystem::temp_directory_path() / ("kubature-components-" + std::to_string(::getpid()));
  auto method = with<VegasPlus<>>(5'000);
  method.iterations = 12;
  method.driver = GetParam();
  auto const f = batched(Evaluate<2, Family>{}, 40);
  auto const through = integrate(method, f, Box<2>{});
  method.checkpoint = {.file = file.string(), .seconds = 0};
  SeveralResult result;
  for (int iteration : {3, 4, 9, 100}) {
    result = integrate(method, f, Box<2>{}, {}, {}, [&](Progress const& at) { return at.iteration < iteration; });
    EXPECT_EQ(result.status, iteration == 100 ? Status::completed : Status::stopped);
    if (iteration == 4)
      expect_refused([&] { integrate(method, batched(Evaluate<2, Family>{}, 41), Box<2>{}); },
                     "VegasPlus.checkpoint.file", file.string());
  }
  EXPECT_EQ(result.value, through.value);
  EXPECT_EQ(result.error, through.error);
  EXPECT_EQ(result.correlations, through.correlations);
  EXPECT_EQ(result.chi2_per_dof, through.chi2_per_dof);
  EXPECT_EQ(result.dof, through.dof);
  EXPECT_EQ(result.evaluations, through.evaluations);
  EXPECT_EQ(result.iterations.size(), through.iterations.size());
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(ComponentsAtRunTimeRefuse, WhatIsNotServed) {
  Evaluate<2, Family> const f{};
  expect_refused([&] { batched(f, 0); }, "components", "0");
  expect_refused([&] { integrate(VegasPlus<>{.driver = component(5)}, batched(f, 5), Box<2>{}); }, "VegasPlus.driver",
                 "5");
  if (!detail::has_matrix_products())
    expect_refused([&] { integrate(with<MCubes<>>(1000, true), batched(f, 5), Box<2>{}); }, "MCubes.covariance",
                   "full");
}

} // namespace
