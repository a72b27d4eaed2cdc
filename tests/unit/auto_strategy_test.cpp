#include <kubature/detail/automatic/auto_strategy.hpp>
#include <kubature/detail/cubature/close_look.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What Auto decides, from what methods report: no integrand is evaluated.
namespace auto_strategy_test {
namespace {

using namespace kubature;
using namespace kubature::detail;

SeveralResult result(Status status, double value, double error, std::uint64_t evaluations) {
  SeveralResult one;
  one.value = {value};
  one.error = {error};
  one.status = status;
  one.evaluations = evaluations;
  one.iterations = {{{value}, {error}, evaluations, true}};
  return one;
}

/// A call whose iterations quadruple the evaluations, and whose error is a function of these.
class ScriptedCall final : public PausableCall {
public:
  ScriptedCall(Tolerance tolerance, double value, std::function<double(double)> error, Limits limits,
               Callback const& callback)
      : state_("scripted", 1, {tolerance, limits, callback, {}}), tolerance_(tolerance), value_(value),
        error_(std::move(error)) {}

  bool go_on(Pause const& pause) override {
    for (;;) {
      state_.show(so_far());
      if (pause(state_, next_))
        return false;
      if (made_ + next_ > limit_) {
        ended_ = Status::evaluation_limit;
        return true;
      }
      made_ += next_;
      next_ *= 4;
      iterations_.push_back({{value_}, {now()}, made_ - before_, true});
      before_ = made_;
      if (tolerance_.met(value_, now())) {
        ended_ = Status::converged;
        return true;
      }
    }
  }
  void limit(std::uint64_t evaluations) override { limit_ = evaluations; }
  SeveralResult so_far() override {
    auto one = result(ended_, value_, made_ > 0 ? now() : NAN, made_);
    one.iterations = iterations_;
    return one;
  }
  SeveralResult finish() override { return so_far(); }

private:
  struct Shown : CallState {
    using CallState::CallState;
    void show(SeveralResult const& result) { result_ = result; }
  };
  double now() const { return error_(static_cast<double>(made_)); }

  Shown state_;
  Tolerance tolerance_;
  double value_;
  std::function<double(double)> error_;
  std::uint64_t made_ = 0, before_ = 0, next_ = 1000, limit_ = ~std::uint64_t{0};
  Status ended_ = Status::completed;
  std::vector<Iteration<std::vector<double>>> iterations_;
};

/// Methods whose errors are functions of their evaluations.
struct Scripted : AutoEngine {
  Tolerance tolerance{.relative = 1e-3};
  double cubature_value = 1, lattice_value = 1, sampling_value = 1;
  std::function<double(double)> cubature = [](double n) { return 10 / n; };
  std::function<double(double)> lattice = [](double n) { return 1 / n; };
  std::function<double(double)> sampling = [](double n) { return 1 / std::sqrt(n); };
  std::optional<Status> cubature_ends;
  double cubature_error = 1; ///< then
  std::vector<std::string> calls;
  std::optional<ScriptedCall> regions, shifts;

  /// A call that ends as cubature_ends says.
  struct Ended final : PausableCall {
    SeveralResult what;
    bool go_on(Pause const&) override { return true; }
    void limit(std::uint64_t) override {}
    SeveralResult so_far() override { return what; }
    SeveralResult finish() override { return what; }
  } ended, sampled;

