#include "spaces.hpp"

#include <kubature/expression.hpp>
#include <kubature/pagani.hpp>
#include <kubature/suite/suite.hpp>
#include <kubature/two_phase.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace kubature;

constexpr auto no_limit = Limits{}.evaluations;
constexpr double f4_truth = 1.79132603674878596e-06, f5_truth = 3.09363588982679e-04; // of 5 variables
constexpr double shells_truth = 27.6322385978419831;                                  // TwoPhaseF1<5>

/// The true error is at most the estimate, and that is at most the tolerance where the call says that it converged. The
/// truth is a rounded number itself.
void expect_honest(Result<> const& result, double truth, Tolerance tolerance) {
  EXPECT_LE(std::abs(result.value - truth), result.error + 5e-16 * std::abs(truth)) << result;
  EXPECT_EQ(tolerance.met(result.value, result.error), result.status == Status::converged) << result;
}

void expect_converged(Result<> const& result, double truth, Tolerance tolerance) {
  EXPECT_EQ(result.status, Status::converged) << result;
  expect_honest(result, truth, tolerance);
}

void expect_same(Result<> const& a, Result<> const& b) {
  EXPECT_EQ(std::memcmp(&a.value, &b.value, sizeof(double)), 0) << a << '\n' << b;
  EXPECT_EQ(std::memcmp(&a.error, &b.error, sizeof(double)), 0) << a << '\n' << b;
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.regions, b.regions);
  EXPECT_EQ(a.iterations.size(), b.iterations.size());
}

template <class Space>
class Cubatures : public ::testing::Test {
protected:
  Space exec;

  /// Pagani and the two-phase method.
  template <class F, class Box, class Check>
  void with_both(F const& f, Box const& box, Tolerance tolerance, Limits limits, Check const& check) {
    {
      SCOPED_TRACE("pagani");
      check(integrate(exec, Pagani{}, f, box, tolerance, limits));
    }
    SCOPED_TRACE("two-phase");
    check(integrate(exec, kubature::TwoPhase{}, f, box, tolerance, limits));
  }

  template <class F, class Box>
  void expect_both(F const& f, Box const& box, double truth, Tolerance tolerance) {
    with_both(f, box, tolerance, {}, [&](Result<> const& result) { expect_converged(result, truth, tolerance); });
  }
};
TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

// ---- the reference integrals -------------------------------------------------------------------------------------

/// Tolerances for an integral of the suite. Where there is a budget of evaluations, it may be used up.
struct Ladder {
  std::string_view name;
  double relative[3];
  std::uint64_t budget = no_limit;
};

