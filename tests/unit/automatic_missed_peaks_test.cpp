#include "automatic.hpp"
#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

/// Auto where some methods miss the peak, in eight and nine variables.
namespace automatic_missed_peaks_test {
namespace {

using namespace kubature;
using namespace automatic;

TYPED_TEST_SUITE(Automatic, spaces::All, spaces::Names);

/// A narrow peak in eight variables, which lattices meet on a host with this seed, and samples do not: they find
/// 0.00(4).
TYPED_TEST(Automatic, AMethodThatMissesThePeakIsNoWitness) {
  std::vector<Side> const sides(8, {-1 / 1.3, 1 / 1.3});
  auto const result =
      kubature::integrate(this->exec, Auto{.seed = 27}, suite::FB<8>{}, Box<8>(sides), {.relative = 0.01});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value - 1), std::min(0.04, 6 * result.error)) << result;
}

/// In nine variables short calls of samples and lattices find nothing but zeros on a host, which is no reason to give
/// them up.
TYPED_TEST(Automatic, MethodsThatFoundOnlyZerosGetLongerCalls) {
  std::vector<Side> const sides(9, {-1, 1});
  auto const result = kubature::integrate(this->exec, Auto{}, suite::FB<9>{}, Box<9>(sides), {.relative = 0.01});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value - 1), 0.04) << result;
  if (!detail::on_device_of_its_own<TypeParam>) {
    EXPECT_LT(result.evaluations, 100'000'000u); // PAGANI would take 7e8
  }
}

} // namespace
} // namespace automatic_missed_peaks_test
