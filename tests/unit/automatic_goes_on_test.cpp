#include "automatic.hpp"
#include "cubatures.hpp"

#include <kubature/automatic.hpp>
#include <kubature/suite/random_genz.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// Auto on random integrands of Genz's families that PAGANI ends: it goes on where it paused.
namespace automatic_goes_on_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace automatic;

TYPED_TEST_SUITE(Automatic, spaces::All, spaces::Names);

/// A product peak that takes cubature slightly more than its first call allows on a CPU.
TYPED_TEST(Automatic, WhatIsNearlyThereGoesOnAtOnce) {
  suite::RandomGenz const one(2, 25);
  Tolerance const tolerance{.relative = 1e-6};
  EXPECT_EQ(this->methods(one.f, Box<5>{}, tolerance), std::vector<std::string>{"pagani"});
  auto const result = this->integrate(one.f, Box<5>{}, tolerance);
  expect_converged(result, one.f.value(), tolerance);
  auto const alone = kubature::integrate(this->exec, Pagani{}, one.f, Box<5>{}, tolerance).evaluations;
  EXPECT_GE(result.evaluations, alone);
  EXPECT_LT(result.evaluations, 1.05 * static_cast<double>(alone) + 20'000); // a second look at most
  EXPECT_LT(result.evaluations, 500'000u);
}

/// An oscillatory integrand in four variables, at which all methods have their turn on a host before PAGANI ends it.
TYPED_TEST(Automatic, WhatItsMethodFindsIsWhatThatFindsByItself) {
  suite::RandomGenz const one(1, 90, 12);
  Tolerance const tolerance{.relative = 1e-5};
  bool const interrupted = this->methods(one.f, Box<4>{}, tolerance).size() > 1;
  EXPECT_TRUE(interrupted || detail::on_device_of_its_own<TypeParam>);
  auto const result = this->integrate(one.f, Box<4>{}, tolerance);
  ASSERT_EQ(result.method, "pagani");
  auto const alone = kubature::integrate(this->exec, Pagani{}, one.f, Box<4>{}, tolerance);
  EXPECT_EQ(result.value, alone.value);
  EXPECT_EQ(result.error, alone.error);
  EXPECT_EQ(result.regions, alone.regions);
  EXPECT_EQ(result.evaluations > alone.evaluations, interrupted);
  EXPECT_LT(result.evaluations, 8 * alone.evaluations);
}

} // namespace
} // namespace automatic_goes_on_test
