#include "batched.hpp"
#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

namespace batched_threads_components_test {
namespace {

using namespace kubature;
using namespace batches;

TYPED_TEST_SUITE(BatchedInThreads, spaces::All, spaces::Names);

TYPED_TEST(BatchedInThreads, SeveralComponentsOverInfiniteSidesWithLittleMemory) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box<3> const box{{0, 1}, {0, 1}, {0, infinity}};
  std::size_t const few = 1'000'000;
  this->template expect_the_same<2>(PlainMonteCarlo{.evaluations = 10'001, .iterations = 3}, Pair{}, box,
                                    {.bytes = few});
  this->template expect_the_same<2>(QuasiMonteCarlo{.evaluations = 150'000}, Pair{}, box);
  this->template expect_the_same<2>(MCubes{.evaluations = 10'001, .iterations = 6}, Pair{}, box, {.bytes = few});
  this->template expect_the_same<2>(
      VegasPlus{.evaluations = 10'001, .iterations = 6, .covariance = Covariance::full, .driver = component(1)}, Pair{},
      box, {.bytes = few});
  this->template expect_the_same<1>(VegasPlus{.evaluations = 10'001, .iterations = 6, .non_finite = NonFinite::discard},
                                    Pole{}, Box<3>{});
}

} // namespace
} // namespace batched_threads_components_test
