#include "runtime_by_name.hpp"

#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

namespace runtime_quasi_monte_carlo_test {
namespace {

using namespace kubature;
using namespace runtime_by_name;

TEST(Runtime, QuasiMonteCarloByNameGivesTheBitsOfTheTemplates) {
  expect_same(Settings("qmc").set("evaluations", 1 << 17).set("shifts", 8).set("transform", "korobov1").set("seed", 3),
              QuasiMonteCarlo{.evaluations = 1 << 17, .shifts = 8, .transform = QmcTransform::korobov1, .seed = 3});
}

TEST(Runtime, MixedPrecisionByNameGivesTheBitsOfTheTemplates) {
  expect_same(Settings("mixed").set("evaluations", 20'000).set("strategy", "region").set("costs", "1,2,4"),
              MixedPrecision{.evaluations = 20'000, .strategy = Strategy::region, .costs = {1, 2, 4}});
  expect_same(Settings("mixed", "fp64").set("evaluations", 20'000).set("strategy", "region"),
              MixedPrecision<Fp64>{.evaluations = 20'000, .strategy = Strategy::region});
}

} // namespace
} // namespace runtime_quasi_monte_carlo_test
