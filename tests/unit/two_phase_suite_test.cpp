#include "ladders.hpp"

/// \file
/// TwoPhase on the reference integrals of two to four and ten variables; other files have the others.

namespace two_phase_suite_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

constexpr Ladder two_phase_ladders[] = {
    {"f3-3d", {1e-4, 1e-8, 1e-12}},          {"sine-exponential", {1e-3, 1e-8, 1e-12}},
    {"two-phase-f3-3d", {1e-2, 1e-4, 1e-5}}, {"mixed-eq9", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq11", {1e-3, 1e-8, 1e-10}},     {"roos-arnold", {1e-3, 1e-8, 1e-12}},
};

TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutReferenceIntegralsOfTwoToFourAndTenVariables) {
  Climb<TypeParam, kubature::TwoPhase<>, std::size(two_phase_ladders)> climb{this->exec, {}, two_phase_ladders};
  for_each_in<2, 3, 4, 10>(climb);
  EXPECT_EQ(climb.climbed, std::size(two_phase_ladders));
}

TYPED_TEST(Cubatures, TwoPhaseEvaluatesAsOftenAsItDidInThreeAndFourVariables) {
  Work<TypeParam> const work{this->exec};
  work.template expect<3>(kubature::TwoPhase{}, "f3-3d", 1e-10, 59'436);
  work.template expect<3>(kubature::TwoPhase{}, "two-phase-f3-3d", 1e-5, 901'954);
  work.template expect<4>(kubature::TwoPhase{}, "mixed-eq11", 1e-11, 374'850);
}

} // namespace
} // namespace two_phase_suite_test
