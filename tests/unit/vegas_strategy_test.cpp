#include <kubature/detail/mcubes/mcubes_strategy.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/detail/vegas_plus/vegas_strategy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// What VEGAS+ and m-Cubes decide, from what draws report: no integrand is evaluated.
namespace vegas_strategy_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

Callback const none;

/// Draws whose estimates scatter about 1 by what a function of the samples says.
struct Scripted : VegasEngine {
  double sigma = 1; ///< of a sample
  double size = 1;  ///< of the values
  /// By which the error is smaller where strata are distributed among the axes by variance.
  double better_shaped = 1;
  double gain = 1; ///< of the weights' redistribution
  std::vector<double> variances = {1, 1, 1, 1, 1, 1, 1, 1};
  std::size_t memory = std::size_t{1} << 40; ///< that is free
  int ends_at = 1 << 30;                     ///< the draw at which the call ends
  Estimates* run = nullptr;

  MapContents now;
  Strata<dynamic> strata;
  double sum = 0, other_sum = 0; ///< of weights
  ComponentWeights shares{0, 1};
  std::vector<SamplingPlan> plans;
  std::vector<std::string> done;
  std::vector<double> dampings;
  std::mt19937 random{1};

  std::optional<Drawn> draw(SamplingPlan const& plan, ValueScale const& scale) override {
    plans.push_back(plan);
    if (static_cast<int>(plans.size()) > ends_at) {
      run->end(Status::time_limit);
      return {};
    }
    std::normal_distribution<double> normal;
    auto const n = static_cast<double>(plan.samples);
    auto const& counts = plan.strata.counts;
    bool const shaped = counts[0] > 2 * counts[1];
    double const error = size * sigma / std::sqrt(n) / (shaped ? better_shaped : 1);
    Drawn drawn;
    drawn.samples = plan.samples;
    drawn.driving = {{size + error * normal(random)}, {error}, plan.samples, true, {}};
    drawn.step.iteration = drawn.driving;
    drawn.largest = scale.factor() * size;
    drawn.size = drawn.largest;
    drawn.weights = 1;
    drawn.spreads = {1};
    drawn.magnitudes = {1};
    return drawn;
  }
  void forget(int) override { done.emplace_back("forget"); }
  MapContents map() const override { return now; }
  void reset_map(int axes, int bins) override { now = {axes, bins, 1, 0, {}}; }
  void set_scale(double) override { done.emplace_back("scale"); }
  void refine_map(Damping const& damping, double) override { dampings.push_back(damping.alpha); }
  AxisShape measure_axes(Stream const&, std::uint64_t samples, double) override {
    done.emplace_back("axes");
    return {variances, true, samples};
  }
  ComponentWeights& weights() override { return shares; }
  ComponentWeights const& driving() const override { return shares; }
  std::size_t bytes(std::uint64_t, Strata<dynamic> const&, int, int) const override { return 1000; }
  std::size_t free_share() const override { return memory; }
  void limit_batches(std::size_t) override {}
  void cut(Strata<dynamic> const& other) override { strata = other; }
  void allocate(Strata<dynamic> const&, std::uint64_t, bool anew) override {
    if (anew)
      done.emplace_back("allocate");
  }
  void accept_weights(double total) override { sum = total; }
  void forget_weights() override { sum = 0; }
  double sum_of_weights() const override { return sum; }
  double sum_of_powers(double, double) override { return gain; }
  std::size_t bytes_of_weights() const override { return 0; }
  void begin_trial() override {
    done.emplace_back("trial");
    other_sum = std::exchange(sum, 0);
  }
  void exchange() override {
    done.emplace_back("exchange");
    std::swap(sum, other_sum);
  }
  void end_trial() override {}
  MapContents read_map() override {
    auto contents = now;
    for (int axis = 0; axis < now.axes; ++axis)
      for (int k = 0; k <= now.bins; ++k)
        contents.edges.push_back(k);
    return contents;
  }
  void restore(MapContents const& map) override { now = map; }
  StrataContents read_strata() override { return {}; }
  void restore(StrataContents const&) override {}

  std::size_t count(std::string const& what) const {
    return static_cast<std::size_t>(std::count(done.begin(), done.end(), what));
  }
  std::vector<SamplingPlan> of(Purpose purpose) const {
    std::vector<SamplingPlan> result;
    std::copy_if(plans.begin(), plans.end(), std::back_inserter(result),
                 [&](auto const& plan) { return plan.purpose == purpose; });
    return result;
  }
};

struct Call {
  VegasPlus<Fp64> options = {};
  Tolerance tolerance = {};
  Limits limits = {};
  int dimension = 8;
  mutable int pauses = -1; ///< number of iterations, modulo 3, after which the call pauses once

