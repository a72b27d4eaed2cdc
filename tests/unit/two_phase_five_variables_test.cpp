#include "ladders.hpp"

/// \file
/// TwoPhase on reference integrals of five variables and more.

namespace two_phase_five_variables_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

constexpr Ladder two_phase_ladders[] = {
    {"f5-5d", {1e-2, 1e-3, 1e-4}},
    {"two-phase-f1-5d", {1e-1, 1e-2, 1e-3}},
    {"f4-5d", {1e-1, 1e-2, 1e-3}, 3'000'000},
};

TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutReferenceIntegralsOfFiveVariables) {
  Climb<TypeParam, kubature::TwoPhase<>, std::size(two_phase_ladders)> climb{this->exec, {}, two_phase_ladders};
  for_each_in<5>(climb);
  EXPECT_EQ(climb.climbed, std::size(two_phase_ladders));
}

TYPED_TEST(Cubatures, TwoPhaseEvaluatesAsOftenAsItDidInFiveAndSixVariables) {
  Work<TypeParam> const work{this->exec};
  work.template expect<5>(kubature::TwoPhase{}, "f5-5d", 1e-3, 1'109'472);
  work.template expect<5>(kubature::TwoPhase{}, "two-phase-f1-5d", 1e-2, 850'820);
  work.template expect<6>(kubature::TwoPhase{}, "two-phase-f1-6d", 1e-1, 300'777);
}

} // namespace
} // namespace two_phase_five_variables_test
