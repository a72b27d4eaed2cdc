#include "cubatures.hpp"

#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace cubature_components_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, EveryComponentMeetsItsTolerance) {
  auto const f = components_of(Scaled<suite::F4<5>>{{}, 1e10}, suite::F5<5>{}, Bell{}, Constant{-1e-30});
  double const truth[] = {1e10 * f4_truth, f5_truth, std::pow(bell_truth, 5), -1e-30};
  for (double const relative : {1e-2, 1e-3, 1e-4}) {
    auto const result = integrate(this->exec, Pagani{}, f, Box<5>{}, {.relative = relative});
    EXPECT_EQ(result.status, Status::converged) << result;
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(result.value[c], truth[c], result.error[c]);
      EXPECT_LE(result.error[c], relative * std::abs(result.value[c]));
    }
    auto const alone = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = relative});
    EXPECT_NEAR(result.value[1], alone.value, result.error[1] + alone.error);
    auto const peak = integrate(this->exec, Pagani{}, suite::F4<5>{}, Box<5>{}, {.relative = relative});
    EXPECT_NEAR(1e-10 * result.value[0], peak.value, 1e-10 * result.error[0] + peak.error);
  }
}

/// A component that is done at once costs nothing: the other chooses regions and axes. (A second look takes its own.)
TYPED_TEST(Cubatures, TheWorstComponentDrives) {
  Tolerance const tolerance{.relative = 1e-3};
  Pagani const pagani{.channels = Channels::never};
  auto const alone = integrate(this->exec, pagani, suite::F4<5>{}, Box<5>{}, tolerance);
  auto const check = [&](auto const& f, int c) {
    auto const result = integrate(this->exec, pagani, f, Box<5>{}, tolerance);
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.value[c], alone.value, result.error[c]);
    EXPECT_NEAR(static_cast<double>(result.evaluations), static_cast<double>(alone.evaluations),
                0.2 * static_cast<double>(alone.evaluations));
  };
  check(components_of(suite::F4<5>{}, Constant{1e20}), 0);
  check(components_of(suite::Linear<5>{}, suite::F4<5>{}), 1);
}

/// A peak, a smaller one and two components that need no refinement: a norm asks less of them, and l2 less than max,
/// since two components are large.
TYPED_TEST(Cubatures, ANormOfAllComponentsMeetsTheTolerance) {
  auto const f = components_of(Scaled<suite::F4<5>>{{}, 1e4}, suite::F5<5>{}, Bell{}, Constant{0.23});
  double const truth[] = {1e4 * f4_truth, f5_truth, std::pow(bell_truth, 5), 0.23};
  std::vector<std::uint64_t> evaluations;
  for (auto const norm : {ErrorNorm::individual, ErrorNorm::max, ErrorNorm::l2}) {
    auto const result = integrate(this->exec, Pagani{}, f, Box<5>{}, {.relative = 1e-3, .norm = norm});
    EXPECT_EQ(result.status, Status::converged) << result;
    double squares = 0, square = 0, largest = 0;
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(result.value[c], truth[c], result.error[c]);
      squares += result.error[c] * result.error[c];
      square += truth[c] * truth[c];
      largest = std::max(largest, result.error[c]);
    }
    EXPECT_LE(largest, norm == ErrorNorm::max ? 1e-3 * 0.2324 : 1e-3 * std::sqrt(square));
    EXPECT_LE(squares, 1e-6 * (norm == ErrorNorm::max ? 4 * 0.2324 * 0.2324 : 1.0001 * square));
    evaluations.push_back(result.evaluations);
  }
  EXPECT_GT(evaluations[0], 2 * evaluations[1]);
  EXPECT_GT(evaluations[1], evaluations[2]);
}

/// The real part of the second number is small, and its error may be as large as the imaginary part allows.
TYPED_TEST(Cubatures, PairsMeetTheTolerance) {
  auto const f = components_of(suite::F5<5>{}, Constant{0}, Scaled<suite::F4<5>>{{}, 1e-6}, Constant{1});
  Tolerance const each{.relative = 1e-3}, pairs{.relative = 1e-3, .norm = ErrorNorm::paired};
  auto const alone = integrate(this->exec, Pagani{}, f, Box<5>{}, each),
             paired = integrate(this->exec, Pagani{}, f, Box<5>{}, pairs);
  EXPECT_EQ(paired.status, Status::converged) << paired;
  EXPECT_LE(std::hypot(paired.error[0], paired.error[1]), 1e-3 * paired.value[0]);
  EXPECT_LE(std::hypot(paired.error[2], paired.error[3]), 1e-3 * std::hypot(paired.value[2], paired.value[3]));
  EXPECT_LT(paired.evaluations, alone.evaluations);
}

TYPED_TEST(Cubatures, AComponentMayBeZero) {
  auto const result =
      integrate(this->exec, Pagani{}, components_of(Constant{0}, suite::F5<5>{}), Box<5>{}, {.relative = 1e-3});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_EQ(result.value[0], 0);
  EXPECT_EQ(result.error[0], 0);
  EXPECT_NEAR(result.value[1], f5_truth, result.error[1]);
}

TYPED_TEST(Cubatures, TwoPhaseServesSeveralComponents) {
  auto const f = components_of(suite::F5<5>{}, Scaled<Bell>{{}, 1e10}, suite::TwoPhaseF1<5>{});
  double const truth[] = {f5_truth, 1e10 * std::pow(bell_truth, 5), shells_truth};
  auto const result = integrate(this->exec, kubature::TwoPhase{}, f, Box<5>{}, {.relative = 1e-1});
  EXPECT_EQ(result.status, Status::converged) << result;
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(result.value[c], truth[c], result.error[c]);
    EXPECT_LE(result.error[c], 1e-1 * result.value[c]);
  }
}

} // namespace
} // namespace cubature_components_test
