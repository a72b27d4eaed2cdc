#include "points_expressions.hpp"

#include <kubature/automatic.hpp>
#include <kubature/mixed_precision.hpp>

namespace points_expressions_cubature_test {
namespace {

using namespace kubature;
using points_expressions::expect_inside;

TEST(PointsOfExpressions, LieInsideForCubature) {
  expect_inside(Pagani<>{});
  expect_inside(TwoPhase<>{});
  expect_inside(MixedPrecision<>{.evaluations = 20'000});
  expect_inside(Auto<>{});
}

} // namespace
} // namespace points_expressions_cubature_test
