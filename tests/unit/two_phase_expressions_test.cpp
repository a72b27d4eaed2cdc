#include "cubatures.hpp"

#include <kubature/expression.hpp>
#include <kubature/runtime/detail/region_kernels.hpp>

#include <vector>

/// \file
/// TwoPhase and expressions, which take nvcc long.

namespace two_phase_expressions_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, ExpressionsAreIntegrandsOfTwoPhase) {
  auto const f = Expression::parse("exp(-x*y)");
  double const truth = 0.796599599297053134;
  Tolerance const tolerance{.relative = 1e-9};
  expect_converged(integrate(this->exec, kubature::TwoPhase{}, f, Box<2>{}, tolerance), truth, tolerance);
  std::vector<Side> const side{{0, 1}};
  expect_converged(integrate(this->exec, kubature::TwoPhase{}, f, Box<>(side, 2), tolerance), truth, tolerance);
}

} // namespace
} // namespace two_phase_expressions_test
