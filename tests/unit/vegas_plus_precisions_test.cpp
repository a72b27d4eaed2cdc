#include "spaces.hpp"
#include "vegas_plus.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <type_traits>

namespace vegas_plus_precisions_test {
namespace {

using namespace kubature;
using namespace vegas_plus;

template <class Case>
class VegasPlusIn : public ::testing::Test {
protected:
  using P = typename Case::precision;
  typename Case::space exec;

  static double rounding() {
    return std::is_same_v<P, Fp64> ? 0 : std::is_same_v<typename P::eval_type, float> ? 2e-5 : 2e-2;
  }
};
TYPED_TEST_SUITE(VegasPlusIn, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(VegasPlusIn, APeakAndAKink) {
  VegasPlus<typename TypeParam::precision> const method{.evaluations = 50'000};
  auto const peak = integrate(this->exec, method, suite::F4<5>{}, Box<5>{});
  expect_near(peak, 1.79132603674878596e-06, this->rounding());
  EXPECT_LT(peak.error, 1e-3 * peak.value);
  EXPECT_EQ(peak.method, "vegas+");
  EXPECT_EQ(peak.status, Status::completed);
  EXPECT_EQ(peak.iterations.size(), 20u);
  auto const kink = integrate(this->exec, method, suite::F5<8>{}, Box<8>{});
  expect_near(kink, 2.42521762564188556e-06, this->rounding());
  EXPECT_LT(kink.error, 1e-3 * kink.value);
}

} // namespace
} // namespace vegas_plus_precisions_test
