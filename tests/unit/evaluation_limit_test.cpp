#include "spaces.hpp"

#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>
#include <kubature/suite/cuvegas.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

/// However few evaluations a limit leaves, they make an estimate.
namespace evaluation_limit_test {
namespace {

using namespace kubature;

template <class Space>
class EvaluationLimit : public ::testing::Test {
protected:
  Space exec;

  template <class Method>
  void leaves_an_estimate(Method const& method) {
    SCOPED_TRACE(Described<Method>::type);
    for (std::uint64_t limit = 900; limit < 3'000'000; limit *= 3)
      for (double const relative : {0.0, 1e-9}) {
        auto const result =
            integrate(exec, method, suite::Linear<3>{}, Box<3>{}, {.relative = relative}, {.evaluations = limit});
        EXPECT_LE(result.evaluations, limit);
        EXPECT_GE(2 * result.evaluations, limit);
        EXPECT_NE(result.status, Status::converged) << result;
        EXPECT_LE(std::abs(result.value - 1.5), 10 * result.error) << limit << '\n' << result;
        EXPECT_LT(result.error, 0.2 * std::abs(result.value)) << limit << '\n' << result;
      }
  }
};
TYPED_TEST_SUITE(EvaluationLimit, spaces::All, spaces::Names);

TYPED_TEST(EvaluationLimit, LeavesAnEstimate) {
  this->leaves_an_estimate(PlainMonteCarlo{.evaluations = 10'000'000});
  this->leaves_an_estimate(MCubes{});
  this->leaves_an_estimate(VegasPlus{});
  this->leaves_an_estimate(VegasPlus{.skip = 19});
  this->leaves_an_estimate(MixedPrecision<Fp64>{.evaluations = 10'000'000});
}

} // namespace
} // namespace evaluation_limit_test