  SeveralResult run(Scripted& engine, VegasMemory& memory) const {
    Communicator const alone;
    Request const request{tolerance, limits, none, {}};
    Estimates estimates(1e-16, "vegas+", 1, 1, request, alone);
    engine.run = &estimates;
    CheckpointFile const file(options, "fp64", alone);
    VegasStrategy strategy(options, file, engine, memory, estimates, alone, request,
                           {dimension, 0, {1, false, false}, file.agreement(" 0:1", "1", false, 0)}, ValueScale());
    while (!strategy.go_on([&](CallState const& call, std::uint64_t) { return call.done() % 3 == pauses; })) {
      EXPECT_EQ(estimates.done() % 3, pauses);
      pauses = -1; // once
    }
    return estimates.finish();
  }
  SeveralResult run(Scripted& engine) const {
    VegasMemory memory(options);
    return run(engine, memory);
  }
};

TEST(VegasStrategy, MakesTwentyIterationsAfterOneForTheScale) {
  Scripted engine;
  auto const result = Call{{.evaluations = 10'000}}.run(engine);
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_EQ(result.iterations.size(), 20u);
  EXPECT_EQ(engine.of(Purpose::scale).size(), 1u);
  EXPECT_EQ(engine.dampings.size(), 20u);
  EXPECT_FALSE(result.iterations[4].included);
  EXPECT_TRUE(result.iterations[5].included);
  std::vector<std::uint32_t> streams;
  for (auto const& plan : engine.plans)
    streams.push_back(plan.stream);
  for (std::size_t i = 0; i < streams.size(); ++i)
    EXPECT_EQ(streams[i], i); // no two draws share random numbers
}

TEST(VegasStrategy, PausesAfterAnIterationAndContinues) {
  Scripted whole, parts;
  Call const call{{.evaluations = 10'000}}, paused{{.evaluations = 10'000}, {}, {}, 8, 1};
  auto const expected = call.run(whole), found = paused.run(parts);
  EXPECT_EQ(paused.pauses, -1);
  EXPECT_EQ(found.iterations.size(), expected.iterations.size());
  EXPECT_EQ(found.evaluations, expected.evaluations);
  EXPECT_EQ(parts.done, whole.done); // it begins once
}

TEST(VegasStrategy, ALaterCallStartsFromTheMapAndSkipsNothing) {
  Scripted engine;
  Call const call{{.evaluations = 10'000}};
  VegasMemory memory(call.options);
  call.run(engine, memory);
  auto const second = call.run(engine, memory);
  EXPECT_TRUE(second.iterations[0].included);
  EXPECT_EQ(engine.plans.back().stream, engine.plans.size() - 1);
}

TEST(VegasStrategy, FrozenIterationsNeitherTrainNorWeigh) {
  Scripted engine;
  Call{{.evaluations = 10'000, .adapt = 3}}.run(engine);
  EXPECT_EQ(engine.dampings.size(), 3u);
  auto const iterations = engine.of(Purpose::estimate);
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    EXPECT_EQ(iterations[i].trains, i < 3);
    EXPECT_EQ(iterations[i].weighs, i < 3);
  }
}

TEST(VegasStrategy, IterationsGrowForATightTolerance) {
  Scripted engine;
  auto const result = Call{{.evaluations = 10'000}, {.relative = 1e-4}}.run(engine);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_GT(result.iterations.back().evaluations, 100'000u);
  Scripted loose;
  EXPECT_EQ(Call({{.evaluations = 10'000}, {.relative = 1e-2}}).run(loose).iterations.back().evaluations, 10'000u);
}

TEST(VegasStrategy, FinerCubesReplaceRedistributionThatGainsNothing) {
  for (double const gain : {1.0, 100.0}) {
    Scripted engine;
    engine.gain = gain;
    Call{{.evaluations = 200'000}}.run(engine);
    auto const last = engine.plans.back();
    EXPECT_EQ(last.weighs, gain > 1) << gain;
    EXPECT_EQ(last.strata.cubes > 50'000, gain == 1) << gain; // with 2 samples each, instead of 8 on average
  }
}

TEST(VegasStrategy, OtherStrataAreKeptWhereATrialShowsThatTheyPay) {
  for (double const better : {1.0, 3.0}) {
    Scripted engine;
    engine.gain = 100;
    engine.variances = {1, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    engine.better_shaped = better;
    Call{{.evaluations = 200'000, .iterations = 30}}.run(engine);
    EXPECT_EQ(engine.count("trial"), 1u);
    EXPECT_EQ(engine.count("exchange"), better > 1 ? 2u : 1u);
    auto const& last = engine.plans.back().strata;
    EXPECT_EQ(last.counts[0] > 2 * last.counts[1], better > 1);
    EXPECT_GE(engine.of(Purpose::trial)[0].stream, 0x80000000u);
  }
}

TEST(VegasStrategy, NoTrialForFewIterationsToCome) {
  Scripted engine;
  engine.gain = 100;
  engine.variances = {1, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
  Call{{.evaluations = 200'000, .iterations = 12}}.run(engine);
  EXPECT_EQ(engine.count("trial"), 0u);
}

TEST(VegasStrategy, StrataByVarianceOnRequestBeforeTheFirstIterationThatCounts) {
  Scripted engine;
  Call{{.evaluations = 10'000, .restratify = true}}.run(engine);
  EXPECT_EQ(engine.count("axes"), 1u);
  EXPECT_EQ(engine.count("trial"), 0u);
}

TEST(VegasStrategy, ALimitBelowSevenIterationsShortensThem) {
  Scripted engine;
  auto const result = Call{{.evaluations = 10'000}, {}, {.evaluations = 20'000}}.run(engine);
  EXPECT_LE(result.evaluations, 20'000u);
  EXPECT_GE(result.iterations.size(), 7u);
  EXPECT_TRUE(std::isfinite(result.error[0]));
}

TEST(VegasStrategy, LargeValuesAreDrawnAgainScaledDown) {
  Scripted engine;
  engine.size = 0x1p400;
  auto const result = Call{{.evaluations = 10'000}}.run(engine);
  EXPECT_EQ(engine.of(Purpose::scale).size(), 2u);
  EXPECT_EQ(engine.count("forget"), 1u);
  EXPECT_NEAR(result.value[0] / 0x1p400, 1, 0.1);
}

TEST(VegasStrategy, FewerStrataWhereMemoryIsShort) {
  Scripted engine;
  engine.memory = std::size_t{1} << 27;
  auto const result = Call{{.evaluations = 1 << 30, .iterations = 6, .redistribute = 0.75}}.run(engine);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_NE(result.remarks[0].find("memory was short"), std::string::npos);
  EXPECT_LE(bytes_of_strata(engine.strata.cubes), engine.memory);
}

TEST(VegasStrategy, GivesUpWithoutMemory) {
  Scripted engine;
  Call call{{.evaluations = 10'000}};
  call.limits.bytes = 999;
  EXPECT_EQ(call.run(engine).status, Status::memory_exhausted);
  EXPECT_TRUE(engine.plans.empty());
}

TEST(VegasStrategy, ACallThatWasInterruptedGoesOnFromItsCheckpoint) {
  auto const path = (std::filesystem::temp_directory_path() / "kubature_vegas_strategy_test").string();
  std::filesystem::remove(path);
  Scripted engine;
  Call const call{{.evaluations = 10'000, .checkpoint = {.file = path}}};
  engine.ends_at = 9;
  auto const first = call.run(engine);
  EXPECT_EQ(first.status, Status::time_limit);
  EXPECT_EQ(first.iterations.size(), 8u);
  ASSERT_TRUE(std::filesystem::exists(path));
  engine.ends_at = 1 << 30;
  auto const second = call.run(engine);
  EXPECT_EQ(second.status, Status::completed);
  EXPECT_EQ(second.iterations.size(), 20u);
  EXPECT_EQ(engine.plans[10].stream, 9u); // that of the draw that was interrupted
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(VegasStrategy, RefusesToSkipAllIterations) {
  Scripted engine;
  EXPECT_THROW(Call({{.iterations = 3}}).run(engine), InvalidArgument);
}

SeveralResult mcubes(Scripted& engine, MCubes<Fp64> const& options, Tolerance tolerance = {}, Limits limits = {}) {
  Communicator const alone;
  Request const request{tolerance, limits, none, {}};
  Estimates estimates(1e-16, "mcubes", 1, 1, request, alone);
  engine.run = &estimates;
  MapMemory memory;
  McubesStrategy(options, engine, memory, estimates, alone, request, 3, 0, ValueScale()).run();
  return estimates.finish();
}

TEST(McubesStrategy, TrainsFifteenIterationsAndFreezesTheMap) {
  Scripted engine;
  auto const result = mcubes(engine, {.evaluations = 10'000});
  EXPECT_EQ(result.iterations.size(), 20u);
  EXPECT_EQ(engine.dampings.size(), 15u);
  EXPECT_TRUE(engine.of(Purpose::estimate)[14].trains);
  EXPECT_FALSE(engine.of(Purpose::estimate)[15].trains);
  EXPECT_FALSE(result.iterations[4].included);
}

TEST(McubesStrategy, ConvergesAfterFourIterationsAtTheEarliest) {
  Scripted engine;
  auto const result = mcubes(engine, {.evaluations = 10'000}, {.relative = 0.5});
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_GE(result.iterations.size(), 4u);
}

TEST(McubesStrategy, DistributesStrataByVarianceOnRequest) {
  Scripted engine;
  engine.variances = {1, 1e-3, 1e-3};
  mcubes(engine, {.evaluations = 10'000, .restratify = true});
  EXPECT_EQ(engine.count("axes"), 1u);
  auto const& counts = engine.plans.back().strata.counts;
  EXPECT_GT(counts[0], 2 * counts[1]);
}

} // namespace
} // namespace vegas_strategy_test