constexpr Ladder pagani_ladders[] = {
    {"f1-5d", {1e-3, 1e-6, 1e-8}},
    {"f1-8d", {5e-1, 2e-1, 1e-1}, 20'000'000},
    {"f2", {2e-1, 1e-1, 8e-2}},
    {"f3-3d", {1e-4, 1e-8, 1e-12}},
    {"f3-8d", {1e-1, 1e-2, 1e-3}},
    {"f4-5d", {1e-1, 1e-3, 1e-5}},
    {"f4-8d", {5e-1, 2e-1, 1e-1}},
    {"f5-5d", {1e-2, 1e-4, 1e-6}},
    {"f5-8d", {9e-1, 5e-1, 1e-1}, 20'000'000},
    {"f6", {1e-1, 1e-2, 1e-3}},
    {"f7", {1e-3, 1e-5, 1e-6}},
    {"f8", {1e-4, 1e-6, 1e-7}},
    {"fA", {5e-1, 1e-1, 1e-2}, 5'000'000},
    {"sine-exponential", {1e-3, 1e-8, 1e-12}},
    {"linear", {1e-3, 1e-8, 1e-12}},
    {"cosine", {1e-3, 1e-5, 1e-6}},
    {"exponential", {1e-3, 1e-6, 1e-7}},
    {"roos-arnold", {1e-3, 1e-8, 1e-12}},
    {"morokoff-caflisch", {1e-1, 2e-2, 1e-2}},
    {"gaussian", {1e-2, 1e-5, 1e-8}},
    {"ridge", {5e-1, 1e-1, 5e-2}, 60'000},
    {"feynman-path", {5e-1, 1e-1, 1e-2}, 1'000'000},
    {"two-phase-f1-5d", {1e-1, 1e-3, 1e-5}},
    {"two-phase-f1-6d", {1e-1, 1e-2, 1e-3}},
    {"two-phase-f1-7d", {2e-1, 1e-1, 3e-2}},
    {"two-phase-f2", {1e-1, 2e-2, 1e-2}, 2'000'000},
    {"two-phase-f3-3d", {1e-2, 1e-5, 1e-8}},
    {"two-phase-f3-5d", {5e-1, 2e-1, 1e-1}, 2'000'000},
    {"two-phase-f4", {1e-1, 1e-2, 3e-3}, 4'000'000},
    {"two-phase-f5", {1e-2, 1e-3, 1e-4}},
    {"mixed-eq9", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq10", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq11", {1e-3, 1e-8, 1e-11}},
    {"mixed-eq12", {1e-2, 1e-4, 1e-6}},
};

constexpr Ladder two_phase_ladders[] = {
    {"f3-3d", {1e-4, 1e-8, 1e-12}},
    {"f5-5d", {1e-2, 1e-3, 1e-4}},
    {"sine-exponential", {1e-3, 1e-8, 1e-12}},
    {"roos-arnold", {1e-3, 1e-8, 1e-12}},
    {"two-phase-f1-5d", {1e-1, 1e-2, 1e-3}},
    {"two-phase-f3-3d", {1e-2, 1e-4, 1e-5}},
    {"mixed-eq9", {1e-3, 1e-8, 1e-12}},
    {"mixed-eq11", {1e-3, 1e-8, 1e-10}},
    {"mixed-eq12", {1e-2, 1e-3, 1e-4}},
    {"f4-5d", {1e-1, 1e-2, 1e-3}, 3'000'000},
};

/// Climbs the ladder of each reference integral that has one.
template <class Space, class Method, std::size_t N>
struct Climb {
  Space const& exec;
  Method method;
  Ladder const (&ladders)[N];
  bool only_cancelling = false;
  std::size_t climbed = 0;

  template <class F, int D>
  void operator()(suite::Entry const& entry, F const& f, Box<D> const& box) {
    auto const ladder = std::find_if(std::begin(ladders), std::end(ladders),
                                     [&](Ladder const& candidate) { return candidate.name == entry.name; });
    if (ladder == std::end(ladders) || (only_cancelling && !entry.cancels))
      return;
    ++climbed;
    Integrator integrator(exec, method);
    for (double const relative : ladder->relative) {
      SCOPED_TRACE(std::string(entry.name) + " to " + std::to_string(relative));
      Tolerance const tolerance{.relative = relative};
      auto const result = integrator.integrate(f, box, tolerance, {.evaluations = ladder->budget});
      expect_honest(result, entry.value, tolerance);
      EXPECT_LE(result.evaluations, ladder->budget);
      EXPECT_TRUE(result.status == Status::converged ||
                  (ladder->budget < no_limit && result.status == Status::evaluation_limit))
          << result;
      EXPECT_TRUE(result.remarks.empty() || result.method == "two-phase") << result;
    }
  }
};

/// All but fB, of which see AMissedPeakIsNotConverged.
TYPED_TEST(Cubatures, PaganiIsHonestAboutEveryReferenceIntegral) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{this->exec, {}, pagani_ladders};
  suite::for_each(climb);
  EXPECT_EQ(climb.climbed, std::size(pagani_ladders));
}

TYPED_TEST(Cubatures, PaganiIsHonestAboutWhatChangesItsSignWithoutTheRelativeFilter) {
  Climb<TypeParam, Pagani<>, std::size(pagani_ladders)> climb{
      this->exec, {.relative_filter = false}, pagani_ladders, true};
  suite::Genz::for_each(climb);
  EXPECT_EQ(climb.climbed, 3u);
}

TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutReferenceIntegrals) {
  Climb<TypeParam, kubature::TwoPhase<>, std::size(two_phase_ladders)> climb{this->exec, {}, two_phase_ladders};
  suite::for_each(climb);
  EXPECT_EQ(climb.climbed, std::size(two_phase_ladders));
}

/// Which it is not where regions have no parents to check their errors with: off by 26 times the error, as published.
TYPED_TEST(Cubatures, TwoPhaseIsHonestAboutAPeakInACornerOfEightDimensions) {
  for (double const relative : {1e-1, 1e-2, 1e-3}) {
    auto const result = integrate(this->exec, kubature::TwoPhase{}, suite::F3<8>{}, Box<8>{}, {.relative = relative});
    expect_converged(result, 2.27519658179177561e-10, {.relative = relative});
  }
}

