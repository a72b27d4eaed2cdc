#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace batched_test {
namespace {

using namespace kubature;

/// x y and exp(-z).
struct Pair {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    return {x[0] * x[1], Kokkos::exp(-x[2])};
  }
};

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

/// What batched() is given: the values of a function object, computed by a kernel, and a record of what was asked for.
template <class Space, int C, int D, class F>
struct Evaluate {
  F f;
  std::size_t* batches;
  std::size_t* points;

  struct Kernel {
    F f;
    BatchPoints<Space> points;
    BatchValues<Space> values;

    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      Point<double, D> x;
      for (int i = 0; i < D; ++i)
        x[i] = points(k, i);
      auto const value = f(x);
      for (int c = 0; c < C; ++c)
        values(k, c) = detail::ValueTraits<std::remove_const_t<decltype(value)>>::get(value, c);
    }
  };

  void operator()(Space const& exec, BatchPoints<Space> const& at, BatchValues<Space> const& values) const {
    EXPECT_EQ(at.extent(0), values.extent(0));
    EXPECT_EQ(at.extent(1), static_cast<std::size_t>(D));
    EXPECT_EQ(values.extent(1), static_cast<std::size_t>(C));
    ++*batches;
    *points += at.extent(0);
    Kokkos::parallel_for("test::batched::evaluate",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, at.extent(0)),
                         Kernel{f, at, values});
  }
};

/// Infinite on a side of the cube.
struct Pole {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    return x[0] > Real(0.9) ? Real(1) / (x[1] - x[1]) : x[0];
  }
};

template <class Value>
bool same_bits(Value const& a, Value const& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Expects how a function object's call ended, to the bit.
template <class Value>
void expect_same_result(Result<Value> const& result, Result<Value> const& alone) {
  EXPECT_EQ(result.status, alone.status);
  EXPECT_EQ(result.evaluations, alone.evaluations);
  EXPECT_TRUE(same_bits(result.value, alone.value)) << result << " instead of " << alone;
  EXPECT_TRUE(same_bits(result.error, alone.error)) << result << " instead of " << alone;
}

/// Numbers of evaluations that no whole number of batches or chunks has.
constexpr std::uint64_t odd_numbers[] = {1'001, 123'457};

/// Calls check with each of the methods that draw random samples.
template <class Check>
void with_samplers(std::uint64_t evaluations, Check const& check) {
  check(PlainMonteCarlo{.evaluations = evaluations, .iterations = 3});
  check(MCubes{.evaluations = evaluations, .iterations = 6, .adapt = 3});
  check(VegasPlus{.evaluations = evaluations, .iterations = 6});
}

template <class Space>
class BatchedIntegrands : public ::testing::Test {
protected:
  /// Expects the bits that the function object gives, however much memory batches have.
  /// @param few the bytes that some calls have
  /// @returns how many more batches these calls make than the others
  template <int C, class Method, class F, int D>
  std::size_t expect_the_same(Method const& method, F const& f, Box<D> const& box, Tolerance tolerance = {},
                              std::size_t few = 200'000'000) {
    SCOPED_TRACE(Described<Method>::name);
    auto const alone = integrate(exec, method, f, box, tolerance);
    std::size_t first_batches = 0, more = 0;
    for (std::size_t const bytes : {Limits{}.bytes, few}) {
      std::size_t batches = 0, points = 0;
      auto const result = integrate(exec, method, batched<C>(Evaluate<Space, C, D, F>{f, &batches, &points}), box,
                                    tolerance, {.bytes = bytes});
      expect_same_result(result, alone);
      EXPECT_GE(batches, alone.iterations.size());
      EXPECT_GE(points, result.evaluations);
      EXPECT_LE(static_cast<double>(points), 1.1 * static_cast<double>(result.evaluations) + 1e6);
      more = batches - std::exchange(first_batches, batches);
    }
    return more;
  }

  Space exec;
};
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

/// A function that threads may call at the same time, of the values of a function object; it counts points.
template <class Space, int C, int D, class F>
struct InThreads {
  F f;
  std::atomic<std::size_t>* of_threads; ///< points that threads gave it
  std::atomic<std::size_t>* of_batches; ///< and others
  bool safe = true;

  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    using Kernel = typename Evaluate<Space, C, D, F>::Kernel;
    *of_batches += points.extent(0);
    Kokkos::parallel_for("test::batched::in_batches",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
                         Kernel{f, points, values});
  }
  void in_thread(BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    typename Evaluate<Space, C, D, F>::Kernel const kernel{f, points, values};
    for (std::size_t k = 0; k < points.extent(0); ++k)
      kernel(static_cast<std::int64_t>(k));
    *of_threads += points.extent(0);
  }
  bool thread_safe() const { return safe; }
};

