#include "automatic.hpp"
#include "cubatures.hpp"

#include <kubature/automatic.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <vector>

/// What calls are predicted to need, and Auto in five and six variables.
namespace automatic_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace automatic;

/// Iterations of 1, 3, 12 and 48 thousand evaluations, each as accurate as its own evaluations suggest.
SeveralResult falling(double power) {
  SeveralResult result;
  double evaluations = 0;
  for (double const n : {1e3, 3e3, 12e3, 48e3}) {
    evaluations += n;
    result.iterations.push_back({{1}, {100 * std::pow(evaluations, -power)}, static_cast<std::uint64_t>(n), true});
  }
  return result;
}

TEST(Prospects, FollowThePowerThatTheErrorsFallBy) {
  for (double const power : {0.25, 1.0, 2.0}) {
    double const goes_on = detail::needed(falling(power), {.relative = 1e-8}, {0.02, 6});
    EXPECT_NEAR(goes_on, std::pow(1e10, 1 / power), 1e-6 * goes_on);
  }
  // At most as fast as is believed.
  EXPECT_NEAR(detail::needed(falling(2), {.relative = 1e-8}, {0.02, 1}), 156'250, 1);
  // Nothing is known without an estimate.
  EXPECT_EQ(detail::needed(SeveralResult(), {.relative = 1e-8}, {0.02, 6}), std::numeric_limits<double>::infinity());
  auto unknown = falling(1);
  for (auto& iteration : unknown.iterations)
    iteration.error = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(detail::needed(unknown, {.relative = 1e-8}, {0.02, 6}), std::numeric_limits<double>::infinity());
}

/// Values whose rounding alone would show beside a result are not negligible, as where it comes from aliases.
TEST(Prospects, TellWhetherLatticesHaveSeenAnything) {
  SeveralResult found;
  found.value = {5e-56};
  found.error = {1.5e-55};
  EXPECT_TRUE(detail::negligible(found, {1.0}));
  EXPECT_TRUE(detail::negligible(found, {-1e-30}));
  found.error = {1e-15};
  EXPECT_FALSE(detail::negligible(found, {1.0}));
  found.error = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FALSE(detail::negligible(found, {1.0}));
}

/// Errors that grow a little do not count. After a larger rise, as where cubature doubts its regions and lattices begin
/// anew, the steps from there on do, once there are two.
TEST(Prospects, FollowTheErrorsFromTheLastDoubtOn) {
  auto const needed = [](SeveralResult const& result) { return detail::needed(result, {.relative = 1e-8}, {0.02, 6}); };
  auto result = falling(1);
  double const before = needed(result);
  auto wavers = result;
  wavers.iterations.push_back({{1}, {3 * result.iterations.back().error[0]}, 1000, true});
  EXPECT_GE(needed(wavers), before);
  EXPECT_LT(needed(wavers), 1.5 * before);
  result.iterations.push_back({{1}, {50}, 1000, true});
  EXPECT_EQ(needed(result), before);
  result.iterations.push_back(
      {{1}, {5e-7}, 65'000, true}); // by 1e8 for twice the evaluations: to the sixth power at most
  EXPECT_NEAR(needed(result), 130'000 * std::pow(50, 1 / 6.0), 1);
}

/// Samples that trained the map stay out of the estimate, and out of what a call in that map needs.
TEST(Prospects, SamplesTakeTheSquareOfWhatIsMissing) {
  SeveralResult result;
  result.value = {-2};
  result.error = {0.02};
  result.iterations = {{{0}, {1}, 5000, false}, {{-2}, {0.03}, 400, true}, {{-2}, {0.03}, 600, true}};
  result.evaluations = 6000;
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(result, {.relative = 1e-3}), 1e5);
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(result, {.absolute = 0.1}), 1000);
  result.iterations.resize(1);
  EXPECT_EQ(detail::needed_by_sampling(result, {.relative = 1e-3}), std::numeric_limits<double>::infinity());
}

TEST(Prospects, OfSamplesThatAreNotDrawnYetGoByTheValue) {
  using numbers = std::vector<double>;
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(numbers{-2}, 0.1, {.relative = 1e-3}), 1e4);
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(numbers{-2}, 0.1, {.absolute = 0.02}), 100);
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(numbers{1, -2}, 0.1, {.absolute = 0.02}), 100);
  EXPECT_EQ(detail::needed_by_sampling(numbers{0}, 0.1, {.relative = 1e-3}), std::numeric_limits<double>::infinity());
}

TEST(Prospects, ValuesWithinTwoErrorsOfZeroTellNothing) {
  SeveralResult result;
  result.value = {1e-20, -3};
  result.error = {1e-20, 1.6};
  EXPECT_TRUE(detail::consistent_with_zero(result));
  result.error[1] = 1.4;
  EXPECT_FALSE(detail::consistent_with_zero(result));
}

TYPED_TEST_SUITE(Automatic, spaces::All, spaces::Names);

TYPED_TEST(Automatic, PeaksInFiveVariablesTakeFewEvaluations) {
  auto const result = this->integrate(suite::F4<5>{}, Box<5>{}, {.relative = 1e-4});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value - f4_truth), 4e-4 * f4_truth) << result;
  EXPECT_LE(result.error, 1e-4 * result.value);
  EXPECT_LT(result.evaluations, 20'000'000u); // VEGAS+ takes 1e9
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_EQ(result.remarks.back().find("auto: "), 0u);
  auto const again = this->integrate(suite::F4<5>{}, Box<5>{}, {.relative = 1e-4});
  EXPECT_EQ(again.value, result.value);
  EXPECT_EQ(again.error, result.error);
  EXPECT_EQ(again.evaluations, result.evaluations);
}