/// All regions meet the tolerance with their own values, of which the sum is 1e-3 of each: nothing is left to refine.
TYPED_TEST(Cubatures, TwoPhaseSaysThatValuesCancel) {
  auto const result = integrate(this->exec, kubature::TwoPhase{}, suite::F1<8>{}, Box<8>{}, {.relative = 1e-1});
  EXPECT_GT(result.error, 10 * std::abs(result.value));
  EXPECT_EQ(result.status, Status::iteration_limit) << result;
  EXPECT_EQ(result.remarks.size(), 1u) << result;
}

// ---- how much work -----------------------------------------------------------------------------------------------

template <class Space>
struct Work {
  Space const& exec;

  template <class Method, class F, int D>
  void expect(Method const& method, F const& f, Box<D> const& box, double relative, double evaluations) const {
    auto const result = integrate(exec, method, f, box, {.relative = relative});
    EXPECT_EQ(result.status, Status::converged) << result;
    EXPECT_NEAR(static_cast<double>(result.evaluations), evaluations, 0.2 * evaluations) << result;
  }
};

TYPED_TEST(Cubatures, PaganiEvaluatesAsOftenAsItDid) {
  Work<TypeParam> const work{this->exec};
  work.expect(Pagani{}, suite::F1<5>{}, Box<5>{}, 1e-6, 406'224);
  work.expect(Pagani{}, suite::F3<3>{}, Box<3>{}, 1e-10, 46'990);
  work.expect(Pagani{}, suite::F4<5>{}, Box<5>{}, 1e-4, 4'167'072);
  work.expect(Pagani{}, suite::F5<5>{}, Box<5>{}, 1e-5, 4'097'184);
  work.expect(Pagani{}, suite::F6<6>{}, Box<6>{}, 1e-2, 8'029'878);
  work.expect(Pagani{}, suite::TwoPhaseF1<5>{}, Box<5>{}, 1e-3, 3'372'096);
  work.expect(Pagani{}, suite::Gaussian<4>{}, Box<4>{}, 1e-6, 5'375'808);
}

TYPED_TEST(Cubatures, TwoPhaseEvaluatesAsOftenAsItDid) {
  Work<TypeParam> const work{this->exec};
  work.expect(kubature::TwoPhase{}, suite::F3<3>{}, Box<3>{}, 1e-10, 59'436);
  work.expect(kubature::TwoPhase{}, suite::F5<5>{}, Box<5>{}, 1e-3, 1'109'472);
  work.expect(kubature::TwoPhase{}, suite::TwoPhaseF1<5>{}, Box<5>{}, 1e-2, 1'600'326);
  work.expect(kubature::TwoPhase{}, suite::TwoPhaseF1<6>{}, Box<6>{}, 1e-1, 464'778);
  work.expect(kubature::TwoPhase{}, suite::TwoPhaseF3<3>{}, Box<3>{}, 1e-5, 901'954);
  work.expect(kubature::TwoPhase{}, suite::MixedEq11{}, Box<4>{}, 1e-11, 374'850);
}

TYPED_TEST(Cubatures, WithoutTheThresholdMoreRegionsAreRefined) {
  Tolerance const tolerance{.relative = 1e-4};
  auto const with = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, tolerance);
  auto const without = integrate(this->exec, Pagani{.threshold = false}, suite::F5<5>{}, Box<5>{}, tolerance);
  expect_converged(without, f5_truth, tolerance);
  EXPECT_GT(without.evaluations, with.evaluations);
}

// ---- repeating ---------------------------------------------------------------------------------------------------

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

struct Constant {
  double value;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const&) const {
    return static_cast<Real>(value);
  }
};

/// f times a factor, which is 1 unless given.
template <class F>
struct Scaled {
  F f;
  double factor;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return static_cast<Real>(factor) * f(x);
  }
};

/// exp(-sum x_i^2).
struct Bell {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto square = Real(0);
    for (int i = 0; i < x.size(); ++i)
      square += x[i] * x[i];
    return Kokkos::exp(-square);
  }
};
constexpr double bell_truth = 0.746824132812427025; // of one variable over (0, 1)

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

/// Regions that a list of so many bytes cannot hold: their places and values alone take more.
std::uint64_t too_many(std::size_t bytes, int dimension) {
  return bytes / (8 * static_cast<std::uint64_t>(dimension) + 17);
}

/// Regions of a result into which the box is cut: each bisection evaluated two and left one more than before.
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
  EXPECT_GT(leaves(result, 32), too_many(bytes, 5)); // the list has dropped regions, and their sums are kept
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

// ---- integrands of all kinds -------------------------------------------------------------------------------------

TYPED_TEST(Cubatures, ConstantsTakeOneRound) {
  for (double const c : {1.0, -3.5, 1e-200, 1e150}) {
    Tolerance const tolerance{.relative = 1e-12};
    this->with_both(Constant{c}, Box<3>(0.0, 2.0), tolerance, {}, [&](Result<> const& result) {
      expect_converged(result, 8 * c, tolerance);
      EXPECT_EQ(result.iterations.size(), 1u);
      EXPECT_EQ(result.regions, 64u);
      EXPECT_NEAR(result.value, 8 * c, 4e-15 * std::abs(c));
      EXPECT_LT(result.error, 1e-13 * std::abs(c));
    });
  }
}

/// A rule's weights of both signs cancel, and their rounding adds up: by a factor of 17 for d = 20.
TYPED_TEST(Cubatures, RoundingIsInTheErrorInEveryDimension) {
  std::vector<Side> const side{{0, 1}};
  for (int d = 1; d <= 17; ++d)
    for (double const c : {0.1, 2.0}) {
      SCOPED_TRACE(d);
      expect_converged(integrate(this->exec, Pagani{}, Constant{c}, Box<>(side, d), {.relative = 1e-9}), c,
                       {.relative = 1e-9});
    }
}

TYPED_TEST(Cubatures, ZeroMeetsAnAbsoluteToleranceOnly) {
  auto const check = [&](Tolerance tolerance, Status status) {
    this->with_both(Constant{0}, Box<3>{}, tolerance, {}, [&](Result<> const& result) {
      EXPECT_EQ(result.status, status) << result;
      EXPECT_EQ(result.value, 0);
      EXPECT_EQ(result.error, 0);
      ASSERT_EQ(result.remarks.size(), 1u);
      EXPECT_NE(result.remarks[0].find("a peak may have been missed"), std::string::npos);
    });
  };
  check({.absolute = 1e-9}, Status::converged);
  check({.relative = 1e-9}, Status::precision_limit);
}

/// The peak of fB lies between all points of the first regions.
TYPED_TEST(Cubatures, AMissedPeakIsNotConverged) {
  this->with_both(suite::FB<9>{}, Box<9>(-1.0, 1.0), {.relative = 1e-3}, {.evaluations = 10'000'000},
                  [](Result<> const& result) {
                    EXPECT_NE(result.status, Status::converged) << result;
                    EXPECT_EQ(result.value == 0, !result.remarks.empty()) << result;
                  });
}

/// 1 in the box from 0 to 0.3.
struct InABox {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    bool inside = true;
    for (int i = 0; i < x.size(); ++i)
      inside = inside && x[i] < Real(0.3);
    return inside ? Real(1) : Real(0);
  }
};

/// 1 in the unit ball.
struct InABall {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto square = Real(0);
    for (int i = 0; i < x.size(); ++i)
      square += x[i] * x[i];
    return square < Real(1) ? Real(1) : Real(0);
  }
};