template <class Space>
class BatchedInThreads : public ::testing::Test {
protected:
  static constexpr bool possible = !detail::on_device_of_its_own<Space>;

  /// Expects the bits that the function object gives, and that hosts call the function in threads alone.
  template <int C, class Method, class F, int D>
  void expect_the_same(Method const& method, F const& f, Box<D> const& box, Limits limits = {}) {
    SCOPED_TRACE(Described<Method>::name);
    auto const alone = integrate(exec, method, f, box);
    for (bool const safe : {true, false}) {
      std::atomic<std::size_t> of_threads = 0, of_batches = 0;
      auto const result =
          integrate(exec, method, batched<C>(InThreads<Space, C, D, F>{f, &of_threads, &of_batches, safe}), box, {},
                    safe ? limits : Limits());
      expect_same_result(result, alone);
      EXPECT_EQ(result.non_finite, alone.non_finite);
      EXPECT_EQ(of_threads > 0, safe && possible);
      if (safe && possible) {
        EXPECT_LE(static_cast<double>(of_batches), static_cast<double>(result.evaluations) / 32); // of audits
      } else {
        EXPECT_GT(of_batches, 0u);
      }
      EXPECT_LE(static_cast<double>(of_threads), 1.1 * static_cast<double>(result.evaluations) + 1e5);
    }
  }

  Space exec;
};
TYPED_TEST_SUITE(BatchedInThreads, spaces::All, spaces::Names);

TYPED_TEST(BatchedInThreads, GiveTheBitsOfTheFunctionObject) {
  for (std::uint64_t const evaluations : odd_numbers) {
    with_samplers(evaluations,
                  [&](auto const& method) { this->template expect_the_same<1>(method, suite::F4<5>{}, Box<5>{}); });
    this->template expect_the_same<1>(QuasiMonteCarlo{.evaluations = evaluations}, suite::F4<5>{}, Box<5>{});
  }
}

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

/// A cube of many samples is evaluated in blocks, too.
TYPED_TEST(BatchedInThreads, BlocksEndWithinCubes) {
  std::vector<Side> const sides(16, Side{0, 1});
  this->template expect_the_same<1>(MCubes{.evaluations = 60'001, .iterations = 6}, suite::F4<16>{}, Box<16>(sides));
}

TYPED_TEST(BatchedInThreads, AnExceptionReachesTheCaller) {
  if (!TestFixture::possible)
    GTEST_SKIP() << "in kernels of hosts alone";
  struct Throws {
    std::atomic<int>* calls;
    void operator()(TypeParam const&, BatchPoints<TypeParam> const&, BatchValues<TypeParam> const&) const {}
    void in_thread(BatchPoints<TypeParam> const&, BatchValues<TypeParam> const& values) const {
      if (++*calls >= 3)
        throw std::runtime_error("no simulation today");
      for (std::size_t k = 0; k < values.extent(0); ++k)
        values(k, 0) = 1;
    }
    static bool thread_safe() { return true; }
  };
  std::atomic<int> calls = 0;
  auto const f = batched(Throws{&calls});
  EXPECT_THROW(integrate(this->exec, MCubes{.evaluations = 1'000'000}, f, Box<2>{}), std::runtime_error);
  EXPECT_LE(calls, 2 + this->exec.concurrency()); // each thread throws once
}

TYPED_TEST(BatchedInThreads, MemoryForLessThanABlockIsTooLittle) {
  if (!TestFixture::possible)
    GTEST_SKIP() << "in kernels of hosts alone";
  std::atomic<std::size_t> of_threads = 0, of_batches = 0;
  auto const result = integrate(this->exec, PlainMonteCarlo{.evaluations = 1'000'000, .iterations = 2},
                                batched(InThreads<TypeParam, 1, 5, suite::F4<5>>{{}, &of_threads, &of_batches}),
                                Box<5>{}, {}, {.bytes = 1'000});
  EXPECT_EQ(result.status, Status::memory_exhausted);
  EXPECT_TRUE(std::isnan(result.value));
  EXPECT_EQ(of_threads + of_batches, 0u);
}

} // namespace
} // namespace batched_test
