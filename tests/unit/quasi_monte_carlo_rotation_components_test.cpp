#include "rotations.hpp"
#include "spaces.hpp"

#include <kubature/quasi_monte_carlo.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace quasi_monte_carlo_rotation_components_test {
namespace {

using namespace kubature;
using namespace rotations;

struct CallAndPrice {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, 8> const& x) const {
    return {Call<8>{}(x), Kokkos::exp(factor(x) / 5)};
  }
};

TYPED_TEST_SUITE(RotationOn, spaces::All, spaces::Names);

/// Both components depend on the same sum, and on one side of it they are equal.
TYPED_TEST(RotationOn, ServesComponents) {
  QuasiMonteCarlo const method{.evaluations = 1 << 18, .trained_map = QmcMap::rotated, .covariance = Covariance::full};
  auto const result = integrate(this->exec, method, CallAndPrice{}, Box<8>{});
  EXPECT_NEAR(result.value[0], call_value(), 4.5 * result.error[0]);
  EXPECT_NEAR(result.value[1], std::exp(0.02), 4.5 * result.error[1]);
  EXPECT_LT(result.error[0] / result.value[0], 1e-4);
}

} // namespace
} // namespace quasi_monte_carlo_rotation_components_test
