#include "cubatures.hpp"

#include <kubature/automatic.hpp>
#include <kubature/suite/random_genz.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace automatic_test {
namespace {

using namespace kubature;
using namespace cubatures;

/// Iterations of 1, 3, 12 and 48 thousand evaluations, each as accurate as its own evaluations suggest.
Result<> falling(double power) {
  Result<> result;
  double evaluations = 0;
  for (double const n : {1e3, 3e3, 12e3, 48e3}) {
    evaluations += n;
    result.iterations.push_back({1, 100 * std::pow(evaluations, -power), static_cast<std::uint64_t>(n), true});
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
  EXPECT_EQ(detail::needed(Result<>(), {.relative = 1e-8}, {0.02, 6}), std::numeric_limits<double>::infinity());
  auto unknown = falling(1);
  for (auto& iteration : unknown.iterations)
    iteration.error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(detail::needed(unknown, {.relative = 1e-8}, {0.02, 6}), std::numeric_limits<double>::infinity());
}

/// Values whose rounding alone would show beside a result are not negligible, as where it comes from aliases.
TEST(Prospects, TellWhetherLatticesHaveSeenAnything) {
  Result<> found;
  found.value = 5e-56;
  found.error = 1.5e-55;
  EXPECT_TRUE(detail::negligible(found, 1.0));
  EXPECT_TRUE(detail::negligible(found, -1e-30));
  found.error = 1e-15;
  EXPECT_FALSE(detail::negligible(found, 1.0));
  found.error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(detail::negligible(found, 1.0));
}

/// Errors that grow a little do not count. After a larger rise, as where cubature doubts its regions and lattices begin
/// anew, the steps from there on do, once there are two.
TEST(Prospects, FollowTheErrorsFromTheLastDoubtOn) {
  auto const needed = [](Result<> const& result) { return detail::needed(result, {.relative = 1e-8}, {0.02, 6}); };
  auto result = falling(1);
  double const before = needed(result);
  auto wavers = result;
  wavers.iterations.push_back({1, 3 * result.iterations.back().error, 1000, true});
  EXPECT_GE(needed(wavers), before);
  EXPECT_LT(needed(wavers), 1.5 * before);
  result.iterations.push_back({1, 50, 1000, true});
  EXPECT_EQ(needed(result), before);
  result.iterations.push_back({1, 5e-7, 65'000, true}); // by 1e8 for twice the evaluations: to the sixth power at most
  EXPECT_NEAR(needed(result), 130'000 * std::pow(50, 1 / 6.0), 1);
}

/// Samples that trained the map stay out of the estimate, and out of what a call in that map needs.
TEST(Prospects, SamplesTakeTheSquareOfWhatIsMissing) {
  Result<> result;
  result.value = -2;
  result.error = 0.02;
  result.iterations = {{0, 1, 5000, false}, {-2, 0.03, 400, true}, {-2, 0.03, 600, true}};
  result.evaluations = 6000;
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(result, {.relative = 1e-3}), 1e5);
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(result, {.absolute = 0.1}), 1000);
  result.iterations.resize(1);
  EXPECT_EQ(detail::needed_by_sampling(result, {.relative = 1e-3}), std::numeric_limits<double>::infinity());
}

TEST(Prospects, OfSamplesThatAreNotDrawnYetGoByTheValue) {
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(-2.0, 0.1, {.relative = 1e-3}), 1e4);
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(-2.0, 0.1, {.absolute = 0.02}), 100);
  EXPECT_DOUBLE_EQ(detail::needed_by_sampling(Kokkos::Array<double, 2>{1, -2}, 0.1, {.absolute = 0.02}), 100);
  EXPECT_EQ(detail::needed_by_sampling(0.0, 0.1, {.relative = 1e-3}), std::numeric_limits<double>::infinity());
}

TEST(Prospects, ValuesWithinTwoErrorsOfZeroTellNothing) {
  Result<Kokkos::Array<double, 2>> result;
  result.value = {1e-20, -3};
  result.error = {1e-20, 1.6};
  EXPECT_TRUE(detail::consistent_with_zero(result));
  result.error[1] = 1.4;
  EXPECT_FALSE(detail::consistent_with_zero(result));
}

template <class Space>
class Automatic : public ::testing::Test {
protected:
  /// The methods in the order of their calls; consecutive calls of one method count once.
  template <class F, class Box>
  std::vector<std::string> methods(F const& f, Box const& box, Tolerance tolerance, Limits limits = {}) {
    std::vector<std::string> heard;
    kubature::integrate(exec, Auto{}, f, box, tolerance, limits, [&](Progress const& progress) {
      if (heard.empty() || heard.back() != progress.method)
        heard.emplace_back(progress.method);
      return true;
    });
    return heard;
  }