constexpr double f6_truth = 154773678.85091206;

/// An integrand that jumps at the faces of a box, none of which is on cubature's grid, and for which a lattice gains
/// little.
TYPED_TEST(Automatic, JumpsInSixVariablesAreNoTrap) {
  auto const result = this->integrate(suite::F6<6>{}, Box<6>{}, {.relative = 0.01});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value - f6_truth), 0.04 * f6_truth) << result;
  EXPECT_LT(result.evaluations, 100'000'000u);
}

TYPED_TEST(Automatic, SamplesComeFirstWhereFewMeetTheToleranceAndWaitWhereNoneDo) {
  auto const loose = this->methods(suite::F6<6>{}, Box<6>{}, {.relative = 0.01});
  ASSERT_GE(loose.size(), 2u);
  EXPECT_EQ(loose[1], "vegas+");
  auto const tight = this->methods(suite::F4<5>{}, Box<5>{}, {.relative = 1e-9}, {.evaluations = 3'000'000});
  ASSERT_GE(tight.size(), 2u);
  EXPECT_EQ(tight[1], "qmc");
  EXPECT_EQ(std::count(tight.begin(), tight.end(), "vegas+"), 0);
}

/// A call of a method that pauses before each of its iterations and goes on.
template <class Method, class Space, class F, int D>
Result<> in_pieces(Space const& exec, Method const& method, F const& f, Box<D> const& box, Tolerance tolerance) {
  using Solver = detail::Solver<Method, Space>;
  Solver solver(exec, Communicator(), method);
  Callback const none;
  typename Solver::template Course<F, D> course(solver, f, box,
                                                detail::Request{tolerance, {}, none, std::source_location::current()});
  bool ended = course.go_on([](auto const&, std::uint64_t) { return true; });
  EXPECT_FALSE(ended);
  for (int pieces = 0; !ended && pieces < 1000; ++pieces) {
    auto const before = course.so_far().iterations.size();
    ended = course.go_on([&](auto const& run, std::uint64_t) { return run.so_far().iterations.size() > before; });
  }
  EXPECT_TRUE(ended);
  return detail::to_result<double>(course.finish());
}

void expect_same(Result<> const& a, Result<> const& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.error, b.error);
  // A call that pauses audits its samples, which those that go on do when they are four times as many.
  EXPECT_NEAR(static_cast<double>(a.evaluations), static_cast<double>(b.evaluations),
              static_cast<double>(b.evaluations) / 32);
  EXPECT_EQ(a.iterations.size(), b.iterations.size());
  EXPECT_EQ(a.regions, b.regions);
}

/// To a far tolerance quasi-Monte Carlo trains another map and begins anew in it.
TYPED_TEST(Automatic, ACallThatPausesGoesOnAsIfItHadNot) {
  suite::F4<5> const f;
  constexpr auto channels = Channels::never; // parts that pause do not look again
  Pagani<> const pagani{.channels = channels};
  expect_same(in_pieces(this->exec, pagani, f, Box<5>{}, {.relative = 1e-3}),
              kubature::integrate(this->exec, pagani, f, Box<5>{}, {.relative = 1e-3}));
  QuasiMonteCarlo<> const lattice{.evaluations = 1 << 12, .seed = 3, .channels = channels};
  auto const whole = kubature::integrate(this->exec, lattice, f, Box<5>{}, {.relative = 1e-7});
  EXPECT_EQ(whole.status, Status::converged) << whole;
  EXPECT_GE(std::count_if(whole.remarks.begin(), whole.remarks.end(),
                          [](auto const& remark) { return remark.find("restarted") == 0; }),
            1);
  expect_same(in_pieces(this->exec, lattice, f, Box<5>{}, {.relative = 1e-7}), whole);
  VegasPlus<> const samples{.evaluations = 20'000, .seed = 3, .channels = channels};
  expect_same(in_pieces(this->exec, samples, f, Box<5>{}, {.relative = 1e-3}),
              kubature::integrate(this->exec, samples, f, Box<5>{}, {.relative = 1e-3}));
}

TYPED_TEST(Automatic, LimitsAreKept) {
  for (std::uint64_t const evaluations : {10u, 2'000u, 300'000u}) {
    auto const result = this->integrate(suite::F4<5>{}, Box<5>{}, {.relative = 1e-9}, {.evaluations = evaluations});
    EXPECT_EQ(result.status, Status::evaluation_limit) << result;
    EXPECT_LE(result.evaluations, evaluations);
  }
  // An H200 converges after 0.1 s, which a host does not come near.
  double const seconds = detail::on_device_of_its_own<TypeParam> ? 0.01 : 0.2;
  auto const result = this->integrate(suite::F4<5>{}, Box<5>{}, {.relative = 1e-13}, {.seconds = seconds});
  EXPECT_EQ(result.status, Status::time_limit) << result;
  if (result.evaluations > 1'000'000) { // otherwise the machine was too slow to see the peak
    EXPECT_LE(std::abs(result.value - f4_truth), 5 * result.error);
  }
}

TYPED_TEST(Automatic, TheCallbackHearsOfAllEvaluations) {
  std::vector<std::uint64_t> heard;
  auto const result = kubature::integrate(this->exec, Auto{}, suite::F4<5>{}, Box<5>{}, {.relative = 1e-9}, {},
                                          [&](Progress const& progress) {
                                            heard.push_back(progress.evaluations);
                                            return progress.evaluations < 1'000'000;
                                          });
  EXPECT_EQ(result.status, Status::stopped) << result;
  ASSERT_GT(heard.size(), 3u);
  EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
  EXPECT_GE(result.evaluations, 1'000'000u);
}

} // namespace
} // namespace automatic_test
