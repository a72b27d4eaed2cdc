#include "batched.hpp"
#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

/// What holds for the batches of every method.
namespace batched_calls_test {
namespace {

using namespace kubature;
using namespace batches;

TYPED_TEST_SUITE(BatchedIntegrands, spaces::All, spaces::Names);

template <class Space>
using Function = std::function<void(Space const&, BatchPoints<Space> const&, BatchValues<Space> const&)>;

/// Counts coordinates outside 3 + i ... 5 + i.
template <class Space>
struct CountOutside {
  BatchPoints<Space> points;
  KOKKOS_FUNCTION void operator()(std::int64_t k, int& outside) const {
    for (int i = 0; i < static_cast<int>(points.extent(1)); ++i)
      outside += points(k, i) > 3 + i && points(k, i) < 5 + i ? 0 : 1;
  }
};

/// Points that fill the places without a sample in a batch also lie in the box.
TYPED_TEST(BatchedIntegrands, GetPointsOfTheBoxOnly) {
  int outside = 0;
  auto const f = batched(Function<TypeParam>(
      [&](TypeParam const& instance, BatchPoints<TypeParam> const& points, BatchValues<TypeParam> const& values) {
        int found = 0;
        Kokkos::parallel_reduce(
            "test::batched::check",
            Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::int64_t>>(instance, 0, points.extent(0)),
            CountOutside<TypeParam>{points}, found);
        outside += found;
        Kokkos::deep_copy(instance, values, 1.0);
      }));
  auto const result = integrate(this->exec, MCubes{.evaluations = 1'003, .iterations = 7}, f, Box<2>{{3, 5}, {4, 6}});
  EXPECT_EQ(outside, 0);
  EXPECT_NEAR(result.value, 4, 1e-11);
  integrate(this->exec, PlainMonteCarlo{.evaluations = 1'003, .iterations = 2}, f, Box<2>{{3, 5}, {4, 6}});
  EXPECT_EQ(outside, 0);
  // The first samples come in threes per stratum but are drawn in pairs: the last third of their chunks is empty.
  std::vector<Side> sides;
  for (int i = 0; i < 16; ++i)
    sides.push_back({3.0 + i, 5.0 + i});
  for (std::size_t const bytes : {7'000'000, 12'000'000, 20'000'000})
    integrate(this->exec, VegasPlus{.evaluations = 8 * 98'304, .iterations = 1, .skip = 0}, f, Box<16>(sides), {},
              {.bytes = bytes});
  EXPECT_EQ(outside, 0);
  integrate(this->exec, Pagani{}, f, Box<2>{{3, 5}, {4, 6}}, {.relative = 1e-3});
  integrate(this->exec, MixedPrecision<Fp64>{.evaluations = 1'003, .strategy = Strategy::region}, f,
            Box<2>{{3, 5}, {4, 6}});
  EXPECT_EQ(outside, 0);
}

TYPED_TEST(BatchedIntegrands, MemoryForLessThanAChunkOrARegionIsTooLittle) {
  std::size_t batches = 0, points = 0;
  using F = Evaluate<TypeParam, 1, 5, suite::F4<5>>;
  auto const expect_nothing = [&](auto const& method, std::size_t bytes) {
    auto const result = integrate(this->exec, method, batched(F{{}, &batches, &points}), Box<5>{}, {.relative = 1e-3},
                                  {.bytes = bytes});
    EXPECT_EQ(result.status, Status::memory_exhausted);
    EXPECT_TRUE(std::isnan(result.value));
    EXPECT_EQ(batches, 0u);
  };
  expect_nothing(PlainMonteCarlo{.evaluations = 1'000'000, .iterations = 2}, 200'000);
  expect_nothing(MixedPrecision<Fp64>{.evaluations = 1'000'000, .iterations = 2}, 10'000);
  expect_nothing(Pagani{}, 5'000);
}

TYPED_TEST(BatchedIntegrands, AnExceptionOfTheFunctionReachesTheCaller) {
  auto const f = batched(Function<TypeParam>([](auto&&...) { throw std::runtime_error("no simulation today"); }));
  EXPECT_THROW(integrate(this->exec, MCubes{.evaluations = 1000}, f, Box<2>{}), std::runtime_error);
}

} // namespace
} // namespace batched_calls_test
