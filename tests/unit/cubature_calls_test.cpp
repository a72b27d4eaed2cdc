#include "cubatures.hpp"
#include "refused.hpp"

#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace cubature_calls_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

// ---- repeating ---------------------------------------------------------------------------------------------------

void expect_same(Result<> const& a, Result<> const& b) {
  EXPECT_EQ(std::memcmp(&a.value, &b.value, sizeof(double)), 0) << a << '\n' << b;
  EXPECT_EQ(std::memcmp(&a.error, &b.error, sizeof(double)), 0) << a << '\n' << b;
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.regions, b.regions);
  EXPECT_EQ(a.iterations.size(), b.iterations.size());
}

TYPED_TEST(Cubatures, TheSameCallGivesTheSameBits) {
  auto const check = [&](auto const& method) {
    Integrator one(this->exec, method), other(this->exec, method);
    auto const run = [](auto& integrator) {
      return integrator.integrate(suite::TwoPhaseF1<5>{}, Box<5>{}, {.relative = 1e-3});
    };
    auto const first = run(one);
    EXPECT_EQ(first.status, Status::converged);
    expect_same(first, run(one));
    expect_same(first, run(other));
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
    expect_same(integrate(two, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = relative}),
                integrate(one, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = relative}));
    expect_same(integrate(two, kubature::TwoPhase{}, suite::F5<5>{}, Box<5>{}, {.relative = relative}),
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
    expect_same(first, f5());
  };
  check(Pagani{});
  check(kubature::TwoPhase{});
}

// ---- memory ------------------------------------------------------------------------------------------------------

/// Regions that a list of this many bytes cannot hold: their places and values alone take more.
std::uint64_t too_many(std::size_t bytes, int dimension) {
  return bytes / (8 * static_cast<std::uint64_t>(dimension) + 17);
}

/// The regions into which the box of a result is divided: each bisection evaluated two and left one more than before.
std::uint64_t leaves(Result<> const& result, std::uint64_t start) { return (result.regions + start) / 2; }

bool says_memory_was_short(Result<> const& result) {
  return std::any_of(result.remarks.begin(), result.remarks.end(),
                     [](std::string const& remark) { return remark.find("memory was short") != std::string::npos; });
}

TYPED_TEST(Cubatures, SmallErrorsAreCommittedWhereMemoryIsShort) {
  Tolerance const tolerance{.relative = 1e-4};
  std::size_t const bytes = 200'000;
  auto const result = integrate(this->exec, Pagani{}, suite::F4<5>{}, Box<5>{}, tolerance, {.bytes = bytes});
  expect_converged(result, f4_truth, tolerance);
  EXPECT_TRUE(says_memory_was_short(result));
  EXPECT_GT(leaves(result, 32), too_many(bytes, 5)); // the list has dropped regions and kept their sums
}

TYPED_TEST(Cubatures, TheLargestErrorsComeFirstWhereMemoryIsShort) {
  Tolerance const tolerance{.relative = 1e-5};
  auto const free = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, tolerance);
  auto const tight = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, tolerance, {.bytes = 200'000});
  expect_converged(tight, f5_truth, tolerance);
  EXPECT_TRUE(says_memory_was_short(tight));
  EXPECT_GT(tight.iterations.size(), free.iterations.size()); // more rounds of fewer regions
  EXPECT_LT(tight.evaluations, 2 * free.evaluations);
}

TYPED_TEST(Cubatures, WithAFewMegabytesOfMemory) {
  Tolerance const tolerance{.relative = 1e-6};
  auto const enough = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, tolerance, {.bytes = 4'000'000});
  expect_converged(enough, f5_truth, tolerance);
  auto const tight = integrate(this->exec, Pagani{}, suite::F4<5>{}, Box<5>{}, tolerance, {.bytes = 2'000'000});
  EXPECT_TRUE(tight.status == Status::converged || tight.status == Status::memory_exhausted) << tight;
  expect_honest(tight, f4_truth, tolerance);
  EXPECT_TRUE(says_memory_was_short(tight));
  auto const exhausted =
      integrate(this->exec, Pagani{}, suite::TwoPhaseF1<5>{}, Box<5>{}, tolerance, {.bytes = 4'000'000});
  EXPECT_EQ(exhausted.status, Status::memory_exhausted) << exhausted;
  expect_honest(exhausted, shells_truth, tolerance);
  EXPECT_LT(exhausted.error, 1e-4 * shells_truth); // the memory was not wasted
}

TYPED_TEST(Cubatures, ExhaustedMemoryLeavesAnHonestEstimate) {
  auto const check = [&](auto const& f, double truth) {
    for (std::size_t const bytes : {20'000u, 200'000u})
      for (double const relative : {1e-6, 1e-9}) {
        SCOPED_TRACE(std::to_string(bytes) + " bytes to " + std::to_string(1e9 * relative) + "e-9");
        auto const result = integrate(this->exec, Pagani{}, f, Box<5>{}, {.relative = relative}, {.bytes = bytes});
        EXPECT_EQ(result.status, Status::memory_exhausted) << result;
        EXPECT_TRUE(says_memory_was_short(result)) << result;
        expect_honest(result, truth, {.relative = relative});
      }
  };
  check(suite::F4<5>{}, f4_truth);
  check(suite::F5<5>{}, f5_truth);
  check(suite::TwoPhaseF1<5>{}, shells_truth);
}

