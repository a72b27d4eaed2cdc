#include <kubature/detail/call/estimates.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

/// When a call of samples ends, from the estimates of its iterations: no integrand is evaluated.
namespace estimates_test {
namespace {

using namespace kubature;
using kubature::detail::Estimates;
using kubature::detail::Step;

Callback const none;

Estimates call(Tolerance tolerance, Limits limits = {}, int components = 1) {
  return Estimates(1e-16, "test", components, components, {tolerance, limits, none, {}});
}

Step step(std::vector<double> value, std::vector<double> error, bool adaptive = false, bool included = true) {
  Step one;
  one.iteration = {std::move(value), std::move(error), 1000, included};
  one.adaptive = adaptive;
  return one;
}

TEST(Estimates, TwoThatAgreeConverge) {
  auto run = call({.relative = 1e-2});
  run.add(step({1}, {0.001}), NonFinite::error);
  EXPECT_FALSE(run.ended()); // one alone tells nothing of its error
  run.add(step({1.001}, {0.001}), NonFinite::error);
  EXPECT_TRUE(run.ended());
  auto const result = run.finish();
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_DOUBLE_EQ(result.value[0], 1.0005);
  EXPECT_TRUE(result.remarks.empty());
}

TEST(Estimates, ThoseThatDisagreeGoOn) {
  auto run = call({.relative = 1e-2});
  run.add(step({1}, {0.0001}), NonFinite::error);
  run.add(step({1.008}, {0.0001}), NonFinite::error);
  EXPECT_FALSE(run.ended()); // by more than their errors, and half of what is allowed
  EXPECT_FALSE(run.wants_more(2, 1000));
  auto const result = run.finish();
  EXPECT_EQ(result.status, Status::iteration_limit);
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_NE(result.remarks[0].find("disagree"), std::string::npos);
  EXPECT_NEAR(result.error[0], 0.004, 1e-12); // the distance of the farthest
}

TEST(Estimates, ADisagreementFarBelowTheToleranceDoesNotMatter) {
  auto run = call({.relative = 1e-1});
  run.add(step({1}, {0.0001}), NonFinite::error);
  run.add(step({1.008}, {0.0001}), NonFinite::error);
  auto const result = run.finish();
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_TRUE(result.remarks.empty());
  EXPECT_NEAR(result.error[0], 0.004, 1e-12); // widened all the same
}

TEST(Estimates, ZerosHaveNoVariance) {
  auto run = call({.relative = 1e-2});
  for (int k = 0; k < 2; ++k)
    run.add(step({0}, {0}), NonFinite::error);
  auto const result = run.finish();
  EXPECT_EQ(result.status, Status::no_variance);
  EXPECT_EQ(result.remarks.at(0), "all values were the same: a peak may have been missed");
}

TEST(Estimates, ZerosBesideOthersAreExact) {
  auto run = call({.relative = 1e-2}, {}, 3);
  for (int k = 0; k < 2; ++k)
    run.add(step({1, 0, 0}, {1e-4, 0, 0}), NonFinite::error);
  auto const result = run.finish();
  EXPECT_EQ(result.status, Status::converged);
  ASSERT_EQ(result.remarks.size(), 1u);
  EXPECT_EQ(result.remarks[0],
            "all values of component 2 were the same: a peak may have been missed; the same holds for 1 more");
}

TEST(Estimates, TheLastIterationOfTrainingStandsInWhereNoneCounts) {
  auto run = call({.relative = 1e-9}, {.evaluations = 2500});
  run.add(step({1}, {0.2}, true, false), NonFinite::error);
  run.add(step({1.1}, {0.1}, true, false), NonFinite::error);
  EXPECT_FALSE(run.wants_more(10, 1000));
  auto const result = run.finish();
  EXPECT_EQ(result.status, Status::evaluation_limit);
  EXPECT_EQ(result.value[0], 1.1);
  EXPECT_EQ(result.error[0], 0.1);
  EXPECT_EQ(result.evaluations, 2000u);
}

TEST(Estimates, WhatWasKeptInReserveStandsInForAllIterations) {
  auto run = call({.relative = 1e-9}, {.evaluations = 1500});
  run.keep_pilot(step({0.9}, {0.3}), NonFinite::error);
  EXPECT_FALSE(run.wants_more(10, 1000));
  auto const result = run.finish();
  EXPECT_EQ(result.value[0], 0.9);
  EXPECT_EQ(result.evaluations, 1000u);
}

TEST(Estimates, MissingEvaluationsFollowTheSquareRoot) {
  auto run = call({.relative = 1e-3});
  run.add(step({1}, {0.01}), NonFinite::error);
  EXPECT_EQ(run.missing(), 0); // nothing is known yet
  run.add(step({1}, {0.01}), NonFinite::error);
  EXPECT_NEAR(run.missing(), 2000 * (50 - 1), 1); // an error of 0.01 / sqrt(2), to be 0.001
}

TEST(Estimates, AnAuditHoldsUpConvergence) {
  auto run = call({.relative = 1e-2});
  int audits = 0;
  run.audit_by([&](std::uint64_t) {
    ++audits;
    kubature::detail::Audited found;
    found.evaluations = 10;
    found.of.resize(1);
    found.of[0].points.share = 0.1; // of the integral lies closer to an end than points come
    return found;
  });
  for (int k = 0; k < 2; ++k)
    run.add(step({1}, {1e-3}), NonFinite::error);
  EXPECT_EQ(audits, 1);
  EXPECT_FALSE(run.ended());
  EXPECT_GE(run.finish().error[0], 0.1);
}

TEST(Estimates, ManyComponentsKeepTheCorrelationsOfTheLastStepAlone) {
  constexpr int many = 40;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  auto run = call({}, {}, many);
  for (int k = 0; k < 3; ++k) {
    std::vector<double> value, error(many, 1);
    for (int c = 0; c < many; ++c)
      value.push_back(10 + normal(random));
    auto one = step(value, error);
    one.iteration.correlations.assign(many * (many - 1) / 2, 0);
    one.degrees = 999;
    run.add(one, NonFinite::error);
  }
  EXPECT_TRUE(run.steps()[0].iteration.correlations.empty());
  EXPECT_FALSE(run.steps()[2].iteration.correlations.empty());
  auto const result = run.finish();
  EXPECT_EQ(result.correlations.size(), static_cast<std::size_t>(many * (many - 1) / 2));
  EXPECT_NEAR(result.chi2 / result.dof, 1, 6 * std::sqrt(2.0 / result.dof));
}

} // namespace
} // namespace estimates_test
