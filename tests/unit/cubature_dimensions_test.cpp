#include "cubature.hpp"
#include "cubatures.hpp"

#include <kubature/tuning.hpp>

#include <cmath>
#include <vector>

/// \file
/// Dimensions known at run time.

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
}

TYPED_TEST(Cubatures, TwelveDimensionsWithinABudget) {
  std::vector<Side> const side{{0, 1}};
  Tolerance const tolerance{.relative = 1e-6};
  auto const result = integrate(this->exec, Pagani{}, bell, Box<>(side, 12), tolerance, {.evaluations = 300'000});
  EXPECT_EQ(result.status, Status::evaluation_limit);
  expect_honest(result, std::pow(bell_truth, 12), tolerance);
}

} // namespace
} // namespace cubature_dimensions_test
