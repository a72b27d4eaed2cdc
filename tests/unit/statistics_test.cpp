#include <kubature/statistics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace statistics_test {
namespace {

using kubature::Estimate;

TEST(Combine, AveragesWithEqualWeights) {
  std::vector<Estimate> const estimates{{1.0, 0.1}, {2.0, 0.2}};
  auto const all = kubature::combine(estimates);
  EXPECT_DOUBLE_EQ(all.value, 1.5);
  EXPECT_DOUBLE_EQ(all.error, std::sqrt(0.01 + 0.04) / 2);
  EXPECT_DOUBLE_EQ(all.chi2, 25 + 6.25);
  EXPECT_EQ(all.dof, 1);
}

TEST(Combine, UsesTheWeightsGiven) {
  std::vector<Estimate> const estimates{{1.0, 0.1, 3}, {2.0, 0.2, 1}};
  auto const all = kubature::combine(estimates);
  EXPECT_DOUBLE_EQ(all.value, 1.25);
  EXPECT_DOUBLE_EQ(all.error, std::sqrt(0.09 + 0.04) / 4);
}

TEST(Combine, InverseVariancesGiveTheSmallestError) {
  std::vector<Estimate> const estimates{{1.0, 0.1, 100}, {2.0, 0.2, 25}};
  auto const all = kubature::combine(estimates);
  EXPECT_DOUBLE_EQ(all.value, (100 * 1.0 + 25 * 2.0) / 125);
  EXPECT_DOUBLE_EQ(all.error, 1 / std::sqrt(125.0));
}

TEST(Combine, AnIterationThatMissedThePeakDoesNotWin) {
  std::vector<Estimate> const estimates{{0.0, 0.0, INFINITY}, {1.0, 0.1, 100}};
  auto const all = kubature::combine(estimates);
  EXPECT_DOUBLE_EQ(all.value, 0.5);
  EXPECT_DOUBLE_EQ(all.error, 0.05);
  EXPECT_TRUE(std::isinf(all.chi2));
  EXPECT_EQ(all.q_value(), 0);
}

TEST(Combine, ExactEstimatesStayExact) {
  std::vector<Estimate> const estimates{{2.5, 0.0, INFINITY}, {2.5, 0.0, INFINITY}, {2.5, 0.0, INFINITY}};
  auto const all = kubature::combine(estimates);
  EXPECT_EQ(all.value, 2.5);
  EXPECT_EQ(all.error, 0);
  EXPECT_EQ(all.chi2, 0);
  EXPECT_EQ(all.q_value(), 1);
}

TEST(Combine, NothingToCombineIsNotANumber) {
  EXPECT_TRUE(std::isnan(kubature::combine({}).value));
  EXPECT_TRUE(std::isnan(kubature::combine(std::vector<Estimate>{{1, 1}}).chi2_per_dof()));
}

TEST(Combine, KeepsTheRangeOfTinyAndHugeErrors) {
  std::vector<Estimate> const tiny{{1e-200, 1e-201, 1e300}, {2e-200, 1e-201, 1e300}};
  EXPECT_DOUBLE_EQ(kubature::combine(tiny).value, 1.5e-200);
  EXPECT_DOUBLE_EQ(kubature::combine(tiny).error, 1e-201 / std::sqrt(2.0));
  std::vector<Estimate> const huge{{1e200, 1e199, 1e-300}, {2e200, 1e199, 1e-300}};
  EXPECT_DOUBLE_EQ(kubature::combine(huge).value, 1.5e200);
  EXPECT_DOUBLE_EQ(kubature::combine(huge).error, 1e199 / std::sqrt(2.0));
}

// Upper tail probabilities from the tables of Abramowitz and Stegun (26.7) and to more digits from their 26.4.4-5.
TEST(WidenedError, IsThatOfTheMeanWhereEstimatesAgree) {
  std::vector<Estimate> const estimates{{1.0, 0.1}, {1.2, 0.1}, {0.9, 0.1}};
  auto const all = kubature::combine(estimates);
  EXPECT_EQ(kubature::widened_error(estimates, all), all.error);
}

TEST(WidenedError, CoversEstimatesThatDisagree) {
  std::vector<Estimate> const estimates{{1.0, 0.1}, {2.0, 0.1}}; // chi^2 = 50
  auto const all = kubature::combine(estimates);
  EXPECT_DOUBLE_EQ(kubature::widened_error(estimates, all), 0.5);
  std::vector<Estimate> const without{{1.0, 0.1}, {0.0, 0.0, INFINITY}, {0.0, 0.0, INFINITY}};
  auto const scattered = kubature::combine(without);
  EXPECT_TRUE(std::isinf(scattered.chi2));
  EXPECT_DOUBLE_EQ(kubature::widened_error(without, scattered), 1 / 3.0);
}

/// Of a jump that few samples saw: by chi^2 alone the error would be 1e11.
TEST(WidenedError, EndsAtTheFarthestEstimate) {
  std::vector<Estimate> const estimates{{1.0, 0.1}, {1.5, 0.1}, {1.1, 1e-13}};
  auto const all = kubature::combine(estimates);
  EXPECT_GT(all.error * std::sqrt(all.chi2_per_dof()), 1e10);
  EXPECT_DOUBLE_EQ(kubature::widened_error(estimates, all), 0.3);
}

TEST(ChiSquare, SurvivalMatchesKnownValues) {
  EXPECT_NEAR(kubature::chi2_survival(1, 1), 0.31731050786291415, 1e-15);
  EXPECT_NEAR(kubature::chi2_survival(2, 2), std::exp(-1.0), 1e-15);
  EXPECT_NEAR(kubature::chi2_survival(3.841458820694124, 1), 0.05, 1e-14);
  EXPECT_NEAR(kubature::chi2_survival(18.307038053275146, 10), 0.05, 1e-14);
  EXPECT_NEAR(kubature::chi2_survival(14.067140449340169, 7), 0.05, 1e-14);
  EXPECT_EQ(kubature::chi2_survival(0, 5), 1);
  EXPECT_GT(kubature::chi2_survival(1000, 1000), 0.4);
  EXPECT_LT(kubature::chi2_survival(1000, 1000), 0.5);
  EXPECT_TRUE(std::isnan(kubature::chi2_survival(1, 0)));
  EXPECT_TRUE(std::isnan(kubature::chi2_survival(NAN, 3)));
}

} // namespace
} // namespace statistics_test
