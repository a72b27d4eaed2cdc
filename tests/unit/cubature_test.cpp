#include "cubature.hpp"
#include "cubatures.hpp"

#include <kubature/tuning.hpp>

#include <cmath>
#include <cstdint>

namespace cubature_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace cubature;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

/// Where that saves time a call begins with two intervals along each axis instead of four: in three variables if little
/// refinement is needed then, in four if there is none.
TYPED_TEST(Cubatures, ACoarseGridServesLooseTolerances) {
  bool const tried = Tuning<TypeParam>::coarse_grid;
  double const truth_3 = std::pow(bell_truth, 3), truth_4 = std::pow(bell_truth, 4);
  auto const check = [&](auto const& box, double relative, double truth, std::uint64_t least, std::uint64_t most) {
    this->with_both(bell, box, {.relative = relative}, {}, [&](Result<> const& result) {
      expect_converged(result, truth, {.relative = relative});
      EXPECT_GE(result.regions, least) << result;
      EXPECT_LE(result.regions, most) << result;
    });
  };
  check(Box<3>{}, 1e-3, truth_3, tried ? 8 : 64, tried ? 48 : 64);
  check(Box<4>{}, 0.1, truth_4, tried ? 16 : 256, tried ? 16 : 256);
  check(Box<4>{}, 1e-10, truth_4, tried ? 272 : 256, 8000); // in vain
  auto const few = integrate(this->exec, Pagani{}, bell, Box<3>{}, {.relative = 1e-3}, {.evaluations = 127 * 127});
  expect_converged(few, truth_3, {.relative = 1e-3});
  EXPECT_EQ(few.regions, 64u); // not enough for both grids
}

TYPED_TEST(Cubatures, DiscontinuousIntegrands) {
  this->expect_both(in_a_box, Box<1>{}, 0.3, {.relative = 1e-12});
  for (double const relative : {1e-1, 1e-2, 1e-3}) {
    this->expect_both(in_a_box, Box<2>{}, 0.09, {.relative = relative});
    this->expect_both(in_a_ball, Box<2>{}, M_PI / 4, {.relative = relative});
  }
  this->expect_both(in_a_box, Box<2>{}, 0.09, {.relative = 1e-12});
  this->expect_both(in_a_box, Box<3>{}, 0.027, {.relative = 1e-2});
  for (double const relative : {1e-1, 1e-2})
    expect_converged(integrate(this->exec, Pagani{}, in_a_ball, Box<3>(-1.0, 1.0), {.relative = relative}),
                     4 * M_PI / 3, {.relative = relative});
}

TYPED_TEST(Cubatures, ADiscontinuityThatCannotBeResolvedEndsAtALimit) {
  Tolerance const tolerance{.relative = 1e-10};
  this->with_both(in_a_ball, Box<2>{}, tolerance, {.evaluations = 3'000'000}, [&](Result<> const& result) {
    EXPECT_EQ(result.status, Status::evaluation_limit);
    expect_honest(result, M_PI / 4, tolerance);
  });
}

TYPED_TEST(Cubatures, CornersAreNotSampled) {
  for (auto const policy : {NonFinite::error, NonFinite::discard, NonFinite::propagate}) {
    auto const check = [&](auto method) {
      method.non_finite = policy;
      auto const result = integrate(this->exec, method, nan_in_a_corner, Box<4>{}, {.relative = 1e-9});
      expect_converged(result, 2, {.relative = 1e-9});
      EXPECT_EQ(result.non_finite, 0u);
    };
    check(Pagani{});
    check(kubature::TwoPhase{});
  }
}

TYPED_TEST(Cubatures, InfiniteSidesOfEveryKind) {
  this->expect_both(decay, Box<1>{{0, infinity}}, 1, {.relative = 1e-12});
  this->expect_both(decay, Box<1>{{-infinity, infinity}}, 2, {.relative = 1e-12});
  for (double const relative : {1e-3, 1e-6}) {
    this->expect_both(bell, Box<3>(-infinity, infinity), std::pow(M_PI, 1.5), {.relative = relative});
    this->expect_both(decay, Box<3>{{0, infinity}, {-infinity, 0}, {1, infinity}}, std::exp(-1.0),
                      {.relative = relative});
    this->expect_both(bell, Box<3>{{-infinity, infinity}, {0, 1}, {0, infinity}}, M_PI / 2 * bell_truth,
                      {.relative = relative});
  }
}

TYPED_TEST(Cubatures, SingularitiesAtTheEndsOfSides) {
  this->expect_both(roots, Box<1>{}, 2.0 / 3, {.relative = 1e-12});
  this->expect_both(roots, Box<2>{}, 4.0 / 9, {.relative = 1e-9});
  for (double const relative : {1e-3, 1e-6}) {
    this->expect_both(reciprocal_roots, Box<1>{}, 2, {.relative = relative});
    this->expect_both(reciprocal_roots, Box<2>{}, 4, {.relative = relative});
  }
}

/// Intervals are not bisected forever.
TYPED_TEST(Cubatures, ASingularityThatCannotBeResolvedLeavesAnHonestEstimate) {
  for (double const relative : {1e-9, 1e-12}) {
    auto const result = integrate(this->exec, Pagani{}, reciprocal_roots, Box<1>{}, {.relative = relative});
    EXPECT_EQ(result.non_finite, 0u) << result;
    expect_honest(result, 2, {.relative = relative});
  }
}

} // namespace
} // namespace cubature_test