TYPED_TEST(Cubatures, DiscontinuousIntegrands) {
  this->expect_both(InABox{}, Box<1>{}, 0.3, {.relative = 1e-12});
  for (double const relative : {1e-1, 1e-2, 1e-3}) {
    this->expect_both(InABox{}, Box<2>{}, 0.09, {.relative = relative});
    this->expect_both(InABall{}, Box<2>{}, M_PI / 4, {.relative = relative});
  }
  this->expect_both(InABox{}, Box<2>{}, 0.09, {.relative = 1e-12});
  this->expect_both(InABox{}, Box<3>{}, 0.027, {.relative = 1e-2});
  for (double const relative : {1e-1, 1e-2})
    expect_converged(integrate(this->exec, Pagani{}, InABall{}, Box<3>(-1.0, 1.0), {.relative = relative}),
                     4 * M_PI / 3, {.relative = relative});
}

TYPED_TEST(Cubatures, ADiscontinuityThatCannotBeResolvedEndsAtALimit) {
  Tolerance const tolerance{.relative = 1e-10};
  this->with_both(InABall{}, Box<2>{}, tolerance, {.evaluations = 3'000'000}, [&](Result<> const& result) {
    EXPECT_EQ(result.status, Status::evaluation_limit);
    expect_honest(result, M_PI / 4, tolerance);
  });
}

