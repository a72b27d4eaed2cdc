#include "automatic.hpp"
#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/suite/random_genz.hpp>

#include <gtest/gtest.h>

#include <cmath>

/// Auto on random integrands of Genz's families in three variables.
namespace automatic_genz_test {
namespace {

using namespace kubature;
using namespace automatic;

TYPED_TEST_SUITE(Automatic, spaces::All, spaces::Names);

/// Around a jump there are many regions long before cubature ends, while samples meet the tolerance at once. With an
/// integrand that cancels they would not.
TYPED_TEST(Automatic, CubatureGivesWayToSamplesWhereTheseAreExpectedToEndIt) {
  double const call = detail::AutoPolicy(detail::on_device_of_its_own<TypeParam>).first;
  suite::RandomGenz const jump(1, 17), cancels(1, 84);
  EXPECT_LT(this->first_call(jump.f, {.relative = 0.001}), call / 4);
  EXPECT_GT(this->first_call(jump.f, {.relative = 1e-8}), call / 2);
  EXPECT_GT(this->first_call(cancels.f, {.relative = 0.01}), call / 2);
  auto const result = this->integrate(jump.f, Box<3>{}, {.relative = 0.001});
  EXPECT_EQ(result.method, "vegas+");
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value / jump.f.value() - 1), 0.004) << result;
}

/// The number of evaluations that a call is expected to take is not an integer. On a GPU, PAGANI's share, rounded down,
/// was once mistaken for what a limit had left of it.
TYPED_TEST(Automatic, CallsWithoutALimitDoNotEndByOne) {
  suite::RandomGenz const one(1, 160, 12);
  Tolerance const tolerance{.relative = 1e-5};
  auto const result = this->integrate(one.f, Box<3>{}, tolerance);
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value / one.f.value() - 1), 4e-5) << result;
}

} // namespace
} // namespace automatic_genz_test
