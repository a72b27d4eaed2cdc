#include "cubature.hpp"
#include "cubatures.hpp"

#include <kubature/expression.hpp>
#include <kubature/suite/suite.hpp>
#include <kubature/tuning.hpp>

#include <cmath>
#include <vector>

/// \file
/// Dimensions known at run time, and many of them.

namespace cubature_dimensions_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace cubature;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, DimensionsKnownAtRunTime) {
  std::vector<Side> const side{{0, 1}};
  for (int const d : {1, 2, 3, 4, 7, 12}) {
    Tolerance const tolerance{.relative = 1e-2}; // which the first grid meets
    this->with_both(bell, Box<>(side, d), tolerance, {}, [&](Result<> const& result) {
      expect_converged(result, std::pow(bell_truth, d), tolerance);
      EXPECT_EQ(result.regions, d < 5 && !(d > 2 && Tuning<TypeParam>::coarse_grid) ? 1u << 2 * d
                                : d <= 10                                           ? 1u << d
                                                                                    : 1u);
    });
  }
  auto const fixed = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4});
  auto const open = integrate(this->exec, Pagani{},
                              Expression::parse("exp(-10*(abs(x-1/2)+abs(y-1/2)+abs(z-1/2)"
                                                "+abs(w-1/2)+abs(v-1/2)))"),
                              Box<>(side, 5), {.relative = 1e-4});
  expect_converged(open, f5_truth, {.relative = 1e-4});
  EXPECT_NEAR(static_cast<double>(open.evaluations), static_cast<double>(fixed.evaluations),
              0.05 * static_cast<double>(fixed.evaluations));
}

TYPED_TEST(Cubatures, TwelveAndTwentyDimensionsWithinABudget) {
  std::vector<Side> const side{{0, 1}};
  Tolerance const tolerance{.relative = 1e-6};
  auto const result = integrate(this->exec, Pagani{}, bell, Box<>(side, 12), tolerance, {.evaluations = 300'000});
  EXPECT_EQ(result.status, Status::evaluation_limit);
  expect_honest(result, std::pow(bell_truth, 12), tolerance);
  auto const one = integrate(this->exec, Pagani{}, bell, Box<20>{}, tolerance, {.evaluations = 1'100'000});
  EXPECT_EQ(one.regions, 1u);
  expect_honest(one, std::pow(bell_truth, 20), tolerance);
}

} // namespace
} // namespace cubature_dimensions_test
