#include "ladders.hpp"

/// \file
/// PAGANI on the reference integrals of eight variables and more.

namespace pagani_eight_variables_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

constexpr Ladder pagani_ladders[] = {
    {"f1-8d", {5e-1, 2e-1, 1e-1}, 8'000'000},
    {"f3-8d", {5e-1, 1e-1, 1e-2}},
    {"f4-8d", {5e-1, 3e-1, 2e-1}},
    {"f5-8d", {9e-1, 5e-1, 1e-1}, 8'000'000},
    {"f7", {1e-3, 1e-4, 1e-5}},
    {"f8", {1e-4, 1e-5, 1e-6}},
    {"linear", {1e-3, 1e-8, 1e-12}},
    {"cosine", {1e-3, 1e-4, 1e-5}},
    {"exponential", {1e-3, 1e-6, 1e-7}},
    {"roos-arnold", {1e-3, 1e-8, 1e-12}},
    {"morokoff-caflisch", {1e-1, 5e-2, 2e-2}},
    {"feynman-path", {5e-1, 1e-1, 1e-2}, 1'000'000},
    {"two-phase-f5", {1e-2, 1e-3, 1e-4}},
    {"mixed-eq12", {1e-2, 1e-4, 1e-6}},
};

/// All but fB, for which see AMissedPeakIsNotConverged.
TYPED_TEST(Cubatures, PaganiIsHonestAboutEveryReferenceIntegralOfEightToTenVariables) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{this->exec, {}, pagani_ladders};
  for_each_in<8, 10>(climb);
  EXPECT_EQ(climb.climbed, std::size(pagani_ladders));
}

TYPED_TEST(Cubatures, PaganiIsHonestAboutWhatChangesItsSignWithoutTheRelativeFilterInEightVariables) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{
      this->exec, {.relative_filter = false}, pagani_ladders, true};
  for_each_in<8>(climb);
  EXPECT_EQ(climb.climbed, 1u);
}

} // namespace
} // namespace pagani_eight_variables_test
