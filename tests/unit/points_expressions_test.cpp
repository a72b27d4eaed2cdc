#include "points_expressions.hpp"

namespace points_expressions_test {
namespace {

using namespace kubature;
using points_expressions::expect_inside;

TEST(PointsOfExpressions, LieInsideForSamples) {
  expect_inside(PlainMonteCarlo<>{.evaluations = 20'000});
  expect_inside(PlainMonteCarlo<Fp32>{.evaluations = 20'000});
  expect_inside(MCubes<>{.evaluations = 20'000});
  expect_inside(VegasPlus<>{.evaluations = 20'000});
  expect_inside(VegasPlus<Fp32>{.evaluations = 20'000});
  expect_inside(QuasiMonteCarlo<>{.evaluations = 20'000});
  expect_inside(QuasiMonteCarlo<Fp32>{.evaluations = 20'000});
}

} // namespace
} // namespace points_expressions_test
