#include "spaces.hpp"

#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/suite/genz.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

/// \file
/// Calls of quasi-Monte Carlo to a tolerance that is far from where they begin.

namespace quasi_monte_carlo_tolerances_test {
namespace {

using namespace kubature;

constexpr double f4_in_five = 1.79132603674878596e-06, f1_in_five = 0.0202424221199018969;

/// The iteration after which all points were given up, as the remark says; 0: none was.
int given_up_after(Result<> const& result) {
  for (auto const& remark : result.remarks)
    if (auto const at = remark.find("after iteration "); at != std::string::npos)
      return std::stoi(remark.substr(at + 16));
  return 0;
}

std::uint64_t points(Result<> const& result, int first) {
  return std::accumulate(result.iterations.begin() + first, result.iterations.end(), std::uint64_t{0},
                         [](std::uint64_t sum, auto const& iteration) { return sum + iteration.evaluations; });
}

template <class Space>
class QuasiMonteCarloTolerances : public ::testing::Test {
protected:
  Space exec;
};
TYPED_TEST_SUITE(QuasiMonteCarloTolerances, spaces::All, spaces::Names);

/// f4 from 2^14 points on, without a map, was not integrated to 1e-7 by 1.7e7 evaluations; now this takes 1.8e6 on
/// average.
TYPED_TEST(QuasiMonteCarloTolerances, ThatAreFarAwayTrainABetterMap) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto const result = integrate(this->exec, QuasiMonteCarlo{.evaluations = 1 << 14, .seed = seed}, suite::F4<5>{},
                                  Box<5>{}, {.relative = 1e-7});
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.value, f4_in_five, 5 * result.error);
    EXPECT_LT(result.evaluations, 3'000'000u);
    int const first = given_up_after(result);
    ASSERT_GT(first, 0);
    auto const given_up = points(result, 0) - points(result, first);
    EXPECT_LE(10 * given_up, result.evaluations);
    // All iterations count, and each after the first in that map doubles the points.
    EXPECT_LT(points(result, 0), result.evaluations);
    for (auto i = static_cast<std::size_t>(first) + 2; i < result.iterations.size(); ++i)
      EXPECT_EQ(result.iterations[i].evaluations, 2 * result.iterations[i - 1].evaluations);
  }
}

