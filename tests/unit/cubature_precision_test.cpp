#include "cubatures.hpp"

#include <kubature/suite/suite.hpp>

#include <cmath>

namespace cubature_precision_test {
namespace {

using namespace kubature;
using namespace cubatures;

// Integrands of one type share their kernels.
using InThree = suite::OneOf<suite::F3<3>, suite::MixedEq10>;
using InFive = suite::OneOf<suite::F1<5>, suite::F4<5>, suite::F5<5>>;
constexpr InThree f3{0}, eq10{1};
constexpr InFive f1{0}, f4{1}, f5{2};

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, SinglePrecisionServesLowTolerances) {
  auto const check = [&](auto precision, double relative) {
    Tolerance const tolerance{.relative = relative};
    Pagani<decltype(precision)> const pagani{.precision = precision};
    kubature::TwoPhase<decltype(precision)> const two_phase{.precision = precision};
    auto const result = integrate(this->exec, pagani, f4, Box<5>{}, tolerance);
    expect_converged(result, f4_truth, tolerance);
    EXPECT_EQ(result.precision, precision_name(precision));
    expect_converged(integrate(this->exec, pagani, f5, Box<5>{}, tolerance), f5_truth, tolerance);
    double const f3_truth = 0.0108465608465608466;
    expect_converged(integrate(this->exec, pagani, f3, Box<3>{}, tolerance), f3_truth, tolerance);
    expect_converged(integrate(this->exec, two_phase, f3, Box<3>{}, tolerance), f3_truth, tolerance);
  };
  check(fp32, 1e-3);
  check(fp32_pure, 1e-2);
}

TYPED_TEST(Cubatures, RoundingEndsSinglePrecision) {
  auto const check = [&](auto const& f, auto const& box, double truth) {
    Tolerance const tolerance{.relative = 1e-9};
    auto const honest = [&](Result<> const& result) {
      EXPECT_EQ(result.status, Status::precision_limit) << result;
      expect_honest(result, truth, tolerance);
      EXPECT_LT(result.error, 3e-4 * std::abs(truth));
    };
    honest(integrate(this->exec, Pagani<Fp32>{}, f, box, tolerance, {.seconds = 20}));
    honest(integrate(this->exec, Pagani<Fp32Pure>{}, f, box, tolerance, {.seconds = 20}));
  };
  check(f3, Box<3>{}, 0.0108465608465608466);
  check(eq10, Box<3>{}, 1);
  check(f1, Box<5>{}, 0.0202424221199018969);
  check(f5, Box<5>{}, f5_truth);
}

/// Under the tails of the peak, rounding exceeds the values: there the call goes on until it reaches a limit.
TYPED_TEST(Cubatures, SinglePrecisionOnAPeakEndsHonestly) {
  Tolerance const tolerance{.relative = 1e-9};
  auto const result =
      integrate(this->exec, Pagani{.precision = fp32}, f4, Box<5>{}, tolerance, {.evaluations = 30'000'000});
  EXPECT_NE(result.status, Status::converged);
  expect_honest(result, f4_truth, tolerance);
}

TYPED_TEST(Cubatures, RoundingEndsDoublePrecision) {
  for (double const relative : {1e-15, 1e-16}) {
    auto const result =
        integrate(this->exec, Pagani{}, eq10, Box<3>{}, {.relative = relative}, {.evaluations = 10'000'000});
    EXPECT_EQ(result.status, Status::precision_limit) << result;
    expect_honest(result, 1, {.relative = relative});
  }
}

/// They are off by rounding in their values and their centres.
TYPED_TEST(Cubatures, RoundingEndsConstants) {
  auto const result =
      integrate(this->exec, Pagani{}, Constant{2}, Box<3>{}, {.relative = 1e-16}, {.evaluations = 30'000'000});
  EXPECT_EQ(result.status, Status::precision_limit) << result;
}

TYPED_TEST(Cubatures, HalfPrecisionIsHonest) {
  for (double const relative : {1e-1, 1e-2}) {
    Tolerance const tolerance{.relative = relative};
    Pagani<Fp16> const pagani{};
    auto const result = integrate(this->exec, pagani, eq10, Box<3>{}, tolerance, {.evaluations = 1'000'000});
    EXPECT_EQ(result.precision, precision_name(fp16));
    EXPECT_TRUE(result.status == Status::converged || result.status == Status::precision_limit) << result;
    expect_honest(result, 1, tolerance);
    expect_honest(integrate(this->exec, pagani, f3, Box<3>{}, tolerance, {.evaluations = 1'000'000}),
                  0.0108465608465608466, tolerance);
  }
}

} // namespace
} // namespace cubature_precision_test
