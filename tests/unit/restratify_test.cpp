#include "temporary.hpp"

#include <kubature/mcubes.hpp>
#include <kubature/vegas_plus.hpp>

#include <gtest/gtest.h>

#include <cmath>
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
  // The first iterations are those without it.
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

/// Of a function with these means and variances in each part, in a sample of so many.
TEST(VarianceAlongAnAxis, IsThatOfTheMeansWithoutTheNoise) {
  double const samples = 1000;
  detail::SumsInParts sums;
  double const mean[] = {1, 2, 3, 4, 5};
  for (int k = 0; k < detail::axis_parts; ++k) {
    sums.sum[k] = mean[k] * samples / 5;
    sums.squares[k] = mean[k] * mean[k] * samples / 5;
  }
  // Five times the sum of ((mean - 3) / 5)^2 is 2; the noise is that of the numbers of samples in the parts.
  EXPECT_NEAR(detail::variance_along(sums, samples), 2, 0.05);
  for (int k = 0; k < detail::axis_parts; ++k)
    sums.squares[k] = 1e4 * samples / 5;
  EXPECT_EQ(detail::variance_along(sums, samples), 0);
}

} // namespace
