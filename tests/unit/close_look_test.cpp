#include <kubature/detail/cubature/close_look.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

/// Which grids a close look evaluates, from times alone: no integrand is evaluated.
namespace close_look_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

SeveralResult result(double value, double error, std::uint64_t evaluations) {
  SeveralResult one;
  one.value = {value};
  one.error = {error};
  one.status = Status::converged;
  one.evaluations = evaluations;
  return one;
}

/// A machine on which a call takes `launching` seconds, varying by 40 %, and each evaluation `each`.
struct Machine {
  double launching, each;
  std::mt19937_64 random;

  Machine(double of_launch, double of_evaluation, std::uint64_t seed = 1)
      : launching(of_launch), each(of_evaluation), random(seed) {}
  SeveralResult call(std::uint64_t evaluations, double value = 1) {
    auto one = result(value, 1e-9, evaluations);
    one.seconds =
        std::uniform_real_distribution(0.6, 1.4)(random) * launching + each * static_cast<double>(evaluations);
    return one;
  }
};

struct Looks {
  int grids = 0;
  double seconds = 0;
  bool contradicted = false;
};

Looks look(int dimension, Machine machine, std::uint64_t left = std::uint64_t{1} << 40) {
  std::uint64_t const points = dimension == 1 ? 15 : 65;
  Communicator const ranks;
  CloseLook const close{dimension, points, false, ranks};
  Looks looks;
  auto const other = close(machine.call(5 * points), left, [&](int level, std::uint64_t most) {
    ++looks.grids;
    auto grid = machine.call(points << dimension * level);
    EXPECT_LE(grid.evaluations, most);
    looks.seconds += grid.seconds;
    return grid;
  });
  looks.contradicted = other.has_value();
  return looks;
}

/// Launching takes from microseconds to what it takes where other programs use all processors.
TEST(CloseLook, CheapIntegrandsAreSeenByAllGridsHoweverBusyTheMachineIs) {
  int calls = 0, complete = 0;
  for (int const d : {1, 2})
    for (double const launching : {1e-5, 1e-4, 1e-2, 0.05})
      for (double const each : {1e-9, 3e-9, 8e-9})
        for (std::uint64_t seed = 1; seed <= 50; ++seed) {
          auto const looks = look(d, {launching, each, seed});
          EXPECT_FALSE(looks.contradicted);
          ++calls;
          complete += looks.grids == 3;
        }
  EXPECT_EQ(complete, calls);
}

TEST(CloseLook, ExpensiveIntegrandsAreLeftAlone) {
  for (int const d : {1, 2})
    for (double const each : {1e-5, 1e-4, 1e-3, 1e-2, 0.1})
      for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        double const call = Machine(1e-4, each, seed).call(d == 1 ? 75 : 325).seconds;
        auto const looks = look(d, {1e-4, each, seed});
        EXPECT_LT(looks.grids, 3);
        EXPECT_LT(looks.seconds, 0.1 + 40 * call);
      }
}

TEST(CloseLook, TellsWhatAFinerGridFinds) {
  CloseLook const look{2, 65, false, {}};
  auto found = result(1, 1e-6, 300);
  found.seconds = 1e-6;
  int grids = 0;
  auto const finds = [&](std::vector<double> const& values, double seconds) {
    grids = 0;
    return [&grids, values, seconds](int level, std::uint64_t) {
      auto one = result(values.at(static_cast<std::size_t>(grids++)), 1e-6, 65u << 2 * level);
      one.seconds = seconds;
      return one;
    };
  };
  auto const settled = look(found, ~std::uint64_t{0}, finds({1, 2, 2}, 1e-6));
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->value[0], 2);
  EXPECT_EQ(settled->status, Status::converged);
  auto const open = look(found, ~std::uint64_t{0}, finds({1, 2, 3}, 1e-6));
  ASSERT_TRUE(open);
  EXPECT_EQ(open->status, Status::iteration_limit);
  // One that finds something else is followed by another, though that takes long, and is timed once more for the third.
  auto const slow = look(found, ~std::uint64_t{0}, finds({2, 2, 2}, 1));
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->status, Status::converged);
  EXPECT_EQ(grids, 3);
}

/// Another process had the processor while a grid was computed.
TEST(CloseLook, TimesAGridAgainBeforeItGivesUp) {
  CloseLook const look{2, 65, false, {}};
  auto found = result(1, 1e-6, 300);
  found.seconds = 1e-6;
  std::vector<int> levels;
  auto const seen = look(found, ~std::uint64_t{0}, [&](int level, std::uint64_t) {
    levels.push_back(level);
    auto one = result(level == 7 ? 2 : 1, 1e-6, 65u << 2 * level);
    one.seconds = levels.size() == 1 ? 1 : 1e-6;
    return one;
  });
  EXPECT_EQ(levels, (std::vector<int>{3, 3, 5, 7}));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->value[0], 2);
}

TEST(CloseLook, AGridThatALimitEndsContradictsNothingUnlessItDiffers) {
  CloseLook const look{2, 65, false, {}};
  auto const found = result(1, 1e-6, 300);
  for (double const value : {1.0, 2.0}) {
    auto const other = look(found, ~std::uint64_t{0}, [&](int level, std::uint64_t) {
      auto grid = result(value, 1e-9, 65u << 2 * level);
      grid.status = Status::evaluation_limit;
      return grid;
    });
    EXPECT_EQ(other.has_value(), value > 1);
  }
}

TEST(CloseLook, LimitsAreKept) {
  EXPECT_EQ(look(1, {1e-5, 1e-9, 1}, std::uint64_t{20000}).grids, 2);
  EXPECT_EQ(look(3, {1e-5, 1e-9, 1}).grids, 0);
}

} // namespace
} // namespace close_look_test
