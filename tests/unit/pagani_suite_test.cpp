#include "ladders.hpp"

namespace pagani_suite_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

constexpr Ladder pagani_ladders[] = {
    {"f1-5d", {1e-3, 1e-6, 1e-8}},
    {"f1-8d", {5e-1, 2e-1, 1e-1}, 8'000'000},
    {"f2", {2e-1, 1.5e-1, 1e-1}},
    {"f3-3d", {1e-4, 1e-8, 1e-12}},
    {"f3-8d", {5e-1, 1e-1, 1e-2}},
    {"f4-5d", {1e-1, 1e-3, 1e-5}},
    {"f4-8d", {5e-1, 3e-1, 2e-1}},
    {"f5-5d", {1e-2, 1e-4, 1e-6}},
    {"f5-8d", {9e-1, 5e-1, 1e-1}, 8'000'000},
    {"f6", {1e-1, 1e-2, 1e-3}},
    {"f7", {1e-3, 1e-4, 1e-5}},
    {"f8", {1e-4, 1e-5, 1e-6}},
    {"fA", {5e-1, 1e-1, 1e-2}, 5'000'000},
    {"sine-exponential", {1e-3, 1e-8, 1e-12}},
    {"linear", {1e-3, 1e-8, 1e-12}},
    {"cosine", {1e-3, 1e-4, 1e-5}},
    {"exponential", {1e-3, 1e-6, 1e-7}},
    {"roos-arnold", {1e-3, 1e-8, 1e-12}},
    {"morokoff-caflisch", {1e-1, 5e-2, 2e-2}},
    {"gaussian", {1e-2, 1e-5, 1e-7}},
    {"ridge", {5e-1, 1e-1, 5e-2}, 20'000},
    {"feynman-path", {5e-1, 1e-1, 1e-2}, 1'000'000},
    {"two-phase-f1-5d", {1e-1, 1e-3, 1e-5}},
    {"two-phase-f1-6d", {1e-1, 1e-2, 1e-3}},
    {"two-phase-f1-7d", {2e-1, 1e-1, 3e-2}},
    {"two-phase-f2", {1e-1, 2e-2, 1e-2}, 2'000'000},
    {"two-phase-f3-3d", {1e-2, 1e-5, 1e-8}},
    {"two-phase-f3-5d", {5e-1, 2e-1, 1e-1}, 2'000'000},
    {"two-phase-f4", {1e-1, 1e-2, 3e-3}, 4'000'000},
    {"two-phase-f5", {1e-2, 1e-3, 1e-4}},
    {"mixed-eq9", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq10", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq11", {1e-3, 1e-8, 1e-11}},
    {"mixed-eq12", {1e-2, 1e-4, 1e-6}},
};

/// All but fB, for which see AMissedPeakIsNotConverged.
TYPED_TEST(Cubatures, PaganiIsHonestAboutEveryReferenceIntegral) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{this->exec, {}, pagani_ladders};
  suite::for_each_by_dimension<suite::least_dimension, suite::largest_dimension>(climb);
  EXPECT_EQ(climb.climbed, std::size(pagani_ladders));
}

TYPED_TEST(Cubatures, PaganiIsHonestAboutWhatChangesItsSignWithoutTheRelativeFilter) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{
      this->exec, {.relative_filter = false}, pagani_ladders, true};
  suite::for_each_by_dimension<suite::least_dimension, suite::largest_dimension>(climb);
  EXPECT_EQ(climb.climbed, 3u);
}

TYPED_TEST(Cubatures, PaganiEvaluatesAsOftenAsItDid) {
  Work<TypeParam> const work{this->exec};
  work.expect(Pagani{}, "f1-5d", 1e-6, 406'224);
  work.expect(Pagani{}, "f3-3d", 1e-10, 46'990);
  work.expect(Pagani{}, "f4-5d", 1e-4, 2'743'185);
  work.expect(Pagani{}, "f4-5d", 1e-6, 18'121'999);
  work.expect(Pagani{}, "f5-5d", 1e-5, 4'097'184);
  work.expect(Pagani{}, "f6", 1e-2, 8'029'878);
  work.expect(Pagani{}, "two-phase-f1-5d", 1e-3, 2'649'985);
  work.expect(Pagani{}, "gaussian", 1e-6, 1'864'976);
}

TYPED_TEST(Cubatures, WithoutTheThresholdMoreRegionsAreRefined) {
  Tolerance const tolerance{.relative = 1e-4};
  auto const with = integrate_named("f5-5d", this->exec, Pagani{}, tolerance);
  auto const without = integrate_named("f5-5d", this->exec, Pagani{.threshold = false}, tolerance);
  expect_converged(without, f5_truth, tolerance);
  EXPECT_GT(without.evaluations, with.evaluations);
}

} // namespace
} // namespace pagani_suite_test
