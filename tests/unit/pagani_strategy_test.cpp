#include <kubature/detail/pagani/pagani_strategy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

/// What PAGANI decides, from the errors of regions: no integrand is evaluated.
namespace pagani_strategy_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

Callback const none;
constexpr std::uint64_t points = 100;

/// A list of regions whose halves have a quarter of the error each. All values are the same, and sum to one.
struct Scripted : PaganiEngine {
  RegionEstimates& run;
  Tolerance tolerance;
  std::vector<double> errors, settled; ///< settled: by the relative-error filter
  std::uint64_t most = ~std::uint64_t{0};
  double integral = 1, committed = 0;
  int commits = 0, looks = 0, raises = 0;
  std::uint64_t refined = 0;
  bool confirms = true, pole = false;
  std::function<void()> before_refining = [] {};

  Scripted(RegionEstimates& estimates, Tolerance asked, std::vector<double> first)
      : run(estimates), tolerance(asked), errors(std::move(first)) {}

  // As RegionEstimates::add() sees a list.
  RegionTotals listed(int) const {
    RegionTotals totals;
    totals.value.add(integral);
    for (auto const* list : {&errors, &settled})
      for (double const error : *list)
        totals.error.add(error);
    totals.magnitude = std::abs(integral);
    return totals;
  }
  RegionTotals committed_totals() const {
    RegionTotals totals;
    totals.error.add(committed);
    return totals;
  }
  struct List {
    Scripted const& of;
    RegionTotals listed(int c) const { return of.listed(c); }
    RegionTotals committed(int) const { return of.committed_totals(); }
    std::uint64_t total() const { return of.total(); }
    bool met(Tolerance asked) const { return of.met(asked); }
  };

  double error() const {
    return std::accumulate(errors.begin(), errors.end(), committed) +
           std::accumulate(settled.begin(), settled.end(), 0.0);
  }
  double allowed() const { return tolerance.allowed(integral); }

  std::uint64_t total() const override { return errors.size() + settled.size(); }
  std::uint64_t size() const override { return total(); }
  std::uint64_t capacity() const override { return most; }
  bool met(Tolerance asked) const override { return error() <= asked.allowed(integral); }
  void reserve(std::uint64_t, std::size_t) override {}
  bool rebalance(std::size_t) override { return false; }
  Taken take(std::uint64_t, int, std::uint64_t) const override { return {}; }

  bool start(std::size_t) override { return true; }
  bool refine(RegionChoice const& choice, RegionStatistics const& statistics, double) override {
    before_refining();
    std::ranges::sort(errors, std::greater<>());
    refined += choice.mine;
    for (std::uint64_t k = 0; k < choice.mine; ++k) {
      EXPECT_LE(ErrorBins::of(errors[k] / allowed() / statistics.reference), choice.threshold.last_bin);
      errors[k] /= 4;
      errors.push_back(errors[k]);
    }
    return true;
  }
  RegionStatistics summarise(double) override {
    RegionStatistics result;
    if (errors.empty() || integral == 0)
      return result;
    double const left = allowed() - committed;
    result.possible = left > 0;
    double largest = *std::ranges::max_element(errors);
    for (double const error : settled)
      largest = std::max(largest, error);
    result.reference = largest / allowed();
    for (double const error : errors)
      ++result.open[ErrorBins::of(error / allowed() / result.reference)];
    for (double const error : settled)
      ++result.settled[ErrorBins::of(error / allowed() / result.reference)];
    return result;
  }
  RegionStatistics improve_and_summarise(double relative, HalfErrors) override { return summarise(relative); }
  double value(int) const override { return integral; }
  bool second_opinions(bool, std::function<RegionStatistics const&()> const&) override { return confirms; }
  void report(std::uint64_t regions, NonFiniteCount bad, bool confirmed) override {
    run.add(List{*this}, regions, bad, NonFinite::error, confirmed);
  }
  void commit(RegionStatistics const&, double, std::uint64_t mine, int) override {
    ++commits;
    std::ranges::sort(errors, std::greater<>());
    committed += std::accumulate(errors.begin() + static_cast<std::ptrdiff_t>(mine), errors.end(), 0.0);
    errors.resize(mine);
  }
  void wait() override {}

  std::vector<double> magnitudes(std::vector<double> const& at, int) override {
    std::vector<double> result;
    for (std::size_t k = 0; k + 1 < at.size(); k += 2) {
      double const r = std::hypot(at[k] - 0.3, at[k + 1] - 0.4);
      result.push_back(pole ? std::pow(r, -1.5) : 1);
    }
    return result;
  }
  Densest densest(int, std::vector<Pole> const& known) override {
    ++looks;
    return known.empty() ? Densest{1, {0.25, 0.375}, {0.5, 0.5}} : Densest{};
  }
  void raise_errors_about(Pole const&) override { ++raises; }
};

struct Call {
  Tolerance tolerance{.relative = 1e-3};
  Limits limits = {};
  int dimension = 5;
  bool threshold = true;

