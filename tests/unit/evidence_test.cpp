#include "batched.hpp"
#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/evidence.hpp>
#include <kubature/suite/log_densities.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace evidence_test {
namespace {

using namespace kubature;
using suite::LogCorrelatedNormal, suite::LogGaussians;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A constant within x[0] < 1/2, and nothing beyond.
struct Half {
  double top, beyond;
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return x[0] < 0.5 ? top : beyond; }
};

template <class Space>
class LogEvidence : public ::testing::Test {};
TYPED_TEST_SUITE(LogEvidence, spaces::All);

TYPED_TEST(LogEvidence, IsThatOfCorrelatedNormalVariables) {
  double const r = 0.9;
  for (double const width : {1e-3, 0.05})
    for (double const top : {-1e6, 1e6}) {
      LogCorrelatedNormal<10> const f{top, 0.5, width, r};
      auto const found = log_evidence(TypeParam(), f, Box<10>{}, {.error = 0.02, .search = 200'000, .samples = 20'000});
      ASSERT_EQ(found.status, Status::converged);
      EXPECT_LT(std::abs(found.log_evidence - f.log_integral()), 5 * found.error) << width << ' ' << top;
      EXPECT_LE(found.error, 0.02);
      EXPECT_LT(found.k_hat, 0.5);
      ASSERT_EQ(found.covariance.size(), 100u);
      for (std::size_t i = 0; i < 10; ++i) {
        double const deviation = std::sqrt(found.covariance[i * 11]);
        EXPECT_NEAR(found.mean[i], 0.5, 6 * width / std::sqrt(found.effective));
        EXPECT_NEAR(deviation / width, 1, 6 / std::sqrt(found.effective));
        EXPECT_NEAR(found.covariance[i] / (deviation * std::sqrt(found.covariance[0])), i == 0 ? 1 : r, 0.05);
      }
    }
}

TYPED_TEST(LogEvidence, IsThatOfSeveralPeaks) {
  double squares = 0;
  int const count = 12;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    LogGaussians<3> const f{suite::random_gaussians<3>(15000 + seed), seed % 2 == 0 ? 1e5 : -1e5};
    auto const found = log_evidence(TypeParam(), f, Box<3>{}, {.search = 100'000, .samples = 20'000, .seed = seed});
    EXPECT_EQ(found.status, Status::converged);
    double const pull = (found.log_evidence - f.top - std::log(f.f.integral())) / found.error;
    EXPECT_LT(std::abs(pull), 5) << seed;
    squares += pull * pull;
  }
  EXPECT_LT(squares / count, 2.5);
  EXPECT_GT(squares / count, 0.25);
}