TYPED_TEST(Cubatures, MemoryThatIsShortWithoutATolerance) {
  auto const result =
      integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {}, {.evaluations = 10'000'000, .bytes = 50'000});
  EXPECT_TRUE(result.status == Status::memory_exhausted || result.status == Status::evaluation_limit) << result;
  EXPECT_LE(std::abs(result.value - f5_truth), result.error) << result;
}

TYPED_TEST(Cubatures, SeveralComponentsWhereMemoryIsShort) {
  Tolerance const tolerance{.relative = 1e-4};
  auto const f = components_of(Scaled<suite::F4<5>>{{}, 1e10}, suite::F5<5>{});
  auto const result = integrate(this->exec, Pagani{}, f, Box<5>{}, tolerance, {.bytes = 300'000});
  EXPECT_FALSE(result.remarks.empty());
  EXPECT_NEAR(result.value[0], 1e10 * f4_truth, result.error[0]) << result;
  EXPECT_NEAR(result.value[1], f5_truth, result.error[1]) << result;
}

TYPED_TEST(Cubatures, ALimitThatNeverBitesChangesNothing) {
  for (double const relative : {1e-2, 1e-4}) {
    auto const run = [&](auto const& method, std::size_t bytes) {
      return integrate(this->exec, method, suite::F4<5>{}, Box<5>{}, {.relative = relative},
                       {.evaluations = 30'000'000, .bytes = bytes});
    };
    auto const free = run(Pagani{}, Limits{}.bytes);
    EXPECT_EQ(free.status, Status::converged);
    for (std::size_t const bytes : {4'000'000u, 50'000'000u, 400'000'000u})
      expect_same(free, run(Pagani{}, bytes));
  }
  auto const run = [&](std::size_t bytes) {
    return integrate(this->exec, kubature::TwoPhase{}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-3}, {.bytes = bytes});
  };
  expect_same(run(Limits{}.bytes), run(1'000'000'000));
}

TYPED_TEST(Cubatures, TwoPhaseWithLittleMemory) {
  Tolerance const tolerance{.relative = 1e-3};
  auto const run = [&](std::size_t bytes) {
    return integrate(this->exec, kubature::TwoPhase{}, suite::TwoPhaseF1<5>{}, Box<5>{}, tolerance, {.bytes = bytes});
  };
  auto const little = run(1'000'000); // few regions at a time in the second phase
  EXPECT_TRUE(little.status == Status::converged || little.status == Status::memory_exhausted) << little;
  expect_honest(little, shells_truth, tolerance);
  auto const less = run(20'000);
  EXPECT_EQ(less.status, Status::memory_exhausted);
  expect_honest(less, shells_truth, tolerance);
}

TYPED_TEST(Cubatures, WithoutMemoryForTheFirstRegionsThereIsNoEstimate) {
  this->with_both(suite::F5<5>{}, Box<5>{}, {.relative = 1e-3}, {.bytes = 1000}, [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::memory_exhausted);
    EXPECT_TRUE(std::isnan(result.value) && std::isnan(result.error));
    EXPECT_EQ(result.evaluations, 0u);
  });
}

// ---- stopping ----------------------------------------------------------------------------------------------------

TYPED_TEST(Cubatures, EvaluationsAreNeverMoreThanAllowed) {
  for (std::uint64_t const most : {1u, 272u, 273u, 546u, 1000u, 8735u, 8736u, 9281u, 9282u, 100'000u, 1'000'000u})
    this->with_both(suite::F5<5>{}, Box<5>{}, {.relative = 1e-9}, {.evaluations = most}, [&](Result<> const& result) {
      EXPECT_EQ(result.status, Status::evaluation_limit);
      EXPECT_LE(result.evaluations, most);
      if (most < 273) {
        EXPECT_EQ(result.evaluations, 0u);
        EXPECT_TRUE(std::isnan(result.value));
      } else {
        expect_honest(result, f5_truth, {.relative = 1e-9});
      }
    });
  auto const used = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {}, {.evaluations = 1'000'000});
  EXPECT_GT(used.evaluations, 1'000'000u - 2 * 273); // all of them, as there is no tolerance
  EXPECT_EQ(used.status, Status::evaluation_limit);
}

TYPED_TEST(Cubatures, SaysWhichLimitEndedIt) {
  this->with_both(suite::F5<5>{}, Box<5>{}, {}, {.iterations = 3}, [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::iteration_limit);
    EXPECT_EQ(result.iterations.size(), 3u);
  });
  this->with_both(suite::F5<5>{}, Box<5>{}, {.relative = 1e-6}, {.iterations = 1}, [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::iteration_limit);
    EXPECT_EQ(result.regions, 32u);
  });
  auto const own = integrate(this->exec, Pagani{.iterations = 2}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-6});
  EXPECT_EQ(own.status, Status::iteration_limit);
  EXPECT_EQ(own.iterations.size(), 2u);
  this->with_both(suite::F5<5>{}, Box<5>{}, {.relative = 1e-6}, {.seconds = 1e-9}, [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::time_limit);
    expect_honest(result, f5_truth, {.relative = 1e-6});
  });
  this->with_both(suite::TwoPhaseF3<5>{}, Box<5>{}, {.relative = 1e-9}, {.seconds = 0.05}, [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::time_limit);
    expect_honest(result, 0.0488036096072811, {.relative = 1e-9});
  });
}

