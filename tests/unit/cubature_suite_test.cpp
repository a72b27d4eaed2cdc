#include "cubatures.hpp"

#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

// ---- the reference integrals -------------------------------------------------------------------------------------

constexpr auto no_limit = Limits{}.evaluations;

/// Tolerances for an integral of the suite. Where there is a budget of evaluations, it may be used up.
struct Ladder {
  std::string_view name;
  double relative[3];
  std::uint64_t budget = no_limit;
};

constexpr Ladder pagani_ladders[] = {
    {"f1-5d", {1e-3, 1e-6, 1e-8}},
    {"f1-8d", {5e-1, 2e-1, 1e-1}, 20'000'000},
    {"f2", {2e-1, 1e-1, 8e-2}},
    {"f3-3d", {1e-4, 1e-8, 1e-12}},
    {"f3-8d", {1e-1, 1e-2, 1e-3}},
    {"f4-5d", {1e-1, 1e-3, 1e-5}},
    {"f4-8d", {5e-1, 2e-1, 1e-1}},
    {"f5-5d", {1e-2, 1e-4, 1e-6}},
    {"f5-8d", {9e-1, 5e-1, 1e-1}, 20'000'000},
    {"f6", {1e-1, 1e-2, 1e-3}},
    {"f7", {1e-3, 1e-5, 1e-6}},
    {"f8", {1e-4, 1e-6, 1e-7}},
    {"fA", {5e-1, 1e-1, 1e-2}, 5'000'000},
    {"sine-exponential", {1e-3, 1e-8, 1e-12}},
    {"linear", {1e-3, 1e-8, 1e-12}},
    {"cosine", {1e-3, 1e-5, 1e-6}},
    {"exponential", {1e-3, 1e-6, 1e-7}},
    {"roos-arnold", {1e-3, 1e-8, 1e-12}},
    {"morokoff-caflisch", {1e-1, 2e-2, 1e-2}},
    {"gaussian", {1e-2, 1e-5, 1e-8}},
    {"ridge", {5e-1, 1e-1, 5e-2}, 60'000},
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

constexpr Ladder two_phase_ladders[] = {
    {"f3-3d", {1e-4, 1e-8, 1e-12}},
    {"f5-5d", {1e-2, 1e-3, 1e-4}},
    {"sine-exponential", {1e-3, 1e-8, 1e-12}},
    {"roos-arnold", {1e-3, 1e-8, 1e-12}},
    {"two-phase-f1-5d", {1e-1, 1e-2, 1e-3}},
    {"two-phase-f3-3d", {1e-2, 1e-4, 1e-5}},
    {"mixed-eq9", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq11", {1e-3, 1e-8, 1e-10}},
    {"mixed-eq12", {1e-2, 1e-3, 1e-4}},
    {"f4-5d", {1e-1, 1e-2, 1e-3}, 3'000'000},
};

/// Climbs the ladder of each reference integral that has one.
template <class Space, class Method, std::size_t N>
struct Climb {
  Space const& exec;
  Method method;
  Ladder const (&ladders)[N];
  bool only_cancelling = false;
  std::size_t climbed = 0;

  template <class F, int D>
  void operator()(suite::Entry const& entry, F const& f, Box<D> const& box) {
    auto const ladder = std::find_if(std::begin(ladders), std::end(ladders),
                                     [&](Ladder const& candidate) { return candidate.name == entry.name; });
    if (ladder == std::end(ladders) || (only_cancelling && !entry.cancels))
      return;
    ++climbed;
    Integrator integrator(exec, method);
    for (double const relative : ladder->relative) {
      SCOPED_TRACE(std::string(entry.name) + " to " + std::to_string(relative));
      Tolerance const tolerance{.relative = relative};
      auto const result = integrator.integrate(f, box, tolerance, {.evaluations = ladder->budget});
      expect_honest(result, entry.value, tolerance);
      EXPECT_LE(result.evaluations, ladder->budget);
      EXPECT_TRUE(result.status == Status::converged ||
                  (ladder->budget < no_limit && result.status == Status::evaluation_limit))
          << result;
      EXPECT_TRUE(result.remarks.empty() || result.method == "two-phase" || unconfirmed(result)) << result;
    }
  }
};

/// All but fB, of which see AMissedPeakIsNotConverged.
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

TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutReferenceIntegrals) {
  Climb<TypeParam, kubature::TwoPhase<>, std::size(two_phase_ladders)> climb{this->exec, {}, two_phase_ladders};
  suite::for_each_by_dimension<suite::least_dimension, suite::largest_dimension>(climb);
  EXPECT_EQ(climb.climbed, std::size(two_phase_ladders));
}

/// Which it is not where regions have no parents to check their errors with: off by 26 times the error, as published.
TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutAPeakInACornerOfEightDimensions) {
  for (double const relative : {1e-1, 1e-2, 1e-3}) {
    auto const result = integrate(this->exec, kubature::TwoPhase{}, suite::F3<8>{}, Box<8>{}, {.relative = relative});
    expect_converged(result, 2.27519658179177561e-10, {.relative = relative});
  }
}

/// All regions meet the tolerance with their own values, of which the sum is 1e-3 of each: nothing is left to refine.
TYPED_TEST(Cubatures, TwoPhaseSaysThatValuesCancel) {
  auto const result = integrate(this->exec, kubature::TwoPhase{}, suite::F1<8>{}, Box<8>{}, {.relative = 1e-1});
  EXPECT_GT(result.error, 10 * std::abs(result.value));
  EXPECT_EQ(result.status, Status::iteration_limit) << result;
  EXPECT_EQ(result.remarks.size(), 1u) << result;
}

// ---- how much work -----------------------------------------------------------------------------------------------

template <class Space>
struct Work {
  Space const& exec;

  template <class Method, class F, int D>
  void expect(Method const& method, F const& f, Box<D> const& box, double relative, double evaluations) const {
    auto const result = integrate(exec, method, f, box, {.relative = relative});
    EXPECT_EQ(result.status, Status::converged) << result;
    EXPECT_NEAR(static_cast<double>(result.evaluations), evaluations, 0.2 * evaluations) << result;
  }
};

TYPED_TEST(Cubatures, PaganiEvaluatesAsOftenAsItDid) {
  Work<TypeParam> const work{this->exec};
  work.expect(Pagani{}, suite::F1<5>{}, Box<5>{}, 1e-6, 406'224);
  work.expect(Pagani{}, suite::F3<3>{}, Box<3>{}, 1e-10, 46'990);
  work.expect(Pagani{}, suite::F4<5>{}, Box<5>{}, 1e-4, 4'167'072);
  work.expect(Pagani{}, suite::F5<5>{}, Box<5>{}, 1e-5, 4'097'184);
  work.expect(Pagani{}, suite::F6<6>{}, Box<6>{}, 1e-2, 8'029'878);
  work.expect(Pagani{}, suite::TwoPhaseF1<5>{}, Box<5>{}, 1e-3, 3'372'096);
  work.expect(Pagani{}, suite::Gaussian<4>{}, Box<4>{}, 1e-6, 5'375'808);
}

TYPED_TEST(Cubatures, TwoPhaseEvaluatesAsOftenAsItDid) {
  Work<TypeParam> const work{this->exec};
  work.expect(kubature::TwoPhase{}, suite::F3<3>{}, Box<3>{}, 1e-10, 59'436);
  work.expect(kubature::TwoPhase{}, suite::F5<5>{}, Box<5>{}, 1e-3, 1'109'472);
  work.expect(kubature::TwoPhase{}, suite::TwoPhaseF1<5>{}, Box<5>{}, 1e-2, 1'600'326);
  work.expect(kubature::TwoPhase{}, suite::TwoPhaseF1<6>{}, Box<6>{}, 1e-1, 464'778);
  work.expect(kubature::TwoPhase{}, suite::TwoPhaseF3<3>{}, Box<3>{}, 1e-5, 901'954);
  work.expect(kubature::TwoPhase{}, suite::MixedEq11{}, Box<4>{}, 1e-11, 374'850);
}

TYPED_TEST(Cubatures, WithoutTheThresholdMoreRegionsAreRefined) {
  Tolerance const tolerance{.relative = 1e-4};
  auto const with = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, tolerance);
  auto const without = integrate(this->exec, Pagani{.threshold = false}, suite::F5<5>{}, Box<5>{}, tolerance);
  expect_converged(without, f5_truth, tolerance);
  EXPECT_GT(without.evaluations, with.evaluations);
}

} // namespace
