#include "batched.hpp"
#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace batched_test {
namespace {

using namespace kubature;
using namespace batches;

TYPED_TEST_SUITE(BatchedIntegrands, spaces::All, spaces::Names);

TYPED_TEST(BatchedIntegrands, GiveTheBitsOfTheFunctionObject) {
  for (std::uint64_t const evaluations : odd_numbers)
    with_samplers(evaluations,
                  [&](auto const& method) { this->template expect_the_same<1>(method, suite::F4<5>{}, Box<5>{}); });
}

TYPED_TEST(BatchedIntegrands, SeveralComponentsOverInfiniteSides) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box<3> const box{{0, 1}, {0, 1}, {0, infinity}};
  this->template expect_the_same<2>(PlainMonteCarlo{.evaluations = 10'001, .iterations = 3}, Pair{}, box);
  this->template expect_the_same<2>(QuasiMonteCarlo{.evaluations = 150'000}, Pair{}, box); // with slabs
  this->template expect_the_same<2>(MCubes{.evaluations = 10'001, .iterations = 6}, Pair{}, box);
  this->template expect_the_same<2>(VegasPlus{.evaluations = 10'001, .iterations = 6}, Pair{}, box);
  this->template expect_the_same<2>(
      VegasPlus{.evaluations = 10'001, .iterations = 6, .covariance = Covariance::full, .driver = component(1)}, Pair{},
      box);
}

/// Slabs of a few points fill a small part of a chunk.
TYPED_TEST(BatchedIntegrands, AreAskedForTheirPointsAndFewOthers) {
  std::size_t batches = 0, points = 0;
  auto const result = integrate(this->exec, QuasiMonteCarlo{.evaluations = 150'000},
                                batched<2>(Evaluate<TypeParam, 2, 3, Pair>{{}, &batches, &points}),
                                Box<3>{{0, 1}, {0, 1}, {0, std::numeric_limits<double>::infinity()}});
  EXPECT_LE(static_cast<double>(points), 1.6 * static_cast<double>(result.evaluations));
}

} // namespace
} // namespace batched_test
