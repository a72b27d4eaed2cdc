#include <kubature/detail/quasi_monte_carlo/peak_search.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_strategy.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation_search.hpp>
#include <kubature/detail/quasi_monte_carlo/slab_map.hpp>
#include <kubature/detail/quasi_monte_carlo/transform_choice.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <source_location>
#include <string>
#include <vector>

/// What quasi-Monte Carlo decides, from what its shifts report: no integrand is evaluated.
namespace qmc_strategy_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

Callback const none;
constexpr int shifts = 16;

/// Shifts whose means scatter about 1 by an error that is a function of the power, the transform and what is held.
struct Scripted : QmcEngine {
  std::function<double(int power)> error = [](int power) { return std::ldexp(1.0, -power); };
  QmcTransform best = QmcTransform::tent; ///< whose errors are far smaller
  bool better_mapped = false;             ///< whether errors are far smaller through a map
  bool room = true;
  QmcTransform transform_now = QmcTransform::none;
  bool mapped = false, in_peak = false, rotated = false;
  std::vector<std::string> done;
  std::mt19937 random{1};

  Scripted() : QmcEngine(ValueScale()) {}

  ShiftSums draw(int power, bool all, Stream) override {
    done.push_back("draw " + std::to_string(power));
    std::normal_distribution<double> normal;
    double const scatter = error(power) * (transform_now == best ? 1e-3 : 1) * (better_mapped && mapped ? 1e-3 : 1);
    auto const points = std::uint64_t{1} << (all ? power : power - 1);
    return sums(shifts, points, [&](std::size_t) { return 1 + scatter * normal(random); });
  }
  ShiftSums draw_slabs(int octaves, int power, std::uint64_t, Stream) override {
    done.emplace_back("slabs");
    auto const count = 2 * static_cast<std::size_t>(GeometricKnots::count(octaves));
    return sums(count, std::uint64_t{1} << power, [](std::size_t) { return 1.0; });
  }
  ShiftSums draw_differences(int, Stream) override { return {}; }
  ShiftSums draw_single(int power, std::uint64_t, Stream) override {
    return sums(std::size_t{1} << power, 1, [](std::size_t) { return 1.0; });
  }
  std::vector<double> single_points(int power, std::uint64_t, Stream) const override {
    return std::vector<double>(std::size_t{2} << power, 0.5);
  }
  bool fits(int, std::uint64_t) const override { return room; }
  std::vector<double> train(std::uint64_t) override {
    done.emplace_back("train");
    std::vector<double> edges;
    for (int axis = 0; axis < 2; ++axis)
      for (int k = 0; k <= 500; ++k)
        edges.push_back(k / 500.0);
    return edges;
  }
  void transform(QmcTransform transform) override { transform_now = transform; }
  void hold(PiecewiseCubic) override { mapped = true; }
  void hold(std::vector<double>) override { rotated = true; }
  void hold(detail::Peak const&) override { in_peak = true; }
  void drop_map() override { mapped = false; }
  void drop_rotation() override { rotated = false; }
  void drop_peak() override { in_peak = false; }

private:
  static ShiftSums sums(std::size_t groups, std::uint64_t points, std::function<double(std::size_t)> const& mean) {
    std::vector<Moments> all(groups);
    for (std::size_t r = 0; r < groups; ++r) {
      all[r].count = points;
      all[r].mean[0] = mean(r);
      all[r].squares[0] = 0.1 * static_cast<double>(points);
    }
    return ShiftSums::of<1>(all);
  }
  struct Moments {
    std::uint64_t count = 0, non_finite = 0, on_poles = 0, serious = 0;
    double mean[1] = {}, squares[1] = {};
  };
};

struct Call {
  QmcRequest request{.dimension = 2, .evaluations = 1 << 20, .longest = 40};
  Tolerance tolerance = {};
  Limits limits = {};

