#include "cubature.hpp"
#include "cubatures.hpp"

#include <cmath>
#include <vector>

namespace cubature_many_dimensions_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace cubature;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

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
} // namespace cubature_many_dimensions_test