/// The sum of the coordinates, and NaN in the origin.
struct NanInACorner {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < x.size(); ++i)
      sum += x[i];
    return sum * sum / sum;
  }
};

TYPED_TEST(Cubatures, CornersAreNotSampled) {
  for (auto const policy : {NonFinite::error, NonFinite::discard, NonFinite::propagate}) {
    auto const check = [&](auto method) {
      method.non_finite = policy;
      auto const result = integrate(this->exec, method, NanInACorner{}, Box<4>{}, {.relative = 1e-9});
      expect_converged(result, 2, {.relative = 1e-9});
      EXPECT_EQ(result.non_finite, 0u);
    };
    check(Pagani{});
    check(kubature::TwoPhase{});
  }
}

/// 1, and something else in the square from 0 to `end`.
struct BadNearACorner {
  double bad, end;
  template <int D>
  KOKKOS_FUNCTION double operator()(Point<double, D> const& x) const {
    return x[0] < end && x[1] < end ? bad : 1.0;
  }
};

TYPED_TEST(Cubatures, NonFiniteValuesByPolicy) {
  for (double const bad : {std::nan(""), infinity, -infinity})
    for (double const end : {0.25, 0.3}) { // along the regions' sides and not
      auto const check = [&](auto method) {
        auto const run = [&](NonFinite policy) {
          method.non_finite = policy;
          return integrate(this->exec, method, BadNearACorner{bad, end}, Box<2>{}, {.relative = 1e-3});
        };
        auto const stopped = run(NonFinite::error);
        EXPECT_EQ(stopped.status, Status::non_finite);
        EXPECT_TRUE(std::isnan(stopped.value) && std::isnan(stopped.error));
        EXPECT_EQ(stopped.iterations.size(), 1u);
        EXPECT_GE(stopped.non_finite, 65u); // a region at least

        auto const discarded = run(NonFinite::discard);
        expect_converged(discarded, 1 - end * end, {.relative = 1e-3});
        EXPECT_GE(discarded.non_finite, 65u);

        auto const propagated = run(NonFinite::propagate);
        EXPECT_EQ(propagated.status, Status::non_finite);
        EXPECT_FALSE(std::isfinite(propagated.value) && std::isfinite(propagated.error));
        EXPECT_EQ(propagated.non_finite, stopped.non_finite);
      };
      check(Pagani{});
      check(kubature::TwoPhase{});
    }
}

/// exp(-sum |x_i|).
struct Decay {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < x.size(); ++i)
      sum += Kokkos::abs(x[i]);
    return Kokkos::exp(-sum);
  }
};

TYPED_TEST(Cubatures, InfiniteSidesOfEveryKind) {
  this->expect_both(Decay{}, Box<1>{{0, infinity}}, 1, {.relative = 1e-12});
  this->expect_both(Decay{}, Box<1>{{-infinity, infinity}}, 2, {.relative = 1e-12});
  for (double const relative : {1e-3, 1e-6}) {
    this->expect_both(Bell{}, Box<3>(-infinity, infinity), std::pow(M_PI, 1.5), {.relative = relative});
    this->expect_both(Decay{}, Box<3>{{0, infinity}, {-infinity, 0}, {1, infinity}}, std::exp(-1.0),
                      {.relative = relative});
    this->expect_both(Bell{}, Box<3>{{-infinity, infinity}, {0, 1}, {0, infinity}}, M_PI / 2 * bell_truth,
                      {.relative = relative});
  }
}

/// The product of the square roots, or of their reciprocals.
template <bool reciprocal>
struct Roots {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto product = Real(1);
    for (int i = 0; i < x.size(); ++i)
      product *= Kokkos::sqrt(x[i]);
    return reciprocal ? Real(1) / product : product;
  }
};

