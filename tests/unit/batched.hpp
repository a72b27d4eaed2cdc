#pragma once

#include "values_of.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

/// What the tests of batched functions share: integrands, what evaluates them in batches, and fixtures that compare
/// results with those of function objects.
namespace batches {

using namespace kubature;

/// x y and exp(-z).
struct Pair {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    return {x[0] * x[1], Kokkos::exp(-x[2])};
  }
};

/// Infinite on a side of the cube.
struct Pole {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    return x[0] > Real(0.9) ? Real(1) / (x[1] - x[1]) : x[0];
  }
};

/// What batched() is given: the values of a function object, computed by a kernel, and a record of what was asked for.
template <class Space, int C, int D, class F>
struct Evaluate {
  F f;
  std::size_t* batches;
  std::size_t* points;

  void operator()(Space const& exec, BatchPoints<Space> const& at, BatchValues<Space> const& values) const {
    EXPECT_EQ(at.extent(0), values.extent(0));
    EXPECT_EQ(at.extent(1), static_cast<std::size_t>(D));
    EXPECT_EQ(values.extent(1), static_cast<std::size_t>(C));
    ++*batches;
    *points += at.extent(0);
    values_of::evaluate<Space, C, D>("test::batched::evaluate", exec, f, at, values);
  }
};

/// A function that threads may call at the same time, of the values of a function object; it counts points.
template <class Space, int C, int D, class F>
struct InThreads {
  F f;
  std::atomic<std::size_t>* of_threads; ///< points that threads gave it
  std::atomic<std::size_t>* of_batches; ///< and others
  bool safe = true;

  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    *of_batches += points.extent(0);
    values_of::evaluate<Space, C, D>("test::batched::in_batches", exec, f, points, values);
  }
  void in_thread(BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    values_of::Kernel<Space, C, D, F> const kernel{f, points, values};
    for (std::size_t k = 0; k < points.extent(0); ++k)
      kernel(static_cast<std::int64_t>(k));
    *of_threads += points.extent(0);
  }
  bool thread_safe() const { return safe; }
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
inline constexpr std::uint64_t odd_numbers[] = {1'001, 123'457};

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

} // namespace batches
