#include "cubature.hpp"
#include "cubatures.hpp"

#include <cmath>

namespace cubature_many_dimensions_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace cubature;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, TwentyDimensionsWithinABudget) {
  Tolerance const tolerance{.relative = 1e-6};
  auto const one = integrate(this->exec, Pagani{}, bell, Box<20>{}, tolerance, {.evaluations = 1'100'000});
  EXPECT_EQ(one.regions, 1u);
  expect_honest(one, std::pow(bell_truth, 20), tolerance);
}

} // namespace
} // namespace cubature_many_dimensions_test