TYPED_TEST(Cubatures, SingularitiesAtTheEndsOfSides) {
  this->expect_both(Roots<false>{}, Box<1>{}, 2.0 / 3, {.relative = 1e-12});
  this->expect_both(Roots<false>{}, Box<2>{}, 4.0 / 9, {.relative = 1e-9});
  for (double const relative : {1e-3, 1e-6}) {
    this->expect_both(Roots<true>{}, Box<1>{}, 2, {.relative = relative});
    this->expect_both(Roots<true>{}, Box<2>{}, 4, {.relative = relative});
  }
}

/// Intervals are not bisected for ever.
TYPED_TEST(Cubatures, ASingularityThatCannotBeResolvedLeavesAnHonestEstimate) {
  for (double const relative : {1e-9, 1e-12}) {
    auto const result = integrate(this->exec, Pagani{}, Roots<true>{}, Box<1>{}, {.relative = relative});
    EXPECT_EQ(result.non_finite, 0u) << result;
    expect_honest(result, 2, {.relative = relative});
  }
}

TYPED_TEST(Cubatures, DimensionsKnownAtRunTime) {
  std::vector<Side> const side{{0, 1}};
  for (int const d : {1, 2, 3, 4, 7, 12}) {
    Tolerance const tolerance{.relative = 1e-3};
    this->with_both(Bell{}, Box<>(side, d), tolerance, {}, [&](Result<> const& result) {
      expect_converged(result, std::pow(bell_truth, d), tolerance);
      EXPECT_EQ(result.regions, d < 5 ? 1u << 2 * d : d <= 10 ? 1u << d : 1u);
    });
  }
  auto const fixed = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4});
  auto const open = integrate(this->exec, Pagani{},
                              Expression::parse("exp(-10*(abs(x-1/2)+abs(y-1/2)+abs(z-1/2)"
                                                "+abs(w-1/2)+abs(v-1/2)))"),
                              Box<>(side, 5), {.relative = 1e-4});
  expect_converged(open, f5_truth, {.relative = 1e-4});
  EXPECT_NEAR(static_cast<double>(open.evaluations), static_cast<double>(fixed.evaluations),
              0.05 * static_cast<double>(fixed.evaluations));
}

TYPED_TEST(Cubatures, TwelveAndTwentyDimensionsWithinABudget) {
  std::vector<Side> const side{{0, 1}};
  Tolerance const tolerance{.relative = 1e-6};
  auto const result = integrate(this->exec, Pagani{}, Bell{}, Box<>(side, 12), tolerance, {.evaluations = 300'000});
  EXPECT_EQ(result.status, Status::evaluation_limit);
  expect_honest(result, std::pow(bell_truth, 12), tolerance);
  auto const one = integrate(this->exec, Pagani{}, Bell{}, Box<20>{}, tolerance, {.evaluations = 1'100'000});
  EXPECT_EQ(one.regions, 1u);
  expect_honest(one, std::pow(bell_truth, 20), tolerance);
}

TYPED_TEST(Cubatures, ExpressionsAreIntegrands) {
  auto const f = Expression::parse("exp(-x*y)");
  double const truth = 0.796599599297053134;
  this->expect_both(f, Box<2>{}, truth, {.relative = 1e-9});
  std::vector<Side> const side{{0, 1}};
  this->expect_both(f, Box<>(side, 2), truth, {.relative = 1e-9});
  EXPECT_THROW(integrate(this->exec, Pagani{}, f, Box<3>{}, {.relative = 1e-3}), InvalidArgument);
}

// ---- several components ------------------------------------------------------------------------------------------

TYPED_TEST(Cubatures, EveryComponentMeetsItsTolerance) {
  auto const f = components_of(Scaled<suite::F4<5>>{{}, 1e10}, suite::F5<5>{}, Bell{}, Constant{-1e-30});
  double const truth[] = {1e10 * f4_truth, f5_truth, std::pow(bell_truth, 5), -1e-30};
  for (double const relative : {1e-2, 1e-3, 1e-4}) {
    auto const result = integrate(this->exec, Pagani{}, f, Box<5>{}, {.relative = relative});
    EXPECT_EQ(result.status, Status::converged) << result;
    for (int c = 0; c < 4; ++c) {
      EXPECT_NEAR(result.value[c], truth[c], result.error[c]);
      EXPECT_LE(result.error[c], relative * std::abs(result.value[c]));
    }
    auto const alone = integrate(this->exec, Pagani{}, suite::F5<5>{}, Box<5>{}, {.relative = relative});
    EXPECT_NEAR(result.value[1], alone.value, result.error[1] + alone.error);
    auto const peak = integrate(this->exec, Pagani{}, suite::F4<5>{}, Box<5>{}, {.relative = relative});
    EXPECT_NEAR(1e-10 * result.value[0], peak.value, 1e-10 * result.error[0] + peak.error);
  }
}

/// One that is done at once costs nothing: the other chooses regions and axes.
TYPED_TEST(Cubatures, TheWorstComponentDrives) {
  Tolerance const tolerance{.relative = 1e-3};
  auto const alone = integrate(this->exec, Pagani{}, suite::F4<5>{}, Box<5>{}, tolerance);
  auto const check = [&](auto const& f, int c) {
    auto const result = integrate(this->exec, Pagani{}, f, Box<5>{}, tolerance);
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.value[c], alone.value, result.error[c]);
    EXPECT_NEAR(static_cast<double>(result.evaluations), static_cast<double>(alone.evaluations),
                0.2 * static_cast<double>(alone.evaluations));
  };
  check(components_of(suite::F4<5>{}, Constant{1e20}), 0);
  check(components_of(suite::Linear<5>{}, suite::F4<5>{}), 1);
}

TYPED_TEST(Cubatures, AComponentMayBeZero) {
  auto const result =
      integrate(this->exec, Pagani{}, components_of(Constant{0}, suite::F5<5>{}), Box<5>{}, {.relative = 1e-3});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_EQ(result.value[0], 0);
  EXPECT_EQ(result.error[0], 0);
  EXPECT_NEAR(result.value[1], f5_truth, result.error[1]);
}

TYPED_TEST(Cubatures, TwoPhaseServesSeveralComponents) {
  auto const f = components_of(suite::F5<5>{}, Scaled<Bell>{{}, 1e10}, suite::TwoPhaseF1<5>{});
  double const truth[] = {f5_truth, 1e10 * std::pow(bell_truth, 5), shells_truth};
  auto const result = integrate(this->exec, kubature::TwoPhase{}, f, Box<5>{}, {.relative = 1e-1});
  EXPECT_EQ(result.status, Status::converged) << result;
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(result.value[c], truth[c], result.error[c]);
    EXPECT_LE(result.error[c], 1e-1 * result.value[c]);
  }
}

