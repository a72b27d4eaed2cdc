#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace time_limit_test {
namespace {

using namespace kubature;
using Clock = std::chrono::steady_clock;

/// Takes a millisecond on a host if it is slow.
struct Work {
  bool slow = false;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    if (slow) {
      KOKKOS_IF_ON_HOST((auto const end = Clock::now() + std::chrono::milliseconds(1); while (Clock::now() < end){}))
    }
    return Kokkos::exp(-x[0] * x[1]) + x[2];
  }
};

/// A jump that cubature never finishes.
struct Edge {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    return x[0] < x[1] * x[2] ? Real(1) : Real(0);
  }
};

constexpr double limit = 0.4, slack = 0.3;

template <class Method>
void expect_in_time(Method const& method, Work const& f) {
  auto const begin = Clock::now();
  auto const result = integrate(method, f, Box<3>{}, {}, {.seconds = limit});
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), limit + slack);
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_TRUE(std::isnan(result.value)); // no iteration was completed
}

template <class Method>
class TimeLimit : public ::testing::Test {};
using Methods = ::testing::Types<PlainMonteCarlo<>, MCubes<>, VegasPlus<>, MixedPrecision<Fp64>>;
TYPED_TEST_SUITE(TimeLimit, Methods);

TYPED_TEST(TimeLimit, IsKeptWithinALargeIteration) {
  TypeParam method;
  method.evaluations = 1'000'000'000'000;
  expect_in_time(method, Work{});
}

#ifndef KOKKOS_ENABLE_CUDA
TYPED_TEST(TimeLimit, IsKeptByASlowIntegrand) {
  TypeParam method;
  method.evaluations = 1'000'000;
  if constexpr (requires { method.points; })
    method.points = 2; // probing the integrand beforehand cannot be stopped
  expect_in_time(method, Work{.slow = true});
}
#endif

/// The iterations that were completed count, and are the same as without a limit.
TYPED_TEST(TimeLimit, LeavesFinishedIterationsAsTheyAre) {
  TypeParam method;
  method.evaluations = 20'000;
  method.iterations = 8;
  auto const all = integrate(method, Work{}, Box<3>{});
  auto const watched = integrate(method, Work{}, Box<3>{}, {}, {.seconds = 1e6});
  EXPECT_EQ(watched.value, all.value);
  EXPECT_EQ(watched.error, all.error);
}

TYPED_TEST(TimeLimit, CallbackIsAskedWithinALargeIteration) {
  TypeParam method;
  method.evaluations = 1'000'000'000'000;
  int asked = 0;
  auto const begin = Clock::now();
  auto const result = integrate(method, Work{}, Box<3>{}, {}, {}, [&](Progress const&) { return ++asked < 3; });
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), 1.5);
  EXPECT_EQ(result.status, Status::stopped);
  EXPECT_EQ(asked, 3);
}

TEST(TimeLimit, IsKeptByQuasiMonteCarlo) {
  auto const begin = Clock::now();
  auto const result =
      integrate(QuasiMonteCarlo{.evaluations = 1'000'000'000'000}, Work{}, Box<3>{}, {}, {.seconds = limit});
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), limit + slack);
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_TRUE(std::isfinite(result.value)); // of the doublings that were completed
#ifndef KOKKOS_ENABLE_CUDA
  expect_in_time(QuasiMonteCarlo{}, Work{.slow = true});
#endif
}

TEST(TimeLimit, IsKeptByTheSecondPhaseOfCubature) {
  auto const begin = Clock::now();
  auto const result =
      integrate(TwoPhase{.regions = 64, .parts = 1 << 18}, Edge{}, Box<3>{}, {.relative = 1e-12}, {.seconds = limit});
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), limit + slack);
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_TRUE(std::isfinite(result.value));
}

} // namespace
} // namespace time_limit_test
