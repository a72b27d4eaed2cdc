#include "same_bits.hpp"
#include "spaces.hpp"
#include "vegas_plus.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace vegas_plus_calls_test {
namespace {

using namespace kubature;
using namespace vegas_plus;

TYPED_TEST_SUITE(VegasPlusOn, spaces::All, spaces::Names);

// ---- how much is done ------------------------------------------------------------------------------------------

TYPED_TEST(VegasPlusOn, ARelativeToleranceAloneIsEnough) {
  auto const result =
      integrate(this->exec, VegasPlus{.evaluations = 10'000}, suite::F4<5>{}, Box<5>{}, {.relative = 5e-5});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(result.error, 5e-5 * result.value);
  EXPECT_NEAR(result.value, 1.79132603674878596e-06, 5 * result.error);
  EXPECT_GT(result.iterations.back().evaluations, 20'000u); // they grow
  EXPECT_LT(result.iterations.size(), 60u);
  EXPECT_LT(result.evaluations, 20'000'000u);
}

/// Iterations of the training count where they are well within the tolerance by themselves, but not in one variable,
/// where all of the variance of a jump may lie in one stratum.
TYPED_TEST(VegasPlusOn, EasyTolerancesNeedNoTraining) {
  VegasPlus const method{.evaluations = 20'000};
  auto const at_once = integrate(this->exec, method, suite::Linear<4>{}, Box<4>{}, {.relative = 1e-2});
  EXPECT_EQ(at_once.status, Status::converged);
  EXPECT_EQ(at_once.iterations.size(), 2u);
  EXPECT_TRUE(at_once.iterations[0].included);
  EXPECT_NEAR(at_once.value, 2, 4 * at_once.error);
  auto const all = integrate(this->exec, method, suite::Linear<4>{}, Box<4>{}, {.relative = 1e-2}, {.iterations = 1});
  EXPECT_EQ(all.status, Status::iteration_limit); // one alone confirms nothing
  auto const single = integrate(this->exec, method, suite::Linear<1>{}, Box<1>{}, {.relative = 1e-2});
  EXPECT_EQ(single.iterations.size(), 7u);
  auto const peak = integrate(this->exec, method, suite::F4<5>{}, Box<5>{}, {.relative = 1e-2});
  EXPECT_FALSE(peak.iterations[1].included);
  EXPECT_GE(peak.iterations.size(), 7u);
}

TYPED_TEST(VegasPlusOn, LimitsAreKept) {
  auto const run = [&](Limits limits) {
    return integrate(this->exec, VegasPlus{.evaluations = 10'000}, suite::F1<5>{}, Box<5>{}, {.relative = 1e-9},
                     limits);
  };
  auto const evaluations = run({.evaluations = 1'000'000});
  EXPECT_EQ(evaluations.status, Status::evaluation_limit);
  EXPECT_LE(evaluations.evaluations, 1'000'000u);
  EXPECT_GT(evaluations.evaluations, 500'000u);
  EXPECT_EQ(run({.iterations = 7}).iterations.size(), 7u);
  EXPECT_EQ(run({.seconds = 1e-9}).status, Status::time_limit);
  EXPECT_EQ(run({.bytes = 1000}).status, Status::memory_exhausted);
}

TYPED_TEST(VegasPlusOn, FewerStrataWhereMemoryIsShort) {
  auto const run = [&](std::size_t bytes) {
    return integrate(this->exec, VegasPlus{.evaluations = 2'000'000, .iterations = 6, .bins = 50}, suite::F5<2>{},
                     Box<2>{}, {}, {.bytes = bytes});
  };
  auto const full = run(Limits{}.bytes), less = run(2'000'000);
  EXPECT_TRUE(full.remarks.empty()) << full;
  ASSERT_EQ(less.remarks.size(), 1u) << less;
  EXPECT_NE(less.remarks[0].find("fewer strata"), std::string::npos);
  EXPECT_GE(less.iterations.back().evaluations, 1'999'000u); // all the samples, in fewer cubes
  EXPECT_GT(less.error, full.error);
}

TYPED_TEST(VegasPlusOn, AFrozenStageCountsByItsSamples) {
  auto const result = integrate(this->exec, VegasPlus{.evaluations = 50'000, .iterations = 20, .adapt = 8, .skip = 8},
                                suite::F4<5>{}, Box<5>{});
  expect_near(result, 1.79132603674878596e-06);
  double sum = 0;
  for (auto const& iteration : result.iterations)
    sum += iteration.included ? iteration.value : 0;
  EXPECT_NEAR(result.value, sum / 12, 1e-3 * result.error); // sample numbers differ by 1 in 10,000 at most
}

// ---- repeating -------------------------------------------------------------------------------------------------

TYPED_TEST(VegasPlusOn, TheSameSeedGivesTheSameBits) {
  auto const run = [&](std::uint64_t seed) {
    return integrate(this->exec, VegasPlus{.evaluations = 100'000, .seed = seed}, suite::F4<5>{}, Box<5>{});
  };
  expect_same_bits(run(1), run(1));
  EXPECT_NE(run(1).value, run(2).value);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(VegasPlusThreads, TheirNumberDoesNotChangeABit) {
  Kokkos::OpenMP const one(1), three(3);
  if (one.concurrency() != 1 || three.concurrency() != 3)
    GTEST_SKIP() << "instances of this Kokkos share their threads; see the command line's test";
  for (std::uint64_t n : {1000u, 100'000u}) {
    VegasPlus const method{.evaluations = n};
    expect_same_bits(integrate(three, method, suite::F4<5>{}, Box<5>{}),
                     integrate(one, method, suite::F4<5>{}, Box<5>{}));
  }
}
#endif

/// A call with a checkpoint in a separate file.
class Interrupted {
public:
  Interrupted()
      : file_(std::filesystem::temp_directory_path() / ("kubature-checkpoint-" + std::to_string(::getpid()))) {
    std::filesystem::remove(file_);
  }
  ~Interrupted() { std::filesystem::remove(file_); }

  VegasPlus<> method(std::uint64_t evaluations = 20'000) const {
    return {.evaluations = evaluations, .checkpoint = {.file = file_.string(), .seconds = 0}};
  }
  bool exists() const { return std::filesystem::exists(file_); }
  std::string contents() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(std::string const& text) const { std::ofstream(file_, std::ios::binary) << text; }

private:
  std::filesystem::path file_;
};

TYPED_TEST(VegasPlusOn, ACallThatWasStoppedGoesOnToTheSameBits) {
  Tolerance const tolerance{.relative = 1e-4};
  auto const whole = integrate(this->exec, VegasPlus{.evaluations = 20'000}, suite::F4<5>{}, Box<5>{}, tolerance);
  ASSERT_GT(whole.iterations.back().evaluations, 20'000u); // grows on the way
  Interrupted const call;
  for (int stops : {1, 3, 7}) {
    auto const stopped = integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}, tolerance, {},
                                   [&](Progress const& progress) { return progress.iteration < stops; });
    EXPECT_EQ(stopped.status, Status::stopped);
    EXPECT_TRUE(call.exists());
  }
  auto const limited = integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}, tolerance, {.seconds = 1e-9});
  EXPECT_EQ(limited.status, Status::time_limit);
  auto const resumed = integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}, tolerance);
  expect_same_bits(resumed, whole);
  EXPECT_EQ(resumed.iterations.size(), whole.iterations.size());
  EXPECT_FALSE(call.exists()); // there is nothing left to do
}

struct Died {};

// An exception in the callback ends the call as a signal would, between two writes of the checkpoint.
TYPED_TEST(VegasPlusOn, ACallThatDiedGoesOnFromItsLastCheckpoint) {
  auto const whole = integrate(this->exec, VegasPlus{.evaluations = 20'000}, suite::F5<8>{}, Box<8>{});
  Interrupted const call;
  EXPECT_THROW(integrate(this->exec, call.method(), suite::F5<8>{}, Box<8>{}, {}, {},
                         [](Progress const& progress) -> bool {
                           if (progress.iteration == 12)
                             throw Died{};
                           return true;
                         }),
               Died);
  ASSERT_TRUE(call.exists());
  int first = 0;
  auto const resumed =
      integrate(this->exec, call.method(), suite::F5<8>{}, Box<8>{}, {}, {}, [&](Progress const& progress) {
        first = first == 0 ? progress.iteration : first;
        return true;
      });
  EXPECT_EQ(first, 12);
  expect_same_bits(resumed, whole);
}

TYPED_TEST(VegasPlusOn, CheckpointsOfOtherCallsAreRefused) {
  Interrupted const call;
  auto const stop = [](Progress const& progress) { return progress.iteration < 3; };
  integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}, {}, {}, stop);
  auto const good = call.contents();
  EXPECT_THROW(integrate(this->exec, call.method(30'000), suite::F4<5>{}, Box<5>{}), InvalidArgument);
  EXPECT_THROW(integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>(0.0, 2.0)), InvalidArgument);
  EXPECT_THROW(integrate(this->exec, call.method(), suite::F4<8>{}, Box<8>{}), InvalidArgument);
  call.write(good.substr(0, good.size() / 2));
  EXPECT_THROW(integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}), InvalidArgument);
  auto damaged = good;
  damaged[good.size() / 2] ^= 1;
  call.write(damaged);
  EXPECT_THROW(integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}), InvalidArgument);
  call.write("");
  EXPECT_THROW(integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}), InvalidArgument);
  call.write(good);
  EXPECT_EQ(integrate(this->exec, call.method(), suite::F4<5>{}, Box<5>{}).status, Status::completed);
}

TYPED_TEST(VegasPlusOn, AnIntegratorStartsWarm) {
  Integrator integrator(this->exec, VegasPlus{.evaluations = 50'000});
  auto const first = integrator.integrate(suite::F4<5>{}, Box<5>{});
  auto const second = integrator.integrate(suite::F4<5>{}, Box<5>{});
  EXPECT_TRUE(second.iterations[0].included);
  EXPECT_GT(first.iterations[0].error, 10 * second.iterations[0].error);
  EXPECT_NE(first.iterations[19].value, second.iterations[19].value);
  expect_near(second, 1.79132603674878596e-06);
  expect_near(integrator.integrate(suite::Linear<3>{}, Box<3>{}), 1.5);
}

} // namespace
} // namespace vegas_plus_calls_test