  /// The evaluations of the first method's first call, if another call follows.
  template <class F>
  double first_call(F const& f, Tolerance tolerance) {
    Side const side;
    double evaluations = 0;
    std::string first;
    kubature::integrate(
        exec, Auto{}, f, Box<>(std::span(&side, 1), f.dimension), tolerance, {}, [&](Progress const& progress) {
          first = first.empty() ? std::string(progress.method) : first;
          evaluations = progress.method == first ? static_cast<double>(progress.evaluations) : evaluations;
          return progress.method == first;
        });
    return evaluations;
  }

  template <class F, class Box>
  Result<> integrate(F const& f, Box const& box, Tolerance tolerance, Limits limits = {}) {
    return kubature::integrate(exec, Auto{}, f, box, tolerance, limits);
  }

  Space exec;
};
TYPED_TEST_SUITE(Automatic, spaces::All, spaces::Names);

TYPED_TEST(Automatic, SmoothAndLowIsForCubature) {
  auto const result = this->integrate(Bell{}, Box<2>{}, {.relative = 1e-10});
  expect_converged(result, bell_truth * bell_truth, {.relative = 1e-10});
  EXPECT_EQ(result.method, "pagani");
  // A close look in two variables takes up to 2^14 regions of 65 points, and the grids before it a fourth of that.
  EXPECT_LT(result.evaluations, 1'500'000u);
  EXPECT_LT(kubature::integrate(this->exec, Pagani{}, Bell{}, Box<2>{}, {.relative = 1e-10}).evaluations, 100'000u);
}

/// A Gaussian peak beside 1 / x^2 in the first variable and 1 in others.
template <int D>
struct Narrow {
  double place[D], width, height;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real square(0);
    for (int i = 0; i < D; ++i)
      square += (x[i] - Real(place[i])) * (x[i] - Real(place[i]));
    return 1 / (x[0] * x[0]) + Real(height) * Kokkos::exp(-square / Real(2 * width * width));
  }
  double of_peak() const { return height * std::pow(2 * std::numbers::pi * width * width, D / 2.0); }
};

/// The first grids see none of these, and what they see converges at once.
TYPED_TEST(Automatic, NarrowPeaksInOneVariableAreNotMissed) {
  Tolerance const tolerance{.relative = 1e-6};
  Narrow<1> const tall{{2.00167}, 1.7e-4, 6e16};
  auto const result = this->integrate(tall, Box<1>{{2, infinity}}, tolerance);
  expect_converged(result, 0.5 + tall.of_peak(), tolerance);
  for (int k = 1; k <= 20; ++k) {
    Narrow<1> const one{{1 + 0.618034 * k - std::floor(0.618034 * k)}, 3e-5, 1e5};
    auto const pagani = kubature::integrate(this->exec, Pagani{}, one, Box<1>{{1, 2}}, tolerance);
    EXPECT_NEAR(pagani.value, 0.5, 1e-6) << k; // by itself it misses them
    expect_converged(this->integrate(one, Box<1>{{1, 2}}, tolerance), 0.5 + one.of_peak(), tolerance);
  }
}

TYPED_TEST(Automatic, NarrowPeaksInTwoVariablesAreNotMissed) {
  Tolerance const tolerance{.relative = 1e-5};
  for (int k = 1; k <= 10; ++k) {
    Narrow<2> const one{
        {1 + 0.7548777 * k - std::floor(0.7548777 * k), 0.569840 * k - std::floor(0.569840 * k)}, 2e-3, 1e6};
    expect_converged(this->integrate(one, Box<2>{{1, 2}, {0, 1}}, tolerance), 0.5 + one.of_peak(), tolerance);
  }
}

/// A close look changes nothing but the number of evaluations where it finds nothing else.
TYPED_TEST(Automatic, ACloseLookKeepsTheResult) {
  for (double const relative : {1e-3, 1e-9}) {
    auto const look = this->integrate(Bell{}, Box<1>{}, {.relative = relative});
    auto const pagani = kubature::integrate(this->exec, Pagani{}, Bell{}, Box<1>{}, {.relative = relative});
    EXPECT_EQ(look.value, pagani.value);
    EXPECT_EQ(look.error, pagani.error);
    EXPECT_EQ(look.status, Status::converged);
    EXPECT_GE(look.evaluations, pagani.evaluations);
  }
  auto const limited = this->integrate(Bell{}, Box<1>{}, {.relative = 1e-3}, {.evaluations = 5000});
  EXPECT_EQ(limited.status, Status::converged);
  EXPECT_LE(limited.evaluations, 5000u);
}

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

/// Around a jump there are many regions long before cubature ends, while samples meet the tolerance at once. With an
/// integrand that cancels they would not.
TYPED_TEST(Automatic, CubatureGivesWayToSamplesWhereTheseAreExpectedToEndIt) {
  constexpr double call = detail::Pace<TypeParam>::first;
  suite::RandomGenz const jump(1, 17), cancels(1, 84);
  EXPECT_LT(this->first_call(jump.f, {.relative = 0.001}), call / 4);
  EXPECT_GT(this->first_call(jump.f, {.relative = 1e-8}), call / 2);
  EXPECT_GT(this->first_call(cancels.f, {.relative = 0.01}), call / 2);
  auto const result = this->integrate(jump.f, Box<3>{}, {.relative = 0.001});
  EXPECT_EQ(result.method, "vegas+");
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value / jump.f.value() - 1), 0.004) << result;
}