TYPED_TEST(LogEvidence, IsOverInfiniteSides) {
  LogCorrelatedNormal<2> const f{3, -7, 2, 0.5};
  Box<2> const everywhere{{-infinite, infinite}, {-infinite, infinite}};
  auto const found = log_evidence(TypeParam(), f, everywhere, {.error = 0.005, .search = 100'000});
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_LT(std::abs(found.log_evidence - f.log_integral()), 5 * found.error);
  EXPECT_NEAR(found.mean[0], -7, 0.1);
  EXPECT_NEAR(found.covariance[1] / 4, 0.5, 0.1);
}

TYPED_TEST(LogEvidence, IsTheSameOfBatchesAndInEachCall) {
  LogGaussians<3> const f{suite::random_gaussians<3>(3), 0};
  std::size_t batches = 0, points = 0;
  auto const in_batches = batched(batches::Evaluate<TypeParam, 1, 3, LogGaussians<3>>{f, &batches, &points});
  EvidenceOptions const options{.search = 50'000, .samples = 20'000};
  auto const one = log_evidence(TypeParam(), f, Box<3>{}, options);
  auto const other = log_evidence(TypeParam(), in_batches, Box<3>{}, options);
  EXPECT_EQ(one.log_evidence, log_evidence(TypeParam(), f, Box<3>{}, options).log_evidence);
  EXPECT_NEAR(one.log_evidence, other.log_evidence, 1e-9);
  EXPECT_EQ(points, other.evaluations);
}

TYPED_TEST(LogEvidence, HasSamples) {
  LogCorrelatedNormal<2> const f{-1000, 0.4, 0.01, -0.5};
  Box<2> const box{{0, 2}, {-1, 1}};
  auto const found = log_evidence(TypeParam(), f, box,
                                  {.error = 1e-3, .search = 20'000, .samples = 5'000, .iterations = 4, .keep = true});
  EXPECT_EQ(found.status, Status::iteration_limit);
  ASSERT_EQ(found.log_weights.size(), 20'000u);
  ASSERT_EQ(found.points.size(), 40'000u);
  double sum = 0, mean = 0;
  for (std::size_t k = 0; k < found.log_weights.size(); ++k) {
    sum += std::exp(found.log_weights[k]);
    mean += std::exp(found.log_weights[k]) * found.points[2 * k];
    EXPECT_GE(found.points[2 * k], 0);
    EXPECT_LE(found.points[2 * k + 1], 1);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_NEAR(mean, found.mean[0], 1e-9);
  auto const equal = equally_weighted(found, 1);
  EXPECT_GT(equal.size(), 8'000u);
  EXPECT_LT(equal.size(), 20'000u);
  double squares = 0;
  for (auto const k : equal)
    squares += std::pow((found.points[2 * k] - 0.4) / 0.01, 2);
  EXPECT_NEAR(squares / static_cast<double>(equal.size()), 1, 6 * std::sqrt(2.0 / static_cast<double>(equal.size())));
}

TYPED_TEST(LogEvidence, OfParts) {
  auto const half = log_evidence(TypeParam(), Half{-5, -infinite}, Box<2>{}, {.search = 20'000});
  EXPECT_NEAR(half.log_evidence, -5 - std::log(2.0), 5 * half.error);
  EXPECT_EQ(log_evidence(TypeParam(), Half{-5, infinite}, Box<2>{}, {.search = 20'000}).log_evidence,
            half.log_evidence);
  auto const nothing = log_evidence(TypeParam(), Half{-infinite, std::nan("")}, Box<2>{}, {.search = 2'000});
  EXPECT_EQ(nothing.status, Status::no_variance);
  EXPECT_EQ(nothing.log_evidence, -infinite);
  ASSERT_EQ(nothing.remarks.size(), 1u);
  EXPECT_NE(nothing.remarks[0].find("-infinity"), std::string::npos);
}

TYPED_TEST(LogEvidence, StaysWithinLimits) {
  LogCorrelatedNormal<4> const f{0, 0.5, 0.1, 0.5};
  for (std::uint64_t const most : {10'000u, 100'000u, 400'000u}) {
    auto const found =
        log_evidence(TypeParam(), f, Box<4>{}, {.error = 1e-9, .samples = 10'000}, {.evaluations = most});
    EXPECT_EQ(found.status, Status::evaluation_limit);
    EXPECT_LE(found.evaluations, most + 1000);
    EXPECT_LT(std::abs(found.log_evidence - f.log_integral()), 5 * found.error + 1e-3) << most; // of the tails beyond
  }
}

TYPED_TEST(LogEvidence, EndsInTime) {
  LogCorrelatedNormal<4> const f{0, 0.5, 0.1, 0.5};
  auto const found = log_evidence(TypeParam(), f, Box<4>{}, {.error = 1e-9, .iterations = 1'000'000}, {.seconds = 0.2});
  EXPECT_EQ(found.status, Status::time_limit);
  EXPECT_TRUE(std::isfinite(found.log_evidence));
}

TEST(LogEvidenceOptions, AreChecked) {
  LogCorrelatedNormal<1> const f{0, 0.5, 0.1, 0};
  auto const refused = [&](EvidenceOptions options, std::string const& name) {
    try {
      log_evidence(f, Box<1>{}, options);
      ADD_FAILURE() << name;
    } catch (InvalidArgument const& error) {
      EXPECT_EQ(std::string(error.what()).find("EvidenceOptions." + name), 0u) << error.what();
    }
  };
  refused({.error = 0}, "error");
  refused({.error = std::nan("")}, "error");
  refused({.search = 999}, "search");
  refused({.samples = 10}, "samples");
  refused({.iterations = 0}, "iterations");
}

} // namespace
} // namespace evidence_test
