#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>

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
/// The sum over n of (-1)^n / (n! (n + 1)^2), and 1/2.
constexpr double truth = 0.7965995992970531 + 0.5;

template <class Method>
void expect_in_time(Method const& method, Work const& f) {
  auto const begin = Clock::now();
  auto const result = integrate(method, f, Box<3>{}, {}, {.seconds = limit});
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), limit + slack);
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_TRUE(std::isfinite(result.value)); // iterations become so short that some are completed
  EXPECT_GT(result.error, 0);
  EXPECT_GT(result.evaluations, 0u);
  EXPECT_NEAR(result.value, truth, 6 * result.error);
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

/// An integrand that becomes slow after some evaluations, when the pilot has found it to be fast.
struct Sudden {
  Kokkos::View<std::uint64_t, Kokkos::HostSpace> calls{"test::time_limit::calls"};
  std::uint64_t fast = 5000;
  template <class Real>
  Real operator()(Point<Real, 3> const& x) const {
    return Work{Kokkos::atomic_fetch_inc(&calls()) > fast}(x);
  }
};

#ifndef KOKKOS_ENABLE_CUDA
TYPED_TEST(TimeLimit, LeavesThePilotsEstimate) {
  TypeParam method;
  method.evaluations = 100'000;
  if constexpr (requires { method.regions; })
    method.regions = 1;
  Sudden const f;
  auto const begin = Clock::now();
  auto const result = integrate(method, f, Box<3>{}, {}, {.seconds = limit});
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), limit + slack);
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_TRUE(std::isfinite(result.value));
  EXPECT_NEAR(result.value, truth, 6 * result.error);
  EXPECT_GT(result.evaluations, 0u);
  EXPECT_LE(result.evaluations, f.calls());
}
/// Iterations that train the map stay out of an estimate, unless there are no others.
template <class Method>
void expect_training_to_count(Method method) {
  method.evaluations = 64;
  method.iterations = 200;
  method.skip = 199;
  auto const result = integrate(method, Work{.slow = true}, Box<3>{}, {}, {.seconds = limit});
  EXPECT_EQ(result.status, Status::time_limit);
  ASSERT_GT(result.iterations.size(), 1u);
  EXPECT_FALSE(result.iterations.front().included);
  EXPECT_TRUE(result.iterations.back().included);
  EXPECT_EQ(result.value, result.iterations.back().value);
  EXPECT_NEAR(result.value, truth, 7 * result.error);
}
TEST(TimeLimit, LeavesTheLastIterationInTraining) {
  expect_training_to_count(MCubes<>{});
  expect_training_to_count(VegasPlus<>{});
}

/// Components whose number is known at run time.
struct SlowBatches {
  using Space = Kokkos::DefaultHostExecutionSpace;
  void operator()(Space const&, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    auto const f = Work{.slow = true};
    for (std::size_t k = 0; k < points.extent(0); ++k) {
      Point<double, 3> x;
      for (int i = 0; i < 3; ++i)
        x[i] = points(k, i);
      for (std::size_t c = 0; c < values.extent(1); ++c)
        values(k, c) = static_cast<double>(c + 1) * (c == 0 ? f(x) : Work{}(x));
    }
  }
};
TYPED_TEST(TimeLimit, LeavesAnEstimateOfComponentsAtRunTime) {
  TypeParam method;
  method.evaluations = 100'000;
  if constexpr (requires { method.points; })
    method.points = 2;
  auto const result = integrate(SlowBatches::Space(), method, batched(SlowBatches{}, 3), Box<3>{}, {}, {.seconds = 1});
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_LT(result.seconds, 1 + 2 * slack);
  EXPECT_GT(result.evaluations, 0u);
  ASSERT_EQ(result.value.size(), 3u);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(result.value[c], static_cast<double>(c + 1) * truth, 7 * result.error[c]);
}
#endif

/// One iteration that has time is not divided.
TYPED_TEST(TimeLimit, LeavesAnIterationThatHasTime) {
  TypeParam method;
  method.evaluations = 200'000;
  method.iterations = 6;
  auto const result = integrate(method, Work{}, Box<3>{}, {}, {.seconds = 60});
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_EQ(result.iterations.size(), 6u);
}

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
  expect_in_time(QuasiMonteCarlo{.rule = QmcRule::sobol, .trained_map = QmcMap::none}, Work{.slow = true});
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