/// A product peak that takes cubature slightly more than its first call allows on a CPU.
TYPED_TEST(Automatic, WhatIsNearlyThereGoesOnAtOnce) {
  suite::RandomGenz const one(2, 25);
  Tolerance const tolerance{.relative = 1e-6};
  EXPECT_EQ(this->methods(one.f, Box<5>{}, tolerance), std::vector<std::string>{"pagani"});
  auto const result = this->integrate(one.f, Box<5>{}, tolerance);
  expect_converged(result, one.f.value(), tolerance);
  EXPECT_EQ(result.evaluations, kubature::integrate(this->exec, Pagani{}, one.f, Box<5>{}, tolerance).evaluations);
  EXPECT_LT(result.evaluations, 500'000u);
}

/// The number of evaluations that a call is expected to take is not an integer. On a GPU, PAGANI's share, rounded down,
/// was once mistaken for what a limit had left of it.
TYPED_TEST(Automatic, CallsWithoutALimitDoNotEndByOne) {
  suite::RandomGenz const one(1, 160, 12);
  Tolerance const tolerance{.relative = 1e-5};
  auto const result = this->integrate(one.f, Box<3>{}, tolerance);
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value / one.f.value() - 1), 4e-5) << result;
}

/// A narrow peak in eight variables, which lattices meet on a host with this seed, and samples do not: they find
/// 0.00(4).
TYPED_TEST(Automatic, AMethodThatMissesThePeakIsNoWitness) {
  std::vector<Side> const sides(8, {-1 / 1.3, 1 / 1.3});
  auto const result =
      kubature::integrate(this->exec, Auto{.seed = 27}, suite::FB<8>{}, Box<8>(sides), {.relative = 0.01});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value - 1), std::min(0.04, 6 * result.error)) << result;
}

