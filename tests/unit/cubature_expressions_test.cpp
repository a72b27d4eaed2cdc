#include "cubatures.hpp"

#include <kubature/expression.hpp>

#include <vector>

/// \file
/// Expressions, which take nvcc long.

namespace cubature_expressions_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, ExpressionsAreIntegrands) {
  auto const f = Expression::parse("exp(-x*y)");
  double const truth = 0.796599599297053134;
  this->expect_both(f, Box<2>{}, truth, {.relative = 1e-9});
  std::vector<Side> const side{{0, 1}};
  this->expect_both(f, Box<>(side, 2), truth, {.relative = 1e-9});
  EXPECT_THROW(integrate(this->exec, Pagani{}, f, Box<3>{}, {.relative = 1e-3}), InvalidArgument);
}

} // namespace
} // namespace cubature_expressions_test