  PausableCall& begin_cubature(Limits const& limits, Callback const& callback) override {
    calls.emplace_back("pagani");
    if (cubature_ends) {
      ended.what = result(*cubature_ends, cubature_value, cubature_error, 1000);
      return ended;
    }
    return regions.emplace(tolerance, cubature_value, cubature, limits, callback);
  }
  PausableCall& begin_lattice(std::uint64_t, Limits const& limits, Callback const& callback) override {
    calls.emplace_back("qmc");
    return shifts.emplace(tolerance, lattice_value, lattice, limits, callback);
  }
  SeveralResult look(int, Limits const& limits, Callback const&) override {
    calls.emplace_back("look");
    return result(Status::converged, 1, 1e-4, std::min<std::uint64_t>(limits.evaluations, 10'000));
  }
  PausableCall& begin_sampling(std::uint64_t, double, int, Limits const& limits, Callback const&) override {
    calls.emplace_back("vegas+");
    auto const n = static_cast<double>(limits.evaluations);
    double const error = sampling(n);
    sampled.what = result(tolerance.met(sampling_value, error) ? Status::converged : Status::evaluation_limit,
                          sampling_value, error, limits.evaluations);
    return sampled;
  }

  SeveralResult choose(int dimension = 5, Limits limits = {}, bool gpu = false) {
    Callback const none;
    return AutoStrategy(AutoPolicy(gpu), *this, dimension, {tolerance, limits, none, {}}, {}).finish();
  }
  bool called(std::string const& name) const { return std::find(calls.begin(), calls.end(), name) != calls.end(); }
};

TEST(AutoStrategy, TakesCubatureWhereThatConvergesAtOnce) {
  Scripted methods;
  auto const found = methods.choose();
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_EQ(methods.calls, std::vector<std::string>{"pagani"});
}

TEST(AutoStrategy, LeavesTheRestToSamplesWhereCubatureIsSlow) {
  Scripted methods;
  methods.cubature = [](double n) { return std::pow(n, -0.02); };
  methods.sampling = [](double n) { return 0.05 / std::sqrt(n); };
  auto const found = methods.choose();
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_TRUE(methods.called("vegas+"));
}

TEST(AutoStrategy, TakesLatticesWhereTheirErrorFallsFastest) {
  Scripted methods;
  methods.tolerance.relative = 1e-6;
  methods.cubature = [](double n) { return std::pow(n, -0.1); };
  auto const found = methods.choose(12);
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_NEAR(found.error[0], 1e-6, 1e-6);
  EXPECT_TRUE(methods.called("qmc"));
}

TEST(AutoStrategy, RoundingOfOneMethodIsAnAnswer) {
  Scripted methods;
  methods.cubature_ends = Status::precision_limit;
  EXPECT_EQ(methods.choose().status, Status::precision_limit);
  EXPECT_EQ(methods.calls.size(), 1u);
}

TEST(AutoStrategy, ZerosAloneAreNone) {
  Scripted methods;
  methods.cubature_ends = Status::precision_limit;
  methods.cubature_value = methods.cubature_error = 0;
  EXPECT_EQ(methods.choose().status, Status::converged);
  EXPECT_TRUE(methods.called("vegas+"));
}

TEST(AutoStrategy, ValuesOfCubatureThatAreNotFiniteAreLeftToOthers) {
  Scripted methods;
  methods.cubature_ends = Status::non_finite;
  EXPECT_EQ(methods.choose().status, Status::converged);
  EXPECT_GT(methods.calls.size(), 1u);
}

TEST(AutoStrategy, AResultThatTookLongIsConfirmed) {
  Scripted methods;
  methods.cubature = [](double n) { return 4e3 / n; }; // converges after some 4e6 evaluations
  methods.sampling = [](double n) { return 100 / std::sqrt(n); };
  auto const agreed = methods.choose();
  EXPECT_EQ(agreed.status, Status::converged);
  EXPECT_TRUE(methods.called("qmc"));

  Scripted contradicted;
  contradicted.cubature = methods.cubature;
  contradicted.sampling = methods.sampling;
  contradicted.lattice_value = 2;
  contradicted.lattice = [](double n) { return 20 / std::sqrt(n); };
  auto const doubted = contradicted.choose();
  EXPECT_EQ(doubted.status, Status::iteration_limit);
  EXPECT_NE(doubted.remarks.front().find("qmc contradicts this: 2"), std::string::npos) << doubted.remarks.front();
}

TEST(AutoStrategy, KeepsItsLimit) {
  for (std::uint64_t const limit : {5'000u, 300'000u, 3'000'000u}) {
    Scripted methods;
    methods.tolerance.relative = 1e-12;
    auto const found = methods.choose(6, {.evaluations = limit});
    EXPECT_EQ(found.status, Status::evaluation_limit) << limit;
    EXPECT_LE(found.evaluations, limit);
  }
}

TEST(AutoStrategy, LooksCloselyInOneAndTwoVariables) {
  for (int const d : {1, 2, 3}) {
    Scripted methods;
    methods.choose(d);
    EXPECT_EQ(methods.called("look"), d < 3) << d;
  }
}

} // namespace
} // namespace auto_strategy_test
