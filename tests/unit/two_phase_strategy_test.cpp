#include <kubature/detail/two_phase/two_phase_strategy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

/// What two-phase cubature decides, from the errors of regions: no integrand is evaluated.
namespace two_phase_strategy_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

Callback const none;
constexpr std::uint64_t points = 100;

/// Regions whose halves have a quarter of the error each. All values are the same, and sum to one.
struct Scripted : TwoPhaseEngine {
  RegionEstimates& run;
  std::vector<double> errors;
  double relative = 0; ///< error of a region, of its value, at which it is settled
  std::uint64_t most = 1 << 20, lists = 1 << 10, parts = 0, unfinished = 0;
  double value = 1;
  int looks = 0, bisections = 0;
  std::uint64_t opened = 0;

  Scripted(RegionEstimates& estimates, std::vector<double> first) : run(estimates), errors(std::move(first)) {}

  struct List {
    Scripted const& of;
    RegionTotals listed(int) const {
      RegionTotals totals;
      totals.value.add(of.value);
      totals.magnitude = std::abs(of.value);
      for (double const error : of.errors)
        totals.error.add(error);
      return totals;
    }
    RegionTotals committed(int) const { return {}; }
    std::uint64_t total() const { return of.size(); }
    bool met(Tolerance asked) const { return of.met(asked); }
  };

  bool settled(double error) const { return error <= relative * value / static_cast<double>(errors.size()); }

  std::uint64_t size() const override { return errors.size(); }
  std::uint64_t capacity() const override { return most; }
  bool met(Tolerance asked) const override {
    return std::accumulate(errors.begin(), errors.end(), 0.0) <= asked.allowed(value);
  }
  void reserve(std::uint64_t) override {}
  bool start() override { return true; }
  RegionStatistics summarise(double of) override {
    relative = of;
    RegionStatistics result;
    if (value == 0)
      return result;
    result.reference = 1;
    for (double const error : errors)
      if (!settled(error))
        ++result.open[ErrorBins::of(error)];
    result.counters.unfinished = unfinished;
    return result;
  }
  RegionStatistics improve_and_summarise(double of) override { return summarise(of); }
  bool ask(std::function<RegionStatistics const&()> const&) override { return true; }
  bool look(std::function<RegionStatistics const&()> const& summarise) override {
    ++looks;
    summarise();
    return true;
  }
  bool affords_look() const override { return true; }
  void report(std::uint64_t regions, NonFiniteCount bad, bool confirmed) override {
    run.add(List{*this}, regions, bad, NonFinite::error, confirmed);
  }
  void select(RegionStatistics const&, double) override {}
  void bring_forward(std::uint64_t) override {}
  bool bisect(std::uint64_t selected, int) override {
    ++bisections;
    std::ranges::sort(errors, std::greater<>());
    for (std::uint64_t k = 0; k < selected; ++k) {
      errors[k] /= 4;
      errors.push_back(errors[k]);
    }
    return true;
  }
  std::uint64_t allocate_lists(std::uint64_t open, std::uint64_t wanted) override {
    opened = open;
    parts = wanted;
    return std::min(lists, open);
  }
  void refine_alone(std::uint64_t, Tolerance) override {
    if (unfinished == 0)
      for (double& error : errors)
        error *= 1e-6;
  }
};

struct Call {
  Tolerance tolerance{.relative = 1e-6};
  Limits limits = {};
  TwoPhaseStrategy::Call call{.regions = 1 << 10, .parts = 2048, .points = points, .behind = 10, .least_relative = 0};

  SeveralResult run(std::function<void(Scripted&)> const& prepare, std::function<void(Scripted const&)> const& check) {
    Request const request{tolerance, limits, none, {}};
    RegionEstimates estimates("two-phase", 1, request);
    Scripted engine(estimates, std::vector<double>(16, 0.01));
    prepare(engine);
    TwoPhaseStrategy(call, engine, estimates, request).run();
    check(engine);
    return estimates.finish();
  }
};

TEST(TwoPhaseStrategy, BisectsUntilThereAreEnoughRegionsAndThenRefinesEachAlone) {
  auto const result = Call{}.run([](Scripted&) {},
                                 [](Scripted const& engine) {
                                   EXPECT_EQ(engine.bisections, 6); // 16 to 1024 regions
                                   EXPECT_EQ(engine.opened, 1024u);
                                   EXPECT_EQ(engine.parts, 2048u);
                                   EXPECT_EQ(engine.looks, 1);
                                 });
  EXPECT_EQ(result.status, Status::converged);
}

TEST(TwoPhaseStrategy, HasNoSecondPhaseWhereTheFirstConverges) {
  Call call;
  call.tolerance = {.relative = 1e-2};
  auto const result = call.run([](Scripted&) {}, [](Scripted const& engine) { EXPECT_EQ(engine.parts, 0u); });
  EXPECT_EQ(result.status, Status::converged);
}

TEST(TwoPhaseStrategy, SaysHowManyRegionsDidNotMeetTheirTolerance) {
  auto const result = Call{}.run([](Scripted& engine) { engine.unfinished = 7; }, [](Scripted const&) {});
  EXPECT_EQ(result.status, Status::memory_exhausted);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_NE(result.remarks.back().find("7 of 1024 regions"), std::string::npos);
}

TEST(TwoPhaseStrategy, DividesTheEvaluationsThatAreLeftAmongTheRegions) {
  Call call;
  call.limits.evaluations = 2'000'000;
  auto const result = call.run([](Scripted& engine) { engine.unfinished = 1; },
                               [](Scripted const& engine) {
                                 EXPECT_GT(engine.parts, 2u);
                                 EXPECT_LT(engine.parts, 2048u);
                               });
  EXPECT_EQ(result.status, Status::evaluation_limit);
}

TEST(TwoPhaseStrategy, BeginsTheSecondPhaseEarlyWhereMemoryIsShort) {
  Call{}.run([](Scripted& engine) { engine.most = 100; },
             [](Scripted const& engine) {
               EXPECT_EQ(engine.bisections, 2);
               EXPECT_EQ(engine.opened, 64u);
             });
}

TEST(TwoPhaseStrategy, EndsWithoutMemoryForLists) {
  auto const result = Call{}.run([](Scripted& engine) { engine.lists = 0; }, [](Scripted const&) {});
  EXPECT_EQ(result.status, Status::memory_exhausted);
}

} // namespace
} // namespace two_phase_strategy_test