TYPED_TEST(Cubatures, TheCallbackSeesEveryRoundAndCanStop) {
  auto const check = [&](auto const& method, std::string const& name) {
    int calls = 0;
    std::uint64_t evaluations = 0;
    auto const result =
        integrate(this->exec, method, suite::F5<5>{}, Box<5>{}, {.relative = 1e-6}, {}, [&](Progress const& progress) {
          ++calls;
          EXPECT_EQ(progress.iteration, calls);
          EXPECT_EQ(progress.method, name);
          EXPECT_GT(progress.evaluations, evaluations);
          evaluations = progress.evaluations;
          EXPECT_NEAR(progress.value, f5_truth, progress.error);
          return calls < 3;
        });
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(result.status, Status::stopped);
    EXPECT_EQ(result.iterations.size(), 3u);
    EXPECT_EQ(result.evaluations, evaluations);
  };
  check(Pagani{}, "pagani");
  check(kubature::TwoPhase{}, "two-phase");
}

// ---- bad input ---------------------------------------------------------------------------------------------------

TYPED_TEST(Cubatures, RefuseBadInputByNameAndValue) {
  suite::Linear<2> const f;
  Box<2> const box;
  auto const& space = this->exec;
  auto const refuse = [&](auto const& method, std::string const& argument, std::string const& value) {
    expect_refused([&] { integrate(space, method, f, box, {.relative = 1e-3}); }, argument, value);
  };
  refuse(Pagani{.iterations = 0}, "Pagani.iterations", "0");
  refuse(Pagani{.rule = Rule::gauss_kronrod}, "rule", "gauss_kronrod");
  refuse(Pagani{.rule = Rule::degree_11}, "rule", "degree_11");
  refuse(kubature::TwoPhase{.regions = 0}, "TwoPhase.regions", "0");
  refuse(kubature::TwoPhase{.parts = 1}, "TwoPhase.parts", "1");
  refuse(kubature::TwoPhase{.rule = Rule::degree_11}, "rule", "degree_11");
  expect_refused([&] { integrate(space, Pagani{}, f, box); }, "Tolerance.relative", "0");
  expect_refused([&] { integrate(space, kubature::TwoPhase{}, f, box); }, "Tolerance.relative", "0");
  expect_refused([&] { integrate(space, Pagani{}, f, box, {}, {.bytes = 1 << 20}); }, "Tolerance.relative", "0");
  expect_refused([&] { integrate(space, Pagani{}, f, box, {.relative = -1}); }, "Tolerance.relative", "-1");
  expect_refused([&] { integrate(space, Pagani{}, f, box, {.relative = 1}, {.bytes = 0}); }, "Limits.bytes", "0");
  expect_refused([&] { integrate(space, Pagani{.rule = Rule::degree_7}, Bell{}, Box<1>{}, {.relative = 1}); }, "rule",
                 "degree_7");
}

// ---- what the result tells ---------------------------------------------------------------------------------------

TYPED_TEST(Cubatures, ResultsTellWhatWasDone) {
  auto const check = [&](auto const& method, std::string const& name) {
    auto const result = integrate(this->exec, method, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4});
    EXPECT_EQ(result.method, name);
    EXPECT_EQ(result.backend, TypeParam::name());
    EXPECT_EQ(result.precision, "fp64");
    EXPECT_FALSE(result.seed.has_value());
    EXPECT_TRUE(std::isnan(result.chi2_per_dof) && std::isnan(result.q_value));
    EXPECT_GT(result.seconds, 0);
    EXPECT_EQ(result.non_finite, 0u);
    auto const of_rules = result.regions * CubatureRule(Rule::automatic, 5).points(); // and of second opinions
    EXPECT_GE(result.evaluations, of_rules);
    EXPECT_LE(static_cast<double>(result.evaluations), 1.2 * static_cast<double>(of_rules));
    ASSERT_GT(result.iterations.size(), 2u);
    std::uint64_t evaluations = 0;
    for (auto const& iteration : result.iterations) {
      EXPECT_EQ(iteration.included, &iteration == &result.iterations.back());
      EXPECT_LE(std::abs(iteration.value - f5_truth), iteration.error);
      evaluations += iteration.evaluations;
    }
    EXPECT_EQ(evaluations, result.evaluations);
    EXPECT_EQ(result.value, result.iterations.back().value);
    EXPECT_EQ(result.error, result.iterations.back().error);
  };
  check(Pagani{}, "pagani");
  check(kubature::TwoPhase{}, "two-phase");
}

} // namespace
} // namespace cubature_calls_test