  SeveralResult run(std::vector<double> const& errors, std::function<void(Scripted&)> const& check,
                    std::function<void(Scripted&)> const& prepare = {}) const {
    RegionEstimates estimates("pagani", 1, {tolerance, limits, none, {}});
    Scripted engine(estimates, tolerance, errors);
    if (prepare)
      prepare(engine);
    PaganiRequest request{.dimension = dimension, .tolerance = tolerance, .bytes = 0, .points = points};
    request.threshold = threshold;
    request.rounding = 1e-14;
    PaganiStrategy strategy(request, engine, estimates, {});
    EXPECT_TRUE(strategy.go_on([](CallState const&, std::uint64_t) { return false; }));
    auto const result = estimates.finish();
    check(engine);
    return result;
  }
};

TEST(PaganiStrategy, BisectsWhatMattersAlone) {
  std::vector<double> errors(64, 1e-9);
  errors[7] = errors[20] = 0.01;
  auto const result = Call{}.run(errors, [](Scripted& engine) {
    EXPECT_LE(engine.error(), 1e-3);
    EXPECT_EQ(engine.refined, 2u + 4 + 8 + 16 + 32); // each halves the error of 0.02
  });
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.evaluations, result.regions * points);
}

TEST(PaganiStrategy, WithoutTheThresholdBisectsAll) {
  Call call;
  call.threshold = false;
  std::vector<double> errors(64, 1e-9);
  errors[7] = 0.002;
  call.run(errors, [](Scripted& engine) { EXPECT_GE(engine.refined, 64u); });
}

TEST(PaganiStrategy, ThePublishedThresholdWaitsForDigitsThatStandStill) {
  set_policy("cubature.published_threshold", "true");
  std::vector<double> errors(64, 1e-9);
  errors[7] = errors[20] = 0.01;
  std::vector<int> commits;
  auto const result = Call{}.run(
      errors,
      [&](Scripted& engine) {
        EXPECT_EQ(commits, (std::vector<int>{0, 1})); // all are bisected once, and then those that matter
        EXPECT_LE(engine.error(), 1e-3);
      },
      [&](Scripted& engine) {
        engine.before_refining = [&] {
          if (commits.size() < 2)
            commits.push_back(engine.commits);
        };
      });
  restore_policies();
  EXPECT_EQ(result.status, Status::converged);
}

TEST(PaganiStrategy, KeepsTheLimitOfEvaluations) {
  Call call;
  call.limits.evaluations = 30'000;
  auto const result = call.run(std::vector<double>(64, 1.0), [](Scripted& engine) {
    EXPECT_LE((64 + 2 * engine.refined) * points, 30'000u);
    EXPECT_GT((64 + 2 * engine.refined) * points, 29'500u); // the last iteration takes what is left
  });
  EXPECT_EQ(result.status, Status::evaluation_limit);
}

TEST(PaganiStrategy, CommitsSmallErrorsWhereMemoryIsShort) {
  std::vector<double> errors(64, 1e-8);
  for (std::size_t k = 0; k < 8; ++k)
    errors[k] = 0.0018; // which takes 128 regions
  auto const room = [](Scripted& engine) { engine.most = 150; };
  auto const result = Call{}.run(errors, [](Scripted& engine) { EXPECT_GT(engine.commits, 0); }, room);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NE(result.remarks.at(0).find("memory was short"), std::string::npos);
}

TEST(PaganiStrategy, EndsWhereNothingCanBeCommitted) {
  auto const room = [](Scripted& engine) { engine.most = 64; };
  auto const result = Call{}.run(std::vector<double>(64, 0.01), [](Scripted&) {}, room);
  EXPECT_EQ(result.status, Status::memory_exhausted);
}

TEST(PaganiStrategy, SettledErrorsThatExceedTheToleranceAreRounding) {
  auto const settle = [](Scripted& engine) { engine.settled.assign(100, 1e-4); };
  auto const result = Call{}.run(std::vector<double>(4, 1e-6), [](Scripted&) {}, settle);
  EXPECT_EQ(result.status, Status::precision_limit);
}

TEST(PaganiStrategy, ZerosAreBisectedWhileTheyAreFew) {
  auto const zero = [](Scripted& engine) { engine.integral = 0; };
  auto const result =
      Call{}.run(std::vector<double>(64, 0.0), [](Scripted& engine) { EXPECT_EQ(engine.total(), few_regions); }, zero);
  EXPECT_EQ(result.status, Status::precision_limit);
  EXPECT_NE(result.remarks.at(0).find("all values were zero"), std::string::npos);
}

TEST(PaganiStrategy, DoesNotConvergeUnconfirmed) {
  auto const unconfirmed = [](Scripted& engine) { engine.confirms = false; };
  auto const result = Call{}.run(std::vector<double>(4, 1e-9), [](Scripted&) {}, unconfirmed);
  EXPECT_EQ(result.status, Status::evaluation_limit);
}

TEST(PaganiStrategy, LooksForPolesWhereTheToleranceIsMet) {
  for (bool const pole : {true, false}) {
    Call call;
    call.dimension = 2;
    call.run(
        std::vector<double>(4, 1e-9),
        [&](Scripted& engine) {
          EXPECT_GT(engine.looks, 0);
          EXPECT_EQ(engine.raises > 0, pole);
        },
        [&](Scripted& engine) { engine.pole = pole; });
  }
  Call{}.run(std::vector<double>(4, 1e-9), [](Scripted& engine) { EXPECT_EQ(engine.looks, 0); });
}

} // namespace
} // namespace pagani_strategy_test
