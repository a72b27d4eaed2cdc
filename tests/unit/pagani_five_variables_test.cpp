#include "ladders.hpp"

/// \file
/// PAGANI on the reference integrals of five to seven variables.

namespace pagani_five_variables_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

constexpr Ladder pagani_ladders[] = {
    {"f1-5d", {1e-3, 1e-6, 1e-8}},
    {"f2", {2e-1, 1.5e-1, 1e-1}},
    {"f4-5d", {1e-1, 1e-3, 1e-5}},
    {"f5-5d", {1e-2, 1e-4, 1e-6}},
    {"f6", {1e-1, 1e-2, 1e-3}},
    {"fA", {5e-1, 1e-1, 1e-2}, 5'000'000},
    {"two-phase-f1-5d", {1e-1, 1e-3, 1e-5}},
    {"two-phase-f1-6d", {1e-1, 1e-2, 1e-3}},
    {"two-phase-f1-7d", {2e-1, 1e-1, 3e-2}},
    {"two-phase-f2", {1e-1, 2e-2, 1e-2}, 2'000'000},
    {"two-phase-f3-5d", {5e-1, 2e-1, 1e-1}, 2'000'000},
    {"two-phase-f4", {1e-1, 1e-2, 3e-3}, 4'000'000},
};

TYPED_TEST(Cubatures, PaganiIsHonestAboutEveryReferenceIntegralOfFiveToSevenVariables) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{this->exec, {}, pagani_ladders};
  for_each_in<5, 6, 7>(climb);
  EXPECT_EQ(climb.climbed, std::size(pagani_ladders));
}

TYPED_TEST(Cubatures, PaganiIsHonestAboutWhatChangesItsSignWithoutTheRelativeFilterInFiveAndSixVariables) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{
      this->exec, {.relative_filter = false}, pagani_ladders, true};
  for_each_in<5, 6>(climb);
  EXPECT_EQ(climb.climbed, 2u);
}

TYPED_TEST(Cubatures, PaganiEvaluatesAsOftenAsItDidInFiveAndSixVariables) {
  Work<TypeParam> const work{this->exec};
  work.template expect<5>(Pagani{}, "f1-5d", 1e-6, 406'224);
  work.template expect<5>(Pagani{}, "f4-5d", 1e-4, 2'743'185);
  work.template expect<5>(Pagani{}, "f4-5d", 1e-6, 18'121'999);
  work.template expect<5>(Pagani{}, "f5-5d", 1e-5, 4'097'184);
  work.template expect<6>(Pagani{}, "f6", 1e-2, 8'029'878);
  work.template expect<5>(Pagani{}, "two-phase-f1-5d", 1e-3, 2'649'985);
}

TYPED_TEST(Cubatures, WithoutTheThresholdMoreRegionsAreRefined) {
  Tolerance const tolerance{.relative = 1e-4};
  auto const with = integrate_named<5>("f5-5d", this->exec, Pagani{}, tolerance);
  auto const without = integrate_named<5>("f5-5d", this->exec, Pagani{.threshold = false}, tolerance);
  expect_converged(without, f5_truth, tolerance);
  EXPECT_GT(without.evaluations, with.evaluations);
}

} // namespace
} // namespace pagani_five_variables_test