/// Of 8.6e9 points of f4 in a map trained with 4e6, some hundredth of a point of each shift lay in what the map took
/// for the ends of an axis: all shifts agreed on a value that was off by 12 errors.
TYPED_TEST(QuasiMonteCarloTolerances, KeepErrorsHonestFarBeyondWhatTheMapWasTrainedWith) {
  if (!detail::on_device_of_its_own<TypeParam>)
    GTEST_SKIP() << "takes minutes on a host";
  auto const result = integrate(this->exec, QuasiMonteCarlo{.evaluations = 1 << 20}, suite::F4<5>{}, Box<5>{},
                                {.relative = 1e-14}, {.evaluations = 9'000'000'000});
  EXPECT_GT(given_up_after(result), 0) << result;
  EXPECT_LT(result.error, 3e-12 * result.value);
  EXPECT_LE(std::abs(result.value - f4_in_five), 5 * result.error) << result;
}

/// An integrand that no map serves keeps its points: those of a call without a map, to the bit.
TYPED_TEST(QuasiMonteCarloTolerances, KeepPointsThatNeedNoMap) {
  auto const with = [&](QmcMap map) {
    return integrate(this->exec,
                     QuasiMonteCarlo{.evaluations = 1 << 15, .transform = QmcTransform::tent, .trained_map = map},
                     suite::F1<5>{}, Box<5>{}, {.relative = 2e-5});
  };
  auto const result = with(QmcMap::automatic), none = with(QmcMap::none);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(given_up_after(result), 0);
  EXPECT_EQ(result.value, none.value);
  EXPECT_EQ(result.error, none.error);
  EXPECT_EQ(result.iterations.size(), none.iterations.size());
  EXPECT_EQ(points(result, 0), points(none, 0));
  EXPECT_GT(result.evaluations - none.evaluations, 1u << 16); // it trained again
  EXPECT_LT(result.evaluations, none.evaluations * 5 / 4);
  EXPECT_NEAR(result.value, f1_in_five, 5 * result.error);
}

TEST(QuasiMonteCarloMaps, OfNearTolerancesAreKept) {
  QuasiMonteCarlo const method{.evaluations = 1 << 16};
  auto const near = integrate(method, suite::F4<5>{}, Box<5>{}, {.relative = 3e-8});
  EXPECT_EQ(near.status, Status::converged);
  EXPECT_EQ(given_up_after(near), 0);
  auto const alone = integrate(method, suite::F4<5>{}, Box<5>{}); // the same points begin it
  ASSERT_GT(near.iterations.size(), alone.iterations.size());
  EXPECT_EQ(near.iterations[alone.iterations.size() - 1].value, alone.value);
}

TEST(QuasiMonteCarloMaps, AreNotTrainedBeyondLimits) {
  QuasiMonteCarlo const method{.evaluations = 1 << 14};
  auto const with = [&](Limits limits) {
    return integrate(method, suite::F4<5>{}, Box<5>{}, {.relative = 1e-8}, limits);
  };
  auto const few = with({.evaluations = 400'000}); // 2^14 points and 2^18 more, but not 32 times as many
  EXPECT_EQ(few.status, Status::evaluation_limit);
  EXPECT_EQ(given_up_after(few), 0);
  EXPECT_EQ(points(few, 0), 1u << 18);
  EXPECT_LE(few.evaluations, (1u << 18) + (1u << 13)); // an audit
  auto const some = with({.iterations = 8});           // five that lead to 2^14 points, and three
  EXPECT_EQ(some.status, Status::iteration_limit);
  EXPECT_EQ(some.iterations.size(), 8u);
  EXPECT_EQ(given_up_after(some), 0);
}

TEST(QuasiMonteCarloMaps, AreTrainedWithinALimitBelowAllTheyWouldTake) {
  for (std::uint64_t const limit : {3'000, 10'000, 30'000, 100'000, 1'000'000}) {
    auto const result =
        integrate(QuasiMonteCarlo{}, suite::F4<5>{}, Box<5>{}, {.relative = 1e-12}, {.evaluations = limit});
    EXPECT_EQ(result.status, Status::evaluation_limit);
    EXPECT_LE(result.evaluations, limit);
    EXPECT_FALSE(std::isnan(result.value)) << limit;
  }
}

/// A call that is stopped while it trains again has the result of its points so far.
TEST(QuasiMonteCarloMaps, ThatAreNotFinishedLeaveTheResult) {
  QuasiMonteCarlo const method{.evaluations = 1 << 16};
  int last = -1;
  double value = 0;
  auto const result =
      integrate(method, suite::F4<5>{}, Box<5>{}, {.relative = 1e-9}, {}, [&](Progress const& progress) {
        bool const again =
            progress.iteration > 0 && progress.iteration == last; // told twice: training goes on meanwhile
        EXPECT_TRUE(!again || progress.value == value);
        last = progress.iteration;
        value = progress.value;
        return !again;
      });
  EXPECT_EQ(result.status, Status::stopped);
  ASSERT_EQ(result.iterations.size(), static_cast<std::size_t>(last));
  EXPECT_EQ(result.value, value);
  EXPECT_NEAR(result.value, f4_in_five, 5 * result.error);
  EXPECT_EQ(given_up_after(result), 0);
}

/// Points and maps after a restart have random numbers of their own.
TEST(QuasiMonteCarloErrors, OfCallsThatBeginAnewAreHonest) {
  constexpr int seeds = 24;
  double const truth = std::pow((1 - std::exp(-5)) / 5, 5);
  double sum = 0, squares = 0;
  int anew = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    auto const result =
        integrate(QuasiMonteCarlo{.evaluations = 1 << 13, .seed = seed}, suite::F5<5>{}, Box<5>{}, {.relative = 3e-6});
    double const pull = (result.value - truth) / result.error;
    anew += given_up_after(result) > 0;
    sum += pull;
    squares += pull * pull;
  }
  EXPECT_GT(anew, seeds / 2);
  EXPECT_NEAR(sum / seeds, 0, 4 / std::sqrt(seeds));
  EXPECT_NEAR(std::sqrt(squares / seeds), 1.04, 4 / std::sqrt(2.0 * seeds));
}

} // namespace
} // namespace quasi_monte_carlo_tolerances_test
