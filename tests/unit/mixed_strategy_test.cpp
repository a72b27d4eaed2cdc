#include <kubature/detail/mixed_precision/mixed_strategy.hpp>

#include <kubature/detail/policies/policy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/// What mixed precision decides, from what probes report: no integrand is evaluated.
namespace mixed_strategy_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

Callback const none;

/// An integrand of two terms, the second of which loses more by rounding.
struct Scripted : MixedEngine {
  double rounding = 1e-8; ///< of the second term in fp32; the first has none
  double within = 1;      ///< variance within half of a box, relative to that of the box
  bool room = true;
  CellPlan cells;
  std::vector<std::uint64_t> probed; ///< boxes in each launch

  static Probed seen(double away, double gradient = 1) {
    Probed probed;
    probed.points = 100;
    probed.mean = probed.magnitude = 1;
    probed.squares = 1;
    probed.gradient = gradient;
    probed.single.sum = 100 * away;
    probed.single.squares = 100 * away * away;
    probed.single.bias = 100 * away;
    return probed;
  }

  void set_cells(CellPlan const& plan) override { cells = plan; }
  std::size_t bytes(CellPlan const& plan) const override { return 100 * static_cast<std::size_t>(plan.teams()); }
  void limit_batches(std::size_t) override {}
  std::uint64_t segment_length(std::uint64_t samples) const override { return samples / 32; }
  int segments_per_team() const override { return 16; }
  bool reserve_for_probing() override { return room; }
  std::uint64_t evaluations_of_probe() const override { return 100; }
  std::vector<Probed> probe_components(std::vector<SubBox> const& boxes, std::uint64_t) override {
    probed.push_back(boxes.size());
    std::vector<Probed> all;
    for (auto const& box : boxes) {
      all.push_back(seen(rounding));
      all.back().squares *= std::pow(within, -std::log2(box.volume(2)));
    }
    return all;
  }
  std::vector<Probed> probe_terms(std::vector<SubBox> const& boxes, std::uint64_t) override {
    std::vector<Probed> all;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      all.push_back(seen(0));
      all.push_back(seen(rounding));
    }
    return all;
  }
  std::optional<Drawn> draw(SamplingPlan const& plan, ValueScale const&) override {
    Drawn drawn;
    double const error = 1 / std::sqrt(static_cast<double>(plan.samples));
    drawn.samples = plan.samples;
    drawn.size = 1;
    drawn.step.iteration = {{1}, {error}, plan.samples, true, {}};
    return drawn;
  }
};

