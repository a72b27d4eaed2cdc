#include "cubatures.hpp"

#include <kubature/expression.hpp>
#include <kubature/runtime/detail/region_kernels.hpp>
#include <kubature/suite/suite.hpp>

#include <vector>

/// \file
/// PAGANI and expressions, which take nvcc long.

namespace cubature_expressions_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, ExpressionsAreIntegrands) {
  auto const f = Expression::parse("exp(-x*y)");
  double const truth = 0.796599599297053134;
  Tolerance const tolerance{.relative = 1e-9};
  expect_converged(integrate(this->exec, Pagani{}, f, Box<2>{}, tolerance), truth, tolerance);
  std::vector<Side> const side{{0, 1}};
  expect_converged(integrate(this->exec, Pagani{}, f, Box<>(side, 2), tolerance), truth, tolerance);
  EXPECT_THROW(integrate(this->exec, Pagani{}, f, Box<3>{}, {.relative = 1e-3}), InvalidArgument);
}

TYPED_TEST(Cubatures, ExpressionsTakeAsManyEvaluationsAsFunctionObjects) {
  std::vector<Side> const side{{0, 1}};
  auto const fixed = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4});
  auto const open = integrate(this->exec, Pagani{},
                              Expression::parse("exp(-10*(abs(x-1/2)+abs(y-1/2)+abs(z-1/2)"
                                                "+abs(w-1/2)+abs(v-1/2)))"),
                              Box<>(side, 5), {.relative = 1e-4});
  expect_converged(open, f5_truth, {.relative = 1e-4});
  EXPECT_NEAR(static_cast<double>(open.evaluations), static_cast<double>(fixed.evaluations),
              0.05 * static_cast<double>(fixed.evaluations));
}

} // namespace
} // namespace cubature_expressions_test
