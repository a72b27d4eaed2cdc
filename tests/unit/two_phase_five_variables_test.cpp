#include "ladders.hpp"

#include <kubature/detail/policies/policy.hpp>

#include <cmath>

/// \file
/// TwoPhase on reference integrals of five variables and more.

namespace two_phase_five_variables_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace ladders;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

struct Exponential {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 6> const& x) const {
    Real sum = 0;
    for (int i = 0; i < 6; ++i)
      sum += x[i];
    return Kokkos::exp(sum);
  }
};

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

TYPED_TEST(Cubatures, TwoPhaseAsPublishedBeginsWithItsFirstPartition) {
  detail::set_policy("cubature.published_two_phase", "true");
  auto const run = [&](Box<6> const& box, Tolerance tolerance) {
    return integrate(this->exec, kubature::TwoPhase{.channels = Channels::never}, Exponential{}, box, tolerance);
  };
  auto const exact = std::pow(std::exp(2) - std::exp(-1), 6);
  // 5^6 regions of 453 points, the first 5 of 8 intervals along each axis of a longer box.
  auto const coarse = run(Box<6>(-1, 2), {.relative = 1e-3});
  EXPECT_EQ(coarse.evaluations, 15625u * 453);
  EXPECT_NEAR(coarse.value, exact, 1e-3 * exact);
  auto const fine = run(Box<6>(-1, 2), {.relative = 1e-9});
  EXPECT_EQ(fine.status, Status::converged) << fine;
  EXPECT_GT(fine.evaluations, 15625u * 453);
  EXPECT_NEAR(fine.value, exact, 1e-9 * exact);
  EXPECT_THROW(run(Box<6>(0, infinity), {.relative = 1e-3}), InvalidArgument);
  detail::restore_policies();
}

TYPED_TEST(Cubatures, PaganiWithPublishedErrorsNeedsMoreEvaluationsForTheSame) {
  auto const run = [&] { return integrate(this->exec, Pagani{}, Exponential{}, Box<6>(-1, 2), {.relative = 1e-9}); };
  auto const usual = run();
  detail::set_policies("cubature.published_errors=true,cubature.published_threshold=true");
  auto const published = run();
  detail::restore_policies();
  for (auto const& result : {usual, published}) {
    EXPECT_EQ(result.status, Status::converged) << result;
    EXPECT_NEAR(result.value, std::pow(std::exp(2) - std::exp(-1), 6), 1e-9 * result.value) << result;
  }
  EXPECT_NE(published.error, usual.error);
  EXPECT_GE(published.evaluations, usual.evaluations);
}

} // namespace
} // namespace two_phase_five_variables_test