  SeveralResult run(Scripted& engine) const {
    ShiftEstimates estimates({1e-16, 0, shifts, request.evaluations, request.longest, false, 1, 1},
                             {tolerance, limits, none, {}}, {});
    QmcStrategy strategy(request, engine, estimates, {});
    EXPECT_TRUE(strategy.go_on([](CallState const&, std::uint64_t) { return false; }));
    return estimates.finish();
  }
};

TEST(QmcStrategy, DoublesThePointsUpToThoseAskedFor) {
  Scripted engine;
  auto const result = Call{{.dimension = 2, .evaluations = 1 << 14, .map = QmcMap::none, .longest = 40}}.run(engine);
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_EQ(engine.done.back(), "draw 10"); // 2^14 points of 16 shifts
  EXPECT_EQ(result.evaluations, 1u << 14);
  EXPECT_NEAR(result.value[0], 1, 6 * result.error[0]);
}

TEST(QmcStrategy, StopsWhereTheToleranceIsMet) {
  Scripted engine;
  Call call{{.dimension = 2, .evaluations = 1 << 14, .map = QmcMap::none, .longest = 40}, {.relative = 1e-4}};
  auto const result = call.run(engine);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LE(result.error[0], 1e-4);
  EXPECT_GT(result.evaluations, 1u << 14);
}

TEST(QmcStrategy, TakesTheTransformByWhichShiftsScatterLeast) {
  for (auto const best : {QmcTransform::tent, QmcTransform::korobov1, QmcTransform::korobov3}) {
    Scripted engine;
    engine.best = best;
    Call{{.dimension = 2, .evaluations = 1 << 21, .map = QmcMap::none, .longest = 40}}.run(engine);
    EXPECT_EQ(engine.transform_now, best);
  }
}

TEST(QmcStrategy, TriesNoPolynomialForSobolNorInManyVariables) {
  for (bool const sobol : {true, false}) {
    Scripted engine;
    engine.best = QmcTransform::korobov1;
    Call{{.dimension = sobol ? 2 : 9, .evaluations = 1 << 21, .map = QmcMap::none, .lattice = !sobol, .longest = 32}}
        .run(engine);
    EXPECT_EQ(engine.transform_now, QmcTransform::automatic) << sobol;
  }
}

TEST(QmcStrategy, HoldsAMapWhereShiftsScatterFarLessThroughIt) {
  for (bool const better : {true, false}) {
    Scripted engine;
    engine.better_mapped = better;
    Call{}.run(engine);
    EXPECT_EQ(engine.mapped, better);
    EXPECT_FALSE(engine.rotated || engine.in_peak);
  }
}

TEST(QmcStrategy, TrainsNoMapForFewPoints) {
  Scripted engine;
  Call{{.dimension = 2, .evaluations = 1 << 12, .longest = 40}}.run(engine);
  EXPECT_EQ(std::count(engine.done.begin(), engine.done.end(), "train"), 0);
}

TEST(QmcStrategy, TakesNoSlabsWithoutMemory) {
  for (bool const room : {true, false}) {
    Scripted engine;
    engine.room = room;
    Call{}.run(engine);
    EXPECT_EQ(std::count(engine.done.begin(), engine.done.end(), "slabs") > 0, room);
  }
}

TEST(QmcStrategy, TrainsAnotherMapForAToleranceThatNeedsManyMorePoints) {
  Scripted engine;
  engine.error = [](int power) { return std::ldexp(1.0, -power / 2); };
  engine.best = QmcTransform::none;
  Call call{{.dimension = 2, .evaluations = 1 << 16, .longest = 40}, {.relative = 1e-6}, {.evaluations = 1 << 28}};
  call.request.transform = QmcTransform::tent;
  auto const result = call.run(engine);
  EXPECT_GE(std::count(engine.done.begin(), engine.done.end(), "train"), 2);
  EXPECT_EQ(result.status, Status::evaluation_limit);
}

/// The parts of the strategy by themselves.
class QmcParts : public testing::Test {
protected:
  void TearDown() override { restore_policies(); }

