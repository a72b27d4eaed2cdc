#include <kubature/covariance.hpp>
#include <kubature/detail/correlated.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace correlated_test {
namespace {

using kubature::Combined;
using kubature::Estimate;
using kubature::detail::CorrelatedEstimates;
using kubature::detail::JointCombined;
using kubature::detail::pair_place;

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Estimates of several components, and their means, jointly and one by one.
struct Estimates {
  CorrelatedEstimates joint;
  std::vector<std::vector<Estimate>> single;
  std::vector<Combined> mean;
  std::vector<double> weight;

  void add(std::vector<double> const& value, std::vector<double> const& error, std::vector<double> const& correlations,
           double samples = 100, bool adaptive = true) {
    joint.add(value, {error, correlations}, samples, adaptive, true);
    single.resize(value.size());
    mean.resize(value.size());
    weight.resize(value.size());
    for (std::size_t c = 0; c < value.size(); ++c) {
      double const own = 1 / (error[c] * error[c] * samples);
      if (single[c].empty())
        weight[c] = adaptive ? own : 1;
      single[c].push_back({value[c], error[c], weight[c] * samples});
      mean[c] = kubature::combine(single[c]);
      if (adaptive)
        weight[c] = own;
    }
  }
  JointCombined all() const { return joint.combine(single, mean); }
};

TEST(CorrelatedEstimates, AreWeightedByTheCovarianceOfTheOneBefore) {
  Estimates two;
  two.add({1, 2}, {0.1, 0.2}, {0.5});
  two.add({1.3, 2.2}, {0.2, 0.2}, {0.0});
  two.add({1.1, 2.5}, {0.3, 0.1}, {-0.5});
  // W_k = (W of the first, its own; of the first; of the second), by hand: in inverses of 2 x 2 matrices.
  using M = std::array<double, 4>;
  auto const inverse = [](M const& m) {
    double const det = m[0] * m[3] - m[1] * m[2];
    return M{m[3] / det, -m[1] / det, -m[2] / det, m[0] / det};
  };
  auto const times = [](M const& a, M const& b) {
    return M{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
             a[2] * b[1] + a[3] * b[3]};
  };
  M const s[3] = {{0.01, 0.01, 0.01, 0.04}, {0.04, 0, 0, 0.04}, {0.09, -0.015, -0.015, 0.01}};
  M const w[3] = {inverse(s[0]), inverse(s[0]), inverse(s[1])};
  M sum{};
  std::array<double, 2> moment{};
  double const values[3][2] = {{1, 2}, {1.3, 2.2}, {1.1, 2.5}};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 4; ++i)
      sum[i] += w[k][i];
    moment[0] += w[k][0] * values[k][0] + w[k][1] * values[k][1];
    moment[1] += w[k][2] * values[k][0] + w[k][3] * values[k][1];
  }
  M const v = inverse(sum);
  M covariance{};
  for (int k = 0; k < 3; ++k) {
    auto const part = times(times(times(v, w[k]), s[k]), times(w[k], v));
    for (int i = 0; i < 4; ++i)
      covariance[i] += part[i];
  }
  auto const all = two.all();
  EXPECT_NEAR(all.value[0], v[0] * moment[0] + v[1] * moment[1], 1e-14);
  EXPECT_NEAR(all.value[1], v[2] * moment[0] + v[3] * moment[1], 1e-14);
  EXPECT_NEAR(all.errors.error[0], std::sqrt(covariance[0]), 1e-14);
  EXPECT_NEAR(all.errors.error[1], std::sqrt(covariance[3]), 1e-14);
  EXPECT_NEAR(all.errors.correlations[0], covariance[1] / std::sqrt(covariance[0] * covariance[3]), 1e-13);
  double chi2 = 0;
  for (int k = 0; k < 3; ++k) {
    auto const p = inverse(s[k]);
    double const a = values[k][0] - all.value[0], b = values[k][1] - all.value[1];
    chi2 += a * a * p[0] + 2 * a * b * p[1] + b * b * p[3];
  }
  EXPECT_NEAR(all.chi2, chi2, 1e-12);
  EXPECT_EQ(all.dof, 4);
}

