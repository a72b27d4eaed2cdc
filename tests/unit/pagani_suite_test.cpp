#include "ladders.hpp"

/// \file
/// PAGANI on the reference integrals of two to four variables; other files have the others.

namespace pagani_suite_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

constexpr Ladder pagani_ladders[] = {
    {"f3-3d", {1e-4, 1e-8, 1e-12}},          {"sine-exponential", {1e-3, 1e-8, 1e-12}},
    {"gaussian", {1e-2, 1e-5, 1e-7}},        {"ridge", {5e-1, 1e-1, 5e-2}, 20'000},
    {"two-phase-f3-3d", {1e-2, 1e-5, 1e-8}}, {"mixed-eq9", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq10", {1e-3, 1e-8, 1e-12}},     {"mixed-eq11", {1e-3, 1e-8, 1e-11}},
};

TYPED_TEST(Cubatures, PaganiIsHonestAboutEveryReferenceIntegralOfTwoToFourVariables) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{this->exec, {}, pagani_ladders};
  for_each_in<2, 3, 4>(climb);
  EXPECT_EQ(climb.climbed, std::size(pagani_ladders));
}

TYPED_TEST(Cubatures, PaganiEvaluatesAsOftenAsItDidInThreeAndFourVariables) {
  Work<TypeParam> const work{this->exec};
  work.template expect<3>(Pagani{}, "f3-3d", 1e-10, 46'990);
  work.template expect<4>(Pagani{}, "gaussian", 1e-6, 1'864'976);
}

} // namespace
} // namespace pagani_suite_test
