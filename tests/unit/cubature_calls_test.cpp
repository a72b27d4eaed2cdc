#include "cubatures.hpp"
#include "refused.hpp"

#include <kubature/suite/suite.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace cubature_calls_test {
namespace {

using namespace kubature;
using namespace cubatures;

TYPED_TEST_SUITE(Cubatures, spaces::All, spaces::Names);

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
  EXPECT_GT(used.evaluations, 1'000'000u - 2 * 273); // all of them, as there is no tolerance
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

// ---- bad input ---------------------------------------------------------------------------------------------------

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

// ---- what the result tells ---------------------------------------------------------------------------------------

TYPED_TEST(Cubatures, ResultsTellWhatWasDone) {
  auto const check = [&](auto method, std::string const& name) {
    method.channels = Channels::never; // which evaluates outside of iterations
    auto const result = integrate(this->exec, method, suite::F5<5>{}, Box<5>{}, {.relative = 1e-4});
    EXPECT_EQ(result.method, name);
    EXPECT_EQ(result.backend, TypeParam::name());
    EXPECT_EQ(result.precision, "fp64");
    EXPECT_FALSE(result.seed.has_value());
    EXPECT_TRUE(std::isnan(result.chi2_per_dof) && std::isnan(result.q_value));
    EXPECT_GT(result.seconds, 0);
    EXPECT_EQ(result.non_finite, 0u);
    auto const of_rules = result.regions * CubatureRule(Rule::automatic, 5).points(); // and of second opinions
    EXPECT_GE(result.evaluations, of_rules);
    EXPECT_LE(static_cast<double>(result.evaluations), 1.2 * static_cast<double>(of_rules));
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
} // namespace cubature_calls_test