// ---- precisions --------------------------------------------------------------------------------------------------

TYPED_TEST(Cubatures, SinglePrecisionServesLowTolerances) {
  auto const check = [&](auto precision, double relative) {
    Tolerance const tolerance{.relative = relative};
    Pagani<decltype(precision)> const pagani{.precision = precision};
    kubature::TwoPhase<decltype(precision)> const two_phase{.precision = precision};
    auto const result = integrate(this->exec, pagani, suite::F4<5>{}, Box<5>{}, tolerance);
    expect_converged(result, f4_truth, tolerance);
    EXPECT_EQ(result.precision, precision_name(precision));
    expect_converged(integrate(this->exec, pagani, suite::F5<5>{}, Box<5>{}, tolerance), f5_truth, tolerance);
    double const f3_truth = 0.0108465608465608466;
    expect_converged(integrate(this->exec, pagani, suite::F3<3>{}, Box<3>{}, tolerance), f3_truth, tolerance);
    expect_converged(integrate(this->exec, two_phase, suite::F3<3>{}, Box<3>{}, tolerance), f3_truth, tolerance);
  };
  check(fp32, 1e-3);
  check(fp32_pure, 1e-2);
}

TYPED_TEST(Cubatures, RoundingEndsSinglePrecision) {
  auto const check = [&](auto const& f, auto const& box, double truth) {
    Tolerance const tolerance{.relative = 1e-9};
    auto const honest = [&](Result<> const& result) {
      EXPECT_EQ(result.status, Status::precision_limit) << result;
      expect_honest(result, truth, tolerance);
      EXPECT_LT(result.error, 3e-4 * std::abs(truth));
    };
    honest(integrate(this->exec, Pagani{.precision = fp32}, f, box, tolerance, {.seconds = 20}));
    honest(integrate(this->exec, Pagani{.precision = fp32_pure}, f, box, tolerance, {.seconds = 20}));
  };
  check(suite::F3<3>{}, Box<3>{}, 0.0108465608465608466);
  check(suite::MixedEq10{}, Box<3>{}, 1);
  check(suite::F1<5>{}, Box<5>{}, 0.0202424221199018969);
  check(suite::F5<5>{}, Box<5>{}, f5_truth);
}

