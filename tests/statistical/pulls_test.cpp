#include "unit/pulls.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pulls_test {
namespace {

using namespace kubature;

/// Honest errors have pulls of mean 0 and deviation 1. Over n seeds these scatter by 1/sqrt(n) and 1/sqrt(2 n); the
/// bounds are four times that.
void expect_honest(Pulls const& p, int seeds, int dof) {
  EXPECT_NEAR(p.mean, 0, 4 / std::sqrt(seeds));
  EXPECT_NEAR(p.deviation, 1, 4 / std::sqrt(2.0 * seeds));
  EXPECT_NEAR(p.chi2_per_dof, 1, 4 * std::sqrt(2.0 / (dof * seeds)));
}

constexpr int seeds = 200;

TEST(Pulls, OfPlainMonteCarlo) {
  expect_honest(pulls(PlainMonteCarlo{.evaluations = 5000}, suite::F1<5>{}, Box<5>{}, 0.0202424221199018969, seeds),
                seeds, 9);
  expect_honest(pulls(PlainMonteCarlo{.evaluations = 5000}, suite::Linear<10>{}, Box<10>{}, 5, seeds), seeds, 9);
}

// With fewer evaluations the first iterations would not see the peak.
TEST(Pulls, OfMCubesOnAPeak) {
  expect_honest(pulls(MCubes{.evaluations = 20'000}, suite::F4<5>{}, Box<5>{}, 1.79132603674878596e-06, seeds), seeds,
                14);
}

TEST(Pulls, OfMCubesOnAKink) {
  expect_honest(pulls(MCubes{.evaluations = 10'000}, suite::F5<8>{}, Box<8>{}, 2.42521762564188556e-06, seeds), seeds,
                14);
}

TEST(Pulls, OfMCubesOnAProductOfPeaks) {
  expect_honest(pulls(MCubes{.evaluations = 10'000}, suite::F2<6>{}, Box<6>{}, 12868879901109.8775, seeds), seeds, 14);
}

TEST(Pulls, OfMCubesOnALinearFunction) {
  expect_honest(pulls(MCubes{.evaluations = 10'000}, suite::Linear<10>{}, Box<10>{}, 5, seeds), seeds, 14);
}

TEST(Pulls, OfMCubesInSinglePrecision) {
  expect_honest(
      pulls(MCubes{.evaluations = 20'000, .precision = fp32}, suite::F4<5>{}, Box<5>{}, 1.79132603674878596e-06, seeds),
      seeds, 14);
}

TEST(Pulls, OfVegasPlusOnPeaks) {
  expect_honest(pulls(VegasPlus{.evaluations = 20'000}, suite::F4<5>{}, Box<5>{}, 1.79132603674878596e-06, seeds),
                seeds, 14);
  expect_honest(pulls(VegasPlus{.evaluations = 10'000}, suite::F2<6>{}, Box<6>{}, 12868879901109.8775, seeds), seeds,
                14);
  expect_honest(pulls(VegasPlus{.evaluations = 20'000}, suite::Gaussian<4>{}, Box<4>{}, 1, seeds), seeds, 14);
}

TEST(Pulls, OfVegasPlusOnAKink) {
  expect_honest(pulls(VegasPlus{.evaluations = 10'000}, suite::F5<8>{}, Box<8>{}, 2.42521762564188556e-06, seeds),
                seeds, 14);
}

TEST(Pulls, OfVegasPlusOnALinearFunction) {
  expect_honest(pulls(VegasPlus{.evaluations = 10'000}, suite::Linear<10>{}, Box<10>{}, 5, seeds), seeds, 14);
}

TEST(Pulls, OfMixedPrecisionInRegions) {
  for (Strategy const strategy : {Strategy::region, Strategy::hybrid}) {
    MixedPrecision const mixed{.evaluations = 10'000, .strategy = strategy, .regions = 64};
    expect_honest(pulls(mixed, suite::mixed_eq12(), Box<8>{}, 2.8282944324665, seeds), seeds, 9);
    expect_honest(pulls(mixed, suite::F1<5>{}, Box<5>{}, 0.0202424221199018969, seeds), seeds, 9);
  }
}

} // namespace
} // namespace pulls_test