struct Call {
  MixedPrecision<Fp64> options = {.evaluations = 100'000};
  Tolerance tolerance = {.relative = 1e-3};
  Limits limits = {};
  MixedCall about = {.terms = 2,
                     .term_by_term = true,
                     .by_sums = false,
                     .names = {"first", "second"},
                     .operations = {100, 100},
                     .operations_of_whole = 200,
                     .least_samples = 1,
                     .origins = {0, 0},
                     .lengths = {1, 1},
                     .volume = 1,
                     .infinite = false,
                     .costs = {{0.25, 0.5, 1}, Format::binary32}};
  std::vector<PrecisionChoice> choices = {};

  SeveralResult run(Scripted& engine) {
    Communicator const alone;
    Request const request{tolerance, limits, none, {}};
    Estimates estimates(1e-16, "mixed", 1, 1, request, alone);
    MixedStrategy strategy(options, engine, estimates, alone, request, about, ComponentWeights(0, 1), choices);
    std::uint32_t stream = 0;
    strategy.run(stream);
    return estimates.finish();
  }
};

TEST(MixedStrategy, TermsHaveTheCheapestFormatThatTheToleranceAllows) {
  Scripted engine;
  Call call;
  auto const result = call.run(engine);
  EXPECT_TRUE(result.status == Status::converged || result.status == Status::iteration_limit);
  ASSERT_EQ(call.choices.size(), 2u);
  EXPECT_EQ(call.choices[0].name, "first");
  EXPECT_EQ(call.choices[0].format, Format::binary32);
  EXPECT_EQ(call.choices[1].format, Format::binary32);
  EXPECT_EQ(engine.cells.launches[1].cells, 1); // all in fp32
}

TEST(MixedStrategy, ATermThatRoundingSpoilsStaysInDouble) {
  Scripted engine;
  engine.rounding = 0.1;
  Call call;
  call.run(engine);
  ASSERT_EQ(call.choices.size(), 2u);
  EXPECT_EQ(call.choices[0].format, Format::binary32);
  EXPECT_EQ(call.choices[1].format, Format::binary64);
  EXPECT_EQ(engine.cells.launches[2].cells, 1); // each in its own
}

TEST(MixedStrategy, TheRoundingOfASumCountsWhereOneProgramAddsItsTerms) {
  Scripted engine;
  engine.rounding = 0;
  Call call;
  call.tolerance = {.relative = 1e-9};
  call.run(engine);
  EXPECT_EQ(call.choices[0].format, Format::binary32);
  call.about.by_sums = true;
  call.run(engine);
  EXPECT_EQ(call.choices[0].format, Format::binary64);
  EXPECT_NEAR(call.choices[0].bound[1], 0x1p-24 / std::sqrt(3.0) / 100, 1e-15); // the average is 0.01
}

TEST(MixedStrategy, ThePaperPredictionMayDecide) {
  Scripted engine;
  Call call;
  call.tolerance = {.relative = 1e-4};
  call.run(engine);
  EXPECT_EQ(call.choices[0].format, Format::binary32);
  set_policy("precision.by_prediction", "true");
  call.run(engine);
  restore_policies();
  EXPECT_EQ(call.choices[0].format, Format::binary32); // P = 2^-23 0.1 (sqrt(100) + 1)
  EXPECT_EQ(call.choices[1].format, Format::binary32);
  call.tolerance = {.relative = 1e-6};
  set_policy("precision.by_prediction", "true");
  call.run(engine);
  restore_policies();
  EXPECT_EQ(call.choices[0].format, Format::binary64);
  call.run(engine);
  EXPECT_EQ(call.choices[0].format, Format::binary32);
}

TEST(MixedStrategy, RegionsAreAtMostThoseAskedForAndAllSamplesAreTheirs) {
  Scripted engine;
  Call call;
  call.options.strategy = Strategy::region;
  call.options.regions = 8;
  call.run(engine);
  EXPECT_EQ(call.choices.size(), 8u);
  ASSERT_EQ(engine.cells.cells.size(), 8u);
  double share = 0;
  std::uint64_t samples = 0;
  for (auto const& cell : engine.cells.cells) {
    EXPECT_EQ(cell.first, samples);
    EXPECT_GE(cell.samples, 2u);
    EXPECT_GE(cell.length * 16 * static_cast<std::uint64_t>(cell.teams), cell.samples);
    share += cell.share;
    samples += cell.samples;
  }
  EXPECT_DOUBLE_EQ(share, 1);
  EXPECT_LE(samples, 100'000u);
  EXPECT_GT(samples, 99'900u);
}

TEST(MixedStrategy, RegionsAreChosenWhereSamplesAreManyAndRegionsLowerTheVariance) {
  for (bool const many : {false, true})
    for (double const within : {1.0, 0.99, 0.5}) {
      Scripted engine;
      engine.within = within;
      Call call;
      call.options.strategy = Strategy::automatic;
      call.options.regions = 16;
      call.options.evaluations = many ? 100'000 : 10'000; // all iterations: 100 times those of probing, or less
      call.run(engine);
      bool const regions = many && within == 0.5;
      EXPECT_EQ(call.choices.size(), regions ? 16u : 2u) << many << ' ' << within;
      EXPECT_EQ(call.choices[0].name == "first", !regions) << many << ' ' << within;
      EXPECT_EQ(engine.cells.cells.size(), regions ? 16u : 1u) << many << ' ' << within;
      EXPECT_EQ(engine.probed.size() > 1, many) << many << ' ' << within;
    }
}

TEST(MixedStrategy, ProbesTakeAQuarterOfTheEvaluationsAtMost) {
  Scripted engine;
  Call call;
  call.options.strategy = Strategy::region;
  call.limits.evaluations = 10'000;
  auto const result = call.run(engine);
  std::uint64_t all = 0;
  for (auto const boxes : engine.probed)
    all += 100 * boxes;
  EXPECT_LE(all, 2'500u);
  EXPECT_LE(result.evaluations, 10'000u);
}

TEST(MixedStrategy, WithoutMemoryForProbesItGivesUp) {
  Scripted engine;
  engine.room = false;
  Call call;
  EXPECT_EQ(call.run(engine).status, Status::memory_exhausted);
  EXPECT_TRUE(engine.probed.empty());
}

TEST(MixedStrategy, WithoutMemoryForSumsItGivesUp) {
  Scripted engine;
  Call call;
  call.limits.bytes = 50;
  EXPECT_EQ(call.run(engine).status, Status::memory_exhausted);
}

} // namespace
} // namespace mixed_strategy_test
