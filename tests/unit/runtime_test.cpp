#include "refused.hpp"
#include "runtime_by_name.hpp"

#include <kubature/integrate.hpp>
#include <kubature/runtime/integrator.hpp>
#include <kubature/runtime/options.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace runtime_test {
namespace {

using namespace kubature;
using namespace runtime_by_name;

TEST(Runtime, PrecisionsByNameGiveTheBitsOfTheTemplates) {
  auto const expect = [](char const* name, auto precision) {
    expect_same(Settings("mc", name).set("evaluations", 20'000),
                PlainMonteCarlo<decltype(precision)>{.evaluations = 20'000});
  };
  expect("", Fp64{});
  expect("fp32", Fp32{});
  expect("fp32_pure", Fp32Pure{});
  expect("fp16", Fp16{});
  expect("adaptive", Adaptive{});
}

TEST(Runtime, MapsAndChoicesOfACall) {
  runtime::Integrator first(sampling("mcubes", "adaptive")), second(sampling("vegas+"));
  first.integrate(peak(), square);
  ASSERT_EQ(first.choices().size(), 1u);
  EXPECT_TRUE(second.choices().empty());
  EXPECT_EQ(first.map().axes(), 2);
  second.use(first.map());
  EXPECT_TRUE(second.integrate(peak(), square).iterations[0].included); // nothing is left to train
  runtime::Integrator plain(sampling("mcubes"));
  plain = std::move(second);
  EXPECT_EQ(plain.settings().method().name, "vegas+");
}

TEST(Runtime, CallbacksStopACall) {
  int calls = 0;
  auto const result = runtime::Integrator(sampling("mcubes")).integrate(peak(), square, [&](Progress const& progress) {
    ++calls;
    EXPECT_EQ(progress.method, "mcubes");
    return progress.iteration < 3;
  });
  EXPECT_EQ(result.status, Status::stopped);
  EXPECT_EQ(result.iterations.size(), 3u);
  EXPECT_GE(calls, 3);
}

TEST(Runtime, TolerancesAndLimits) {
  auto const status = [](Settings const& settings) {
    return runtime::Integrator(settings).integrate(peak(), square).status;
  };
  EXPECT_EQ(status(Settings("vegas+").set("relative", 1e-2)), Status::converged);
  EXPECT_EQ(status(Settings("pagani").set("relative", 1e-12).set("evaluations", 500)), Status::evaluation_limit);
  EXPECT_EQ(status(Settings("pagani").set("iterations", 2)), Status::iteration_limit);
  EXPECT_EQ(status(Settings("two-phase").set("iterations", 2)), Status::iteration_limit);
  EXPECT_EQ(status(Settings("pagani").set("absolute", 1e-12).set("seconds", 1e-9)), Status::time_limit);
  EXPECT_EQ(status(Settings("vegas+").set("bytes", 1)), Status::memory_exhausted);
}

TEST(Runtime, MaxEvaluationsLimitEveryMethod) {
  for (auto const& method : runtime::methods()) {
    SCOPED_TRACE(method.name);
    auto const settings = Settings(method.name).set("relative", 1e-12).set("max_evaluations", 20'000);
    EXPECT_EQ(settings.limits().evaluations, 20'000u);
    EXPECT_LE(runtime::Integrator(settings).integrate(peak(), cube).evaluations, 20'000u);
  }
}

TEST(Runtime, EvaluationsAreALimitWhereAMethodHasNoneOfItsOwn) {
  for (char const* method : {"pagani", "two-phase", "auto"}) {
    Settings settings(method);
    EXPECT_EQ(settings.set("evaluations", 500).get("max_evaluations"), "500");
    EXPECT_EQ(settings.set("max_evaluations", 700).get("evaluations"), "700");
    EXPECT_EQ(settings.set("evaluations", 600).limits().evaluations, 600u);
  }
  auto const vegas = Settings("vegas+").set("evaluations", 500);
  EXPECT_EQ(vegas.get("evaluations"), "500");
  EXPECT_EQ(vegas.limits().evaluations, Limits{}.evaluations);
}

TEST(Runtime, BoxesOfBounds) {
  std::vector<double> const lower{0, -1}, upper{1, infinity};
  auto const box = runtime::box(lower, upper);
  EXPECT_EQ(box.dimension(), 2);
  EXPECT_EQ(box[1], (Side{-1, infinity}));
  expect_refused([&] { runtime::box(lower, {upper.data(), 1}); }, "number of upper bounds", "1");
  expect_refused([&] { runtime::box(upper, lower); }, "Box side 1", "1:0");
  expect_refused([&] { runtime::box({}, {}); }, "dimension", "0");
}

// ---- options by name -----------------------------------------------------------------------------------------

TEST(RuntimeOptions, DefaultsAreListedAndBoundsHold) {
  for (auto const& option : runtime::options())
    for (auto const& use : option.uses) {
      SCOPED_TRACE(std::string(use.method) + ' ' + std::string(option.name));
      EXPECT_FALSE(use.summary.empty());
      Settings settings(use.method);
      EXPECT_TRUE(settings.has(option.name));
      bool const limited = use.method == "auto" && option.name == "seconds"; // while it has no tolerance
      EXPECT_EQ(settings.get(option.name), limited ? "10" : use.fallback);
      settings.set(option.name, use.fallback);
      EXPECT_EQ(settings.get(option.name), use.fallback);
      bool const whole = option.kind == runtime::Kind::whole;
      for (auto const& [bound, beyond] : {std::pair(use.least, -1), std::pair(use.most, 1)})
        if (!bound.empty()) {
          double const outside = std::strtod(bound.c_str(), nullptr) + beyond;
          auto const text = whole ? std::to_string(static_cast<std::int64_t>(outside)) : std::to_string(outside);
          expect_refused([&] { settings.set(option.name, text); }, std::string(option.name), text);
        }
    }
}

TEST(RuntimeOptions, OfEachMethod) {
  auto const methods = [](std::string_view option) {
    std::string names;
    for (auto const& use : runtime::find_option(option).uses)
      names += (names.empty() ? "" : " ") + std::string(use.method);
    return names;
  };
  EXPECT_EQ(methods("relative"), "vegas+ mcubes mcubes-1d mc qmc pagani auto two-phase mixed");
  EXPECT_EQ(methods("evaluations"), methods("relative"));
  EXPECT_EQ(methods("bins"), "vegas+ mcubes mcubes-1d");
  EXPECT_EQ(methods("one_map"), "vegas+ mcubes"); // mcubes-1d has no other
  EXPECT_EQ(methods("rule"), "qmc pagani two-phase");
  EXPECT_EQ(methods("strategy"), "mixed");
  EXPECT_EQ(runtime::find_option("strategy").choices,
            (std::vector<std::string_view>{"automatic", "term", "region", "hybrid"}));
  EXPECT_EQ(runtime::find_option("bins").uses[1].most, "1048576");
}

TEST(RuntimeOptions, AreSetByTextAndByNumber) {
  Settings settings("vegas+");
  EXPECT_EQ(settings.set("evaluations", "1.5e6").get("evaluations"), "1500000");
  EXPECT_EQ(settings.set("evaluations", 1e7).get("evaluations"), "10000000");
  EXPECT_EQ(settings.set("seed", std::numeric_limits<std::uint64_t>::max() - 1).get("seed"), "18446744073709551614");
  EXPECT_EQ(settings.set("alpha", 0.1).get("alpha"), "0.1");
  EXPECT_EQ(settings.set("alpha", "automatic").get("alpha"), "automatic");
  EXPECT_THROW(settings.set("beta", "automatic"), InvalidArgument);
  EXPECT_THROW(Settings("mcubes").set("alpha", "automatic"), InvalidArgument);
  EXPECT_EQ(settings.set("one_map", true).get("one_map"), "true");
  EXPECT_EQ(settings.set("checkpoint", "a file").get("checkpoint"), "a file");
  EXPECT_EQ(settings.set("adapt", 3).set("adapt", "inf").get("adapt"), "inf");
  EXPECT_EQ(settings.get("skip"), "5");
  EXPECT_EQ(settings.set("iterations", 4).get("skip"), "2"); // fewer iterations skip fewer
  EXPECT_EQ(settings.set("skip", 3).get("skip"), "3");
  EXPECT_EQ(settings.given().size(), 8u);
  EXPECT_EQ(settings.set("relative", 1e-3).tolerance().relative, 1e-3);
  EXPECT_EQ(settings.set("seconds", 2).limits().seconds, 2);
}

/// The values of a function object at all points, by a kernel.
struct EvaluatePeak {
  kubature::BatchPoints<Kokkos::DefaultExecutionSpace> points;
  kubature::BatchValues<Kokkos::DefaultExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    values(k, 0) = Kokkos::exp(-points(k, 0) * points(k, 0) - points(k, 1));
  }
};

TEST(RuntimeIntegrator, IntegratesFunctionsThatEvaluateBatches) {
  using Space = Kokkos::DefaultExecutionSpace;
  auto const f = [](Space const& exec, auto const& points, auto const& values) {
    Kokkos::parallel_for("test::runtime::peak",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
                         EvaluatePeak{points, values});
  };
  double const truth = std::sqrt(std::numbers::pi) / 2 * std::erf(1.0) * (1 - std::exp(-2.0));
  for (auto const& method : runtime::methods()) {
    SCOPED_TRACE(method.name);
    runtime::Integrator integrator(Settings(method.name, "fp64").set("relative", 1e-3));
    if (!method.batches) {
      expect_refused([&] { integrator.integrate(f, square); }, "method", std::string(method.name));
      continue;
    }
    auto const result = integrator.integrate(f, square);
    EXPECT_EQ(result.status, Status::converged);
    if (!method.symmetric_only) {
      EXPECT_NEAR(result.value, truth, 5 * result.error);
    }
    expect_refused([&] { runtime::Integrator(Settings(method.name, "fp32")).integrate(f, square); }, "precision",
                   "fp32");
    expect_refused([&] { integrator.integrate(runtime::BatchFunction(), square); }, "integrand", "empty");
  }
}

TEST(RuntimeOptions, UnknownNamesAreRefused) {
  expect_refused([] { Settings("vegas"); }, "method", "vegas");
  expect_refused([] { Settings("mc", "fp8"); }, "precision", "fp8");
  expect_refused([] { Settings("mixed", "fp32"); }, "precision", "fp32");
  expect_refused([] { Settings("mc").set("bims", 1); }, "option", "bims");
  expect_refused([] { Settings("mc").set("bins", 1); }, "option", "bins");
  expect_refused([] { static_cast<void>(Settings("mc").get("bins")); }, "option", "bins");
  expect_refused([] { Settings("mcubes-1d").set("one_map", false); }, "option", "one_map");
  expect_refused([] { static_cast<void>(runtime::Integrator(Settings("mc")).map()); }, "method", "mc");
}

TEST(RuntimeOptions, ValuesThatAnOptionCannotHaveAreRefusedByNameAndValue) {
  auto const refuse = [](char const* method, char const* option, std::vector<std::string> const& values) {
    for (auto const& value : values)
      expect_refused([&] { Settings(method).set(option, value); }, option, value);
  };
  refuse("vegas+", "evaluations", {"", "1", "-5", "1.5", "nan", "inf", "1e30", "many", "20x"});
  refuse("vegas+", "iterations", {"-1", "1e10", "2147483648"});
  refuse("vegas+", "redistribute", {"1", "-0.1", "nan"});
  refuse("vegas+", "one_map", {"2", "yes"});
  refuse("vegas+", "restratify", {"2", "yes"});
  refuse("mcubes", "restratify", {"automatic"});
  refuse("mc", "relative", {"-1", "inf", "nan", ""});
  refuse("mc", "seconds", {"0", "-1", "nan"});
  refuse("mc", "seed", {"-1", "0.5"});
  refuse("qmc", "shifts", {"1", "1025"});
  refuse("qmc", "transform", {"korobov4", "1"});
  refuse("pagani", "rule", {"8", "degree_9"});
  refuse("mixed", "costs", {"1,2", "1,2,3,4", "1,,2", "1,2,inf"});
}

TEST(RuntimeOptions, WhatDoesNotGoTogetherIsRefusedByName) {
  auto const skips_all = Settings("mcubes").set("iterations", 20).set("skip", 20);
  expect_refused([&] { skips_all.check(2); }, "skip", "20");
  expect_refused([&] { runtime::Integrator integrator(skips_all); }, "skip", "20");
  expect_refused([] { Settings("pagani").set("rule", "11").check(2); }, "rule", "degree_11");
  expect_refused([] { Settings("two-phase").check(2, 3); }, "method", "two-phase");
  expect_refused([] { runtime::Integrator(Settings("pagani")).integrate(peak(), square); }, "relative", "0");
  expect_refused([] { runtime::Integrator(Settings("mc")).integrate(peak(), square, {.relative = -1}, {}); },
                 "relative", "-1");
  EXPECT_NO_THROW(Settings("pagani").set("rule", "11").check(3, 4));
}

} // namespace
} // namespace runtime_test