/// Under the tails of the peak rounding is above the values: there the call goes on, to a limit.
TYPED_TEST(Cubatures, SinglePrecisionOnAPeakEndsHonestly) {
  Tolerance const tolerance{.relative = 1e-9};
  auto const result = integrate(this->exec, Pagani{.precision = fp32}, suite::F4<5>{}, Box<5>{}, tolerance,
                                {.evaluations = 30'000'000});
  EXPECT_NE(result.status, Status::converged);
  expect_honest(result, f4_truth, tolerance);
}

TYPED_TEST(Cubatures, RoundingEndsDoublePrecision) {
  for (double const relative : {1e-15, 1e-16}) {
    auto const result = integrate(this->exec, Pagani{}, suite::MixedEq10{}, Box<3>{}, {.relative = relative},
                                  {.evaluations = 10'000'000});
    EXPECT_EQ(result.status, Status::precision_limit) << result;
    expect_honest(result, 1, {.relative = relative});
  }
}

/// Which are off by rounding in their values and their centres.
TYPED_TEST(Cubatures, RoundingEndsConstants) {
  auto const result =
      integrate(this->exec, Pagani{}, Constant{2}, Box<3>{}, {.relative = 1e-16}, {.evaluations = 30'000'000});
  EXPECT_EQ(result.status, Status::precision_limit) << result;
}

TYPED_TEST(Cubatures, HalfPrecisionIsHonest) {
  for (double const relative : {1e-1, 1e-2}) {
    Tolerance const tolerance{.relative = relative};
    Pagani<Fp16> const pagani{};
    auto const result =
        integrate(this->exec, pagani, suite::MixedEq10{}, Box<3>{}, tolerance, {.evaluations = 1'000'000});
    EXPECT_EQ(result.precision, precision_name(fp16));
    EXPECT_TRUE(result.status == Status::converged || result.status == Status::precision_limit) << result;
    expect_honest(result, 1, tolerance);
    expect_honest(integrate(this->exec, pagani, suite::F3<3>{}, Box<3>{}, tolerance, {.evaluations = 1'000'000}),
                  0.0108465608465608466, tolerance);
  }
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
  EXPECT_GT(used.evaluations, 1'000'000u - 2 * 273); // all of them, where there is no tolerance
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

void expect_refused(std::function<void()> const& call, std::string const& argument, std::string const& value) {
  try {
    call();
    ADD_FAILURE() << argument << " = " << value << " was accepted";
  } catch (InvalidArgument const& error) {
    EXPECT_EQ(error.argument(), argument);
    EXPECT_EQ(error.value(), value);
    EXPECT_NE(std::string(error.where().file_name()).find("cubature_test"), std::string::npos);
  }
}

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

TYPED_TEST(Cubatures, EveryRuleCanBeChosen) {
  auto const check = [&](Rule rule, auto const& box) {
    SCOPED_TRACE(to_string(rule));
    int const d = box.dimension();
    double const truth = std::pow(bell_truth, d);
    for (double const relative : {1e-3, 1e-6, 1e-9}) {
      auto const by_pagani = integrate(this->exec, Pagani{.rule = rule}, Bell{}, box, {.relative = relative});
      expect_converged(by_pagani, truth, {.relative = relative});
      EXPECT_EQ(by_pagani.evaluations, by_pagani.regions * CubatureRule(rule, d).points());
      auto const by_two_phase =
          integrate(this->exec, kubature::TwoPhase{.rule = rule}, Bell{}, box, {.relative = relative});
      expect_converged(by_two_phase, truth, {.relative = relative});
      EXPECT_EQ(by_two_phase.evaluations, by_two_phase.regions * CubatureRule(rule, d).points());
    }
  };
  for (Rule const rule : {Rule::automatic, Rule::degree_7, Rule::degree_9}) {
    check(rule, Box<2>{});
    check(rule, Box<3>{});
    check(rule, Box<4>{});
  }
  check(Rule::automatic, Box<1>{});
  check(Rule::gauss_kronrod, Box<1>{});
  check(Rule::degree_11, Box<3>{});
  check(Rule::degree_13, Box<2>{});
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
    EXPECT_EQ(result.evaluations, result.regions * CubatureRule(Rule::automatic, 5).points());
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
