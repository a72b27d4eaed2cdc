#include "temporary.hpp"

#include <kubature/mcubes.hpp>
#include <kubature/vegas_plus.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

using namespace kubature;

/// Three peaks on the diagonal of the first three of twelve axes.
struct Diagonal {
  static constexpr double places[] = {0.23, 0.39, 0.74};

  KOKKOS_FUNCTION double operator()(Point<double, 12> const& x) const {
    double sum = 0;
    for (double const place : {0.23, 0.39, 0.74}) {
      double square = 0;
      for (int i = 0; i < 3; ++i)
        square += (x[i] - place) * (x[i] - place);
      sum += Kokkos::exp(-50 * square);
    }
    return sum;
  }
  static double integral() {
    double sum = 0;
    double const root = std::sqrt(50.0);
    for (double const place : places)
      sum +=
          std::pow(std::sqrt(std::acos(-1.0)) / 2 / root * (std::erf(root * (1 - place)) + std::erf(root * place)), 3);
    return sum;
  }
};

template <class Method>
class Restratified : public ::testing::Test {};
using Methods = ::testing::Types<MCubes<>, VegasPlus<>>;
TYPED_TEST_SUITE(Restratified, Methods);

TYPED_TEST(Restratified, AFewAxesOfManyGetAllStrata) {
  TypeParam method;
  method.evaluations = 200'000;
  method.iterations = 10;
  auto const before = integrate(method, Diagonal{}, Box<12>{});
  method.restratify = true;
  auto const after = integrate(method, Diagonal{}, Box<12>{});
  double const truth = Diagonal::integral();
  EXPECT_NEAR(before.value, truth, 5 * before.error);
  EXPECT_NEAR(after.value, truth, 5 * after.error);
  EXPECT_LT(after.iterations.back().error, before.iterations.back().error / 2) << before << '\n' << after;
  EXPECT_GT(after.q_value, 1e-4);
  // The first iterations are the same as without it.
  EXPECT_EQ(after.iterations[4].value, before.iterations[4].value);
  EXPECT_LE(after.evaluations, before.evaluations + 300'000);
  auto const limited = integrate(method, Diagonal{}, Box<12>{}, {}, {.evaluations = 1'300'000});
  EXPECT_LE(limited.evaluations, 1'300'000u);
}

TEST(RestratifiedVegasPlus, GoesOnToTheSameBits) {
  TemporaryFolder const folder;
  VegasPlus<> method;
  method.evaluations = 20'000;
  method.iterations = 12;
  method.restratify = true;
  auto const whole = integrate(method, Diagonal{}, Box<12>{});
  method.checkpoint.file = folder.path("state");
  integrate(method, Diagonal{}, Box<12>{}, {}, {.iterations = 8});
  auto const resumed = integrate(method, Diagonal{}, Box<12>{});
  EXPECT_EQ(resumed.value, whole.value);
  EXPECT_EQ(resumed.error, whole.error);
  EXPECT_EQ(resumed.evaluations, whole.evaluations);
}

/// A ball around the centre in five of twelve variables: strata along these gain less than a trial requires.
struct Ball {
  KOKKOS_FUNCTION double operator()(Point<double, 12> const& x) const {
    double square = 0;
    for (int i = 0; i < 5; ++i)
      square += (x[i] - 0.5) * (x[i] - 0.5);
    return square < 0.16 ? 1 : 0;
  }
};

/// The sum of all variables, of which a map leaves only noise along each axis.
struct Linear {
  KOKKOS_FUNCTION double operator()(Point<double, 12> const& x) const {
    double sum = 0;
    for (int i = 0; i < 12; ++i)
      sum += x[i];
    return sum;
  }
};

VegasPlus<> large(std::optional<bool> restratify = {}) {
  VegasPlus<> method;
  method.evaluations = 100'000;
  method.restratify = restratify;
  return method;
}

TEST(RestratifiedVegasPlus, IsChosenWhereATrialShowsThatItPays) {
  auto const even = integrate(large(false), Diagonal{}, Box<12>{}), own = integrate(large(), Diagonal{}, Box<12>{});
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_EQ(own.iterations[k].value, even.iterations[k].value);
  EXPECT_LT(own.iterations.back().error, 0.6 * even.iterations.back().error) << own;
  EXPECT_LT(own.error, 0.7 * even.error);
  EXPECT_NEAR(own.value, Diagonal::integral(), 5 * own.error);
  EXPECT_GT(own.q_value, 1e-4);
  EXPECT_LE(own.evaluations, even.evaluations + 260'000);

  auto short_of_iterations = large();
  short_of_iterations.iterations = 17;
  auto even_then = large(false);
  even_then.iterations = 17;
  auto const few = integrate(short_of_iterations, Diagonal{}, Box<12>{});
  EXPECT_EQ(few.evaluations, integrate(even_then, Diagonal{}, Box<12>{}).evaluations);
}

template <class F>
void expect_even_strata(F const& f, bool tried) {
  auto const even = integrate(large(false), f, Box<12>{}), own = integrate(large(), f, Box<12>{});
  ASSERT_EQ(own.iterations.size(), even.iterations.size());
  for (std::size_t k = 0; k < own.iterations.size(); ++k) {
    EXPECT_EQ(own.iterations[k].value, even.iterations[k].value) << k;
    EXPECT_EQ(own.iterations[k].error, even.iterations[k].error) << k;
  }
  EXPECT_EQ(own.value, even.value);
  EXPECT_EQ(own.error, even.error);
  // A few samples look for axes that matter; if there are any, an iteration is drawn again.
  EXPECT_GT(own.evaluations, even.evaluations + (tried ? 90'000u : 0u));
  EXPECT_LE(own.evaluations, even.evaluations + (tried ? 260'000u : 50'000u));
}

TEST(RestratifiedVegasPlus, LeavesItsBitsToWhatTheTrialRefuses) {
  expect_even_strata(Ball{}, true);
  expect_even_strata(Linear{}, false);
}

TEST(RestratifiedVegasPlus, HasHonestErrorsByItself) {
  constexpr int seeds = 5;
  double squares = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto method = large();
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = integrate(method, Diagonal{}, Box<12>{});
    squares += std::pow((result.value - Diagonal::integral()) / result.error, 2);
  }
  EXPECT_NEAR(std::sqrt(squares / seeds), 1, 4 / std::sqrt(2.0 * seeds));
}

/// Before the trial, and after it.
TEST(RestratifiedVegasPlus, KeepsTheTrialInItsCheckpoint) {
  auto const whole = integrate(large(), Diagonal{}, Box<12>{});
  for (int const iterations : {7, 8}) {
    TemporaryFolder const folder;
    auto method = large();
    method.checkpoint.file = folder.path("state");
    integrate(method, Diagonal{}, Box<12>{}, {}, {.iterations = iterations});
    auto const resumed = integrate(method, Diagonal{}, Box<12>{});
    EXPECT_EQ(resumed.value, whole.value);
    EXPECT_EQ(resumed.error, whole.error);
    EXPECT_EQ(resumed.evaluations, whole.evaluations);
  }
}

TEST(Restratification, TriesOnceWhereThereAreFewStrataAnAxisAndManyIterationsAhead) {
  using detail::Restratification;
  auto const after = [](Restratification trial, std::vector<double> const& errors) {
    for (double const error : errors)
      trial.learn(error, 100'000);
    return trial;
  };
  std::vector<double> const seven(7, 1.0), eight(8, 1.0);
  EXPECT_FALSE(after({{}, 100'000}, seven).tries(12'500, 8, 12));
  EXPECT_TRUE(after({{}, 100'000}, eight).tries(12'500, 8, 12));
  EXPECT_FALSE(after({{}, 100'000}, eight).tries(12'500, 8, 9));
  EXPECT_FALSE(after({{}, 100'000}, eight).tries(12'500, 5, 12));
  EXPECT_FALSE(after({{}, 99'999}, eight).tries(12'500, 8, 12));
  EXPECT_FALSE(after({false, 100'000}, eight).tries(12'500, 8, 12));
  EXPECT_FALSE(after({true, 100'000}, eight).tries(12'500, 8, 12));
  auto trial = after({{}, 100'000}, eight);
  trial.end();
  EXPECT_FALSE(trial.tries(12'500, 8, 12));
  trial.restart();
  EXPECT_TRUE(after(trial, eight).tries(12'500, 8, 12));
}

TEST(Restratification, ComparesWithTheLeastErrorOfThreeIterations) {
  detail::Restratification trial({}, 100'000);
  for (double const error : {0.1, 1.0, 3.0, 2.0})
    trial.learn(error, 100'000);
  EXPECT_TRUE(trial.pays(0.74, 100'000));
  EXPECT_FALSE(trial.pays(0.76, 100'000));
  EXPECT_TRUE(trial.pays(0.37, 400'000)); // errors fall with the square root of the number of samples
  EXPECT_FALSE(trial.pays(0.38, 400'000));
  EXPECT_TRUE(trial.may_pay(2.9, 100'000));
  EXPECT_FALSE(trial.may_pay(3.1, 100'000));
  EXPECT_FALSE(trial.pays(std::nan(""), 100'000));
}

TEST(StrataByWeights, AreInProportion) {
  std::vector<double> const weights{4, 2, 1};
  detail::Strata<3> const strata(3, 2'000, weights);
  EXPECT_LE(strata.cubes, 1'000u);
  EXPECT_GT(strata.cubes, 700u);
  EXPECT_EQ(strata.cubes, static_cast<std::uint64_t>(strata.counts[0]) * static_cast<unsigned>(strata.counts[1]) *
                              static_cast<unsigned>(strata.counts[2]));
  EXPECT_NEAR(strata.counts[0], 4 * strata.counts[2], 3);
  EXPECT_NEAR(strata.counts[1], 2 * strata.counts[2], 1);
  EXPECT_GE(strata.samples, 2u);
  std::vector<double> const one{0, 1e-30, 0}, none{0, 0, 0};
  detail::Strata<3> const along(3, 2'000, one), even(3, 2'000, none), plain(3, 2'000);
  EXPECT_EQ(along.counts[0], 1);
  EXPECT_EQ(along.counts[1], 1'000);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(even.counts[i], plain.counts[i]);
}

/// For a function with these means and variances in each part, in a sample of this size.
TEST(VarianceAlongAnAxis, IsThatOfTheMeansWithoutTheNoise) {
  double const samples = 1000;
  detail::SumsInParts sums;
  double const mean[] = {1, 2, 3, 4, 5};
  for (int k = 0; k < detail::axis_parts; ++k) {
    sums.sum[k] = mean[k] * samples / 5;
    sums.squares[k] = mean[k] * mean[k] * samples / 5;
  }
  // Five times the sum of ((mean - 3) / 5)^2 is 2; the noise is that of the numbers of samples in the parts.
  detail::VarianceAlong const along(sums, samples);
  EXPECT_NEAR(along.variance, 2, 0.05);
  EXPECT_TRUE(along.clear());
  for (int k = 0; k < detail::axis_parts; ++k)
    sums.squares[k] = 1e4 * samples / 5;
  detail::VarianceAlong const noise(sums, samples);
  EXPECT_EQ(noise.variance, 0);
  EXPECT_FALSE(noise.clear());
}

} // namespace
