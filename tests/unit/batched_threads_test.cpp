#include "batched.hpp"
#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace batched_threads_test {
namespace {

using namespace kubature;
using namespace batches;

TYPED_TEST_SUITE(BatchedInThreads, spaces::All, spaces::Names);

TYPED_TEST(BatchedInThreads, GiveTheBitsOfTheFunctionObject) {
  for (std::uint64_t const evaluations : odd_numbers) {
    with_samplers(evaluations,
                  [&](auto const& method) { this->template expect_the_same<1>(method, suite::F4<5>{}, Box<5>{}); });
    this->template expect_the_same<1>(QuasiMonteCarlo{.evaluations = evaluations}, suite::F4<5>{}, Box<5>{});
  }
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
} // namespace batched_threads_test