TEST(CorrelatedEstimates, SamplesOfAFrozenDistributionWeighTheSame) {
  Estimates two;
  two.add({1, 2}, {0.1, 0.2}, {0.5}, 100, false);
  two.add({4, 5}, {0.2, 0.2}, {0.0}, 200, false);
  auto const all = two.all();
  EXPECT_DOUBLE_EQ(all.value[0], 3);
  EXPECT_DOUBLE_EQ(all.value[1], 4);
  EXPECT_DOUBLE_EQ(all.errors.error[0], std::sqrt(0.01 + 4 * 0.04) / 3);
  EXPECT_NEAR(all.errors.correlations[0] * all.errors.error[0] * all.errors.error[1], 0.01 / 9, 4 * eps);
}

TEST(CorrelatedEstimates, LinearRelationsAndSizesStay) {
  // c = a + b, d is a copy of a, and everything is in its own unit.
  std::vector<double> const unit{1e-30, 1e30, 1, 7};
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Estimates four;
  for (int k = 0; k < 10; ++k) {
    double const size = 1 + k % 3, rho = 0.1 * k - 0.4;
    double const x = normal(random), y = rho * x + std::sqrt(1 - rho * rho) * normal(random);
    double const of_sum = std::sqrt(1 + 9 + 2 * rho * 3);
    std::vector<double> value{10 + size * x, 20 + 3 * size * y, 30 + size * (x + 3 * y), 10 + size * x};
    std::vector<double> error{size, 3 * size, of_sum * size, size};
    for (std::size_t i = 0; i < 4; ++i) {
      value[i] *= unit[i];
      error[i] *= unit[i];
    }
    double const a_c = (1 + 3 * rho) / of_sum, b_c = (rho + 3) / of_sum;
    four.add(value, error, {rho, a_c, b_c, 1, rho, a_c});
  }
  auto const all = four.all();
  double const a = all.value[0] / unit[0], b = all.value[1] / unit[1], c = all.value[2] / unit[2],
               d = all.value[3] / unit[3], error = all.errors.error[1] / unit[1];
  EXPECT_NEAR(c, a + b, 1e-9 * error);
  EXPECT_NEAR(d, a, 1e-9 * error);
  EXPECT_NEAR(all.errors.correlations[static_cast<std::size_t>(pair_place(0, 3))], 1, 1e-9);
  EXPECT_NEAR(all.errors.error[3] / unit[3], all.errors.error[0] / unit[0], 1e-9 * error);
  EXPECT_EQ(all.dof, 9 * 2);
  EXPECT_GT(all.chi2, 18 - 4 * 6);
  EXPECT_LT(all.chi2, 18 + 4 * 6);
}

TEST(CorrelatedEstimates, OneWithoutVarianceFallsBackToEachComponent) {
  Estimates two;
  two.add({1, 0}, {0.1, 0}, {0}); // has seen nothing of the second component
  two.add({1.2, 2}, {0.1, 0.5}, {0.5});
  two.add({1.1, 3}, {0.1, 0.5}, {0.5});
  auto const all = two.all();
  EXPECT_DOUBLE_EQ(all.value[0], two.mean[0].value);
  EXPECT_DOUBLE_EQ(all.value[1], two.mean[1].value);
  EXPECT_DOUBLE_EQ(all.errors.error[0], two.mean[0].error);
  EXPECT_DOUBLE_EQ(all.errors.error[1], two.mean[1].error);
  EXPECT_NEAR(all.errors.correlations[0], (2.0 / 3) * 0.5 / std::sqrt(2.0 / 3), 1e-14);
  EXPECT_GT(all.chi2, 1e6);
}

TEST(CorrelatedEstimates, AComponentOfZerosCountsForNothing) {
  Estimates two, one;
  for (double const value : {1.0, 1.1, 0.8}) {
    two.add({value, 0}, {0.1, 0}, {0});
    one.add({value}, {0.1}, {});
  }
  auto const with = two.all(), without = one.all();
  EXPECT_DOUBLE_EQ(with.value[0], without.value[0]);
  EXPECT_DOUBLE_EQ(with.chi2, without.chi2);
  EXPECT_EQ(with.dof, 2);
  EXPECT_EQ(with.value[1], 0);
  EXPECT_EQ(with.errors.error[1], 0);
}

TEST(CorrelatedEstimates, WhatIsNotFiniteIsNoMean) {
  Estimates two;
  two.add({1, NAN}, {0.1, NAN}, {NAN});
  two.add({1, 2}, {0.1, 0.1}, {0});
  EXPECT_TRUE(std::isnan(two.all().chi2));
  EXPECT_EQ(two.all().dof, 0);
}

} // namespace
} // namespace correlated_test
