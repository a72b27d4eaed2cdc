#include "ladders.hpp"

/// \file
/// TwoPhase on reference integrals of eight variables.

namespace two_phase_eight_variables_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

constexpr Ladder two_phase_ladders[] = {
    {"mixed-eq12", {1e-2, 1e-3, 1e-4}},
};

TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutReferenceIntegralsOfEightVariables) {
  Climb<TypeParam, kubature::TwoPhase<>, std::size(two_phase_ladders)> climb{this->exec, {}, two_phase_ladders};
  for_each_in<8>(climb);
  EXPECT_EQ(climb.climbed, std::size(two_phase_ladders));
}

/// It is not if regions have no parents to check their errors: off by 26 times the error, as published.
TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutAPeakInACornerOfEightDimensions) {
  for (double const relative : {1e-1, 1e-2, 1e-3}) {
    auto const result = integrate_named<8>("f3-8d", this->exec, kubature::TwoPhase{}, {.relative = relative});
    expect_converged(result, 2.27519658179177561e-10, {.relative = relative});
  }
}

/// All regions meet the tolerance with their own values, whose sum is 1e-3 of each: nothing is left to refine.
TYPED_TEST(Cubatures, TwoPhaseSaysThatValuesCancel) {
  auto const result = integrate_named<8>("f1-8d", this->exec, kubature::TwoPhase{}, {.relative = 1e-1});
  EXPECT_GT(result.error, 10 * std::abs(result.value));
  EXPECT_EQ(result.status, Status::iteration_limit) << result;
  EXPECT_EQ(result.remarks.size(), 1u) << result;
}

} // namespace
} // namespace two_phase_eight_variables_test
