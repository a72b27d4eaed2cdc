#include "cubatures.hpp"

#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cubature_memory_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

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
      expect_same_call(free, run(Pagani{}, bytes));
  }
  auto const run = [&](std::size_t bytes) {
    return integrate(this->exec, kubature::TwoPhase{}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-3}, {.bytes = bytes});
  };
  expect_same_call(run(Limits{}.bytes), run(1'000'000'000));
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

} // namespace
} // namespace cubature_memory_test