/// In nine variables short calls of samples and lattices find nothing but zeros on a host, which is no reason to give
/// them up.
TYPED_TEST(Automatic, MethodsThatFoundOnlyZerosGetLongerCalls) {
  std::vector<Side> const sides(9, {-1, 1});
  auto const result = kubature::integrate(this->exec, Auto{}, suite::FB<9>{}, Box<9>(sides), {.relative = 0.01});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_LE(std::abs(result.value - 1), 0.04) << result;
  if (!detail::Pace<TypeParam>::on_gpu) {
    EXPECT_LT(result.evaluations, 100'000'000u); // PAGANI would take 7e8
  }
}

/// A call of a method that pauses before each of its iterations and goes on.
template <class Method, class Space, class F, int D>
Result<> in_pieces(Space const& exec, Method const& method, F const& f, Box<D> const& box, Tolerance tolerance) {
  using Solver = detail::Solver<Method, Space>;
  Solver solver(exec, Communicator(), method);
  Callback const none;
  typename Solver::template Course<F, D> course(solver, f, box, tolerance, {}, none, std::source_location::current());
  bool ended = course.go_on([](auto const&, std::uint64_t) { return true; });
  EXPECT_FALSE(ended);
  for (int pieces = 0; !ended && pieces < 1000; ++pieces) {
    auto const before = course.so_far().iterations.size();
    ended = course.go_on([&](auto const& run, std::uint64_t) { return run.so_far().iterations.size() > before; });
  }
  EXPECT_TRUE(ended);
  return course.finish();
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
  Pagani<> const pagani;
  expect_same(in_pieces(this->exec, pagani, f, Box<5>{}, {.relative = 1e-3}),
              kubature::integrate(this->exec, pagani, f, Box<5>{}, {.relative = 1e-3}));
  QuasiMonteCarlo<> const lattice{.evaluations = 1 << 12, .seed = 3};
  auto const whole = kubature::integrate(this->exec, lattice, f, Box<5>{}, {.relative = 1e-7});
  EXPECT_EQ(whole.status, Status::converged) << whole;
  EXPECT_GE(std::count_if(whole.remarks.begin(), whole.remarks.end(),
                          [](auto const& remark) { return remark.find("restarted") == 0; }),
            1);
  expect_same(in_pieces(this->exec, lattice, f, Box<5>{}, {.relative = 1e-7}), whole);
}

/// An oscillatory integrand in four variables, at which all methods have their turn on a host before PAGANI ends it.
TYPED_TEST(Automatic, WhatItsMethodFindsIsWhatThatFindsByItself) {
  suite::RandomGenz const one(1, 90, 12);
  Tolerance const tolerance{.relative = 1e-5};
  bool const interrupted = this->methods(one.f, Box<4>{}, tolerance).size() > 1;
  EXPECT_TRUE(interrupted || detail::Pace<TypeParam>::on_gpu);
  auto const result = this->integrate(one.f, Box<4>{}, tolerance);
  ASSERT_EQ(result.method, "pagani");
  auto const alone = kubature::integrate(this->exec, Pagani{}, one.f, Box<4>{}, tolerance);
  EXPECT_EQ(result.value, alone.value);
  EXPECT_EQ(result.error, alone.error);
  EXPECT_EQ(result.regions, alone.regions);
  EXPECT_EQ(result.evaluations > alone.evaluations, interrupted);
  EXPECT_LT(result.evaluations, 8 * alone.evaluations);
}

TYPED_TEST(Automatic, LimitsAreKept) {
  for (std::uint64_t const evaluations : {10u, 2'000u, 300'000u}) {
    auto const result = this->integrate(suite::F4<5>{}, Box<5>{}, {.relative = 1e-9}, {.evaluations = evaluations});
    EXPECT_EQ(result.status, Status::evaluation_limit) << result;
    EXPECT_LE(result.evaluations, evaluations);
  }
  // An H200 converges after 0.1 s, which a host does not come near.
  double const seconds = detail::Pace<TypeParam>::on_gpu ? 0.01 : 0.2;
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

TYPED_TEST(Automatic, AToleranceIsNeeded) { EXPECT_THROW(this->integrate(Bell{}, Box<2>{}, {}), InvalidArgument); }

} // namespace
} // namespace automatic_test