  QmcCall call(QmcRequest const& request) {
    estimates_.emplace(ShiftEstimates::Fixed{1e-16, 0, shifts, request.evaluations, 40, false, 1, 1},
                       Request{{}, {}, none, {}}, Communicator());
    return {request, engine, *estimates_};
  }
  Scripted engine;

private:
  std::optional<ShiftEstimates> estimates_;
};

TEST_F(QmcParts, TakeAPeakInsteadOfAMapAndARotation) {
  PointPath path(engine);
  path.hold(PiecewiseCubic());
  path.hold(std::vector<double>{1});
  EXPECT_TRUE(engine.mapped && engine.rotated && path.rotated() && path.moved());
  path.hold(detail::Peak());
  EXPECT_TRUE(engine.in_peak && path.moved());
  EXPECT_FALSE(engine.mapped || engine.rotated || path.rotated());
  path.straighten();
  EXPECT_FALSE(engine.in_peak || path.moved());
}

TEST_F(QmcParts, TakeSlabsAndPeaksWhereThereArePointsEnough) {
  EXPECT_EQ(slab_power(call({.dimension = 2, .evaluations = 1 << 12})), -1);
  EXPECT_EQ(slab_power(call({.dimension = 2, .evaluations = 1 << 16})), 1);
  EXPECT_GT(slab_power(call({.dimension = 2, .evaluations = 1 << 20})), 3);
  EXPECT_EQ(peak_power(call({.dimension = 1, .evaluations = 1 << 20})), -1);
  EXPECT_EQ(peak_power(call({.dimension = 2, .evaluations = 1 << 11})), -1); // 32 points, of 40
  EXPECT_EQ(peak_power(call({.dimension = 2, .evaluations = 1 << 14})), 8);
  EXPECT_EQ(peak_power(call({.dimension = 2, .evaluations = std::uint64_t{1} << 30})), 12);
  engine.room = false;
  EXPECT_EQ(slab_power(call({.dimension = 2, .evaluations = 1 << 20})), -1);
  EXPECT_EQ(peak_power(call({.dimension = 2, .evaluations = 1 << 20})), -1);
}

TEST_F(QmcParts, KeepWhatTheIdentityIsWhereSlabsAreEven) {
  auto now = call({.dimension = 2, .evaluations = 1 << 20});
  EXPECT_TRUE(rotate_points(now, {1, 0, 0, 1}));
  EXPECT_TRUE(engine.mapped && engine.rotated);
  EXPECT_EQ(std::count(engine.done.begin(), engine.done.end(), "slabs"), QmcPolicy().slab_rounds);
}

TEST_F(QmcParts, ChooseATransformByThePolicy) {
  engine.best = QmcTransform::korobov2;
  for (bool const few_variables : {false, true}) {
    set_policy("qmc.most_transformed", few_variables ? 1 : 8);
    auto now = call({.dimension = 2, .evaluations = 1 << 21});
    TransformChoice choice(now);
    EXPECT_EQ(choice.open(), !few_variables);
    choice.choose(12);
    EXPECT_EQ(now.path.transform(), few_variables ? QmcTransform::tent : QmcTransform::korobov2);
  }
}

TEST(QmcStrategy, PausesBeforeAnIterationAndGoesOn) {
  Scripted whole, paused;
  Call const call{{.dimension = 2, .evaluations = 1 << 16, .map = QmcMap::none, .longest = 40}};
  auto const expected = call.run(whole);
  ShiftEstimates estimates({1e-16, 0, shifts, call.request.evaluations, 40, false, 1, 1}, {{}, {}, none, {}}, {});
  QmcStrategy strategy(call.request, paused, estimates, {});
  int pauses = 0;
  bool pause = false;
  while (!strategy.go_on([&](CallState const&, std::uint64_t) { return pause = !pause; }))
    ++pauses;
  EXPECT_GT(pauses, 3);
  EXPECT_EQ(estimates.finish().value, expected.value);
  EXPECT_EQ(paused.done, whole.done);
}

} // namespace
} // namespace qmc_strategy_test
