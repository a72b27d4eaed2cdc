#include "cubatures.hpp"

#include <kubature/suite/suite.hpp>

#include <cmath>
#include <vector>

namespace cubature_repeated_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

TYPED_TEST(Cubatures, TheSameCallGivesTheSameBits) {
  auto const check = [&](auto const& method) {
    Integrator one(this->exec, method), other(this->exec, method);
    auto const run = [](auto& integrator) {
      return integrator.integrate(suite::TwoPhaseF1<5>{}, Box<5>{}, {.relative = 1e-3});
    };
    auto const first = run(one);
    EXPECT_EQ(first.status, Status::converged);
    expect_same_call(first, run(one));
    expect_same_call(first, run(other));
  };
  check(Pagani{});
  check(kubature::TwoPhase{});
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(CubatureThreads, TheirNumberDoesNotChangeABit) {
  Kokkos::OpenMP const one(1), two(2);
  if (one.concurrency() != 1 || two.concurrency() != 2)
    GTEST_SKIP() << "instances of this Kokkos share their threads; see the command line's test";
  for (double const relative : {1e-2, 1e-4}) {
    expect_same_call(integrate(two, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = relative}),
                     integrate(one, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = relative}));
    expect_same_call(integrate(two, kubature::TwoPhase{}, suite::F5<5>{}, Box<5>{}, {.relative = relative}),
                     integrate(one, kubature::TwoPhase{}, suite::F5<5>{}, Box<5>{}, {.relative = relative}));
  }
}
#endif

TYPED_TEST(Cubatures, AnIntegratorServesAnythingAfterAnything) {
  auto const check = [&](auto const& method) {
    Integrator integrator(this->exec, method);
    auto const f5 = [&] { return integrator.integrate(suite::F5<5>{}, Box<5>{}, {.relative = 1e-3}); };
    auto const first = f5();
    expect_converged(first, f5_truth, {.relative = 1e-3});
    expect_converged(integrator.integrate(Bell{}, Box<1>{}, {.relative = 1e-12}), bell_truth, {.relative = 1e-12});
    std::vector<Side> const side{{0, 1}};
    expect_converged(integrator.integrate(Bell{}, Box<>(side, 12), {.relative = 1e-3}), std::pow(bell_truth, 12),
                     {.relative = 1e-3});
    auto const two = integrator.integrate(components_of(suite::F5<5>{}, Bell{}), Box<5>{}, {.relative = 1e-3});
    EXPECT_EQ(two.status, Status::converged);
    EXPECT_NEAR(two.value[0], f5_truth, two.error[0]);
    EXPECT_NEAR(two.value[1], std::pow(bell_truth, 5), two.error[1]);
    auto const small = integrator.integrate(suite::TwoPhaseF1<5>{}, Box<5>{}, {.relative = 1e-6}, {.bytes = 20'000});
    EXPECT_EQ(small.status, Status::memory_exhausted);
    expect_same_call(first, f5());
  };
  check(Pagani{});
  check(kubature::TwoPhase{});
}

} // namespace
} // namespace cubature_repeated_test
