#pragma once

#include <kubature/result.hpp>

#include <gtest/gtest.h>

#include <cmath>

/// What the tests of VEGAS+ share: what to expect of a result, and a fixture.
namespace vegas_plus {

using namespace kubature;

template <class Value>
void expect_near(Result<Value> const& result, double truth, double rounding = 0) {
  EXPECT_EQ(result.non_finite, 0u);
  EXPECT_GT(result.error, 0);
  EXPECT_NEAR(result.value, truth, 4.5 * result.error + rounding * std::abs(truth)) << result;
  EXPECT_GT(result.q_value, 1e-5) << result;
}

/// In every space.
template <class Space>
class VegasPlusOn : public ::testing::Test {
protected:
  Space exec;
};

} // namespace vegas_plus
