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
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

/// Batches of regions, and what holds for the batches of every method.
namespace batched_cubature_test {
namespace {

using namespace kubature;
using namespace batches;

/// x exp(-3 z), exp(-z) and a ridge.
struct Triple {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 3> operator()(Point<Real, D> const& x) const {
    Real const tail = Kokkos::exp(-x[2]);
    return {x[0] * tail * tail * tail, tail, tail / (Real(0.01) + x[0] * x[0] + x[1] * x[1])};
  }
};

/// A peak with tails that regions tell each other of, and a jump close to a face.
struct PeakAndJump {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum(0);
    for (int i = 0; i < D; ++i)
      sum += (x[i] - Real(0.3)) * (x[i] - Real(0.3));
    return Kokkos::exp(Real(-2000) * sum) + (x[0] > Real(0.2531) ? Real(1e-3) : Real(0));
  }
};

TYPED_TEST_SUITE(BatchedIntegrands, spaces::All, spaces::Names);

TYPED_TEST(BatchedIntegrands, OfPaganiGiveTheBitsOfTheFunctionObject) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t few = 2'000'000;
  EXPECT_GT(this->template expect_the_same<1>(Pagani{}, suite::F4<5>{}, Box<5>{}, {.relative = 1e-3}, few), 0u);
  EXPECT_GT(this->template expect_the_same<3>(Pagani{}, Triple{}, Box<3>{{0, 1}, {0, 1}, {0, infinity}},
                                              {.relative = 1e-3}, 100'000),
            0u);
  this->template expect_the_same<1>(Pagani{}, PeakAndJump{}, Box<3>{}, {.relative = 1e-2}, few);
  this->template expect_the_same<1>(Pagani{.rule = Rule::degree_9}, PeakAndJump{}, Box<3>{}, {.relative = 1e-2}, few);
}

TYPED_TEST(BatchedIntegrands, OfPaganiKeepLimitsAndCountValuesThatAreNotFinite) {
  auto const expect_like_the_function = [&](auto const& f, Tolerance tolerance, Limits limits) {
    using F = std::remove_cvref_t<decltype(f)>;
    std::size_t batches = 0, points = 0;
    Pagani const method{.non_finite = NonFinite::discard};
    auto const alone = integrate(this->exec, method, f, Box<3>{}, tolerance, limits);
    auto const result = integrate(this->exec, method, batched(Evaluate<TypeParam, 1, 3, F>{f, &batches, &points}),
                                  Box<3>{}, tolerance, limits);
    expect_same_result(result, alone);
    EXPECT_EQ(result.non_finite, alone.non_finite);
    return result;
  };
  EXPECT_GT(expect_like_the_function(Pole{}, {.relative = 1e-3}, {.iterations = 6}).non_finite, 0u);
  EXPECT_EQ(expect_like_the_function(PeakAndJump{}, {.relative = 1e-9}, {.evaluations = 40'000}).status,
            Status::evaluation_limit);
  // A call with a time limit evaluates regions in slices.
  expect_like_the_function(PeakAndJump{}, {.relative = 1e-2}, {.seconds = 1000});
}

TYPED_TEST(BatchedIntegrands, OfMixedPrecisionGiveTheBitsOfTheFunctionObject) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  using Mixed = MixedPrecision<Fp64>;
  this->template expect_the_same<1>(Mixed{.evaluations = 123'457, .iterations = 2}, suite::F4<5>{}, Box<5>{});
  this->template expect_the_same<1>(
      Mixed{.evaluations = 20'001, .iterations = 2, .strategy = Strategy::region, .regions = 16}, PeakAndJump{},
      Box<3>{{0, 1}, {-infinity, infinity}, {1, 3}});
}

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
} // namespace batched_cubature_test
