#include "refused.hpp"
#include "same_bits.hpp"
#include "spaces.hpp"

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace integrate_test {
namespace {

using namespace kubature;

// Integrands of one type share their kernels.
using InFive = suite::OneOf<suite::F4<5>, suite::F1<5>, suite::Linear<5>, suite::F5<5>>;
constexpr InFive peak{0}, oscillation{1}, linear{2}, kink{3};

/// Every method in every space and precision.
template <class Case>
class Methods : public ::testing::Test {
protected:
  using Space = typename Case::space;
  using P = typename Case::precision;
  Space exec;

  static MCubes<P> mcubes(std::uint64_t evaluations = 100'000) { return {.evaluations = evaluations}; }
  static PlainMonteCarlo<P> plain(std::uint64_t evaluations = 100'000) { return {.evaluations = evaluations}; }

  /// What rounding of the integrand and the sums may add to a relative error.
  static double rounding() {
    if (std::is_same_v<P, Fp64>)
      return 1e-14;
    return std::is_same_v<typename P::eval_type, float> ? 2e-5 : 2e-2;
  }
};
TYPED_TEST_SUITE(Methods, spaces::WithPrecisions, spaces::Names);

/// Within 4.5 standard deviations (all but 1 in 150,000 seeds are) and what rounding adds.
template <class Value>
void expect_near(Result<Value> const& result, double truth, double rounding) {
  EXPECT_EQ(result.non_finite, 0u);
  EXPECT_GT(result.error, 0);
  EXPECT_NEAR(result.value, truth, 4.5 * result.error + rounding * std::abs(truth)) << result;
  EXPECT_GT(result.q_value, 1e-5) << result;
}

TYPED_TEST(Methods, IntegrateAPeak) {
  auto const f = peak;
  double const truth = 1.79132603674878596e-06;
  auto const result = integrate(this->exec, this->mcubes(), f, Box<5>{});
  expect_near(result, truth, this->rounding());
  EXPECT_LT(result.error, 1e-3 * truth);
}

TYPED_TEST(Methods, IntegrateAnOscillation) {
  auto const f = oscillation;
  double const truth = 0.0202424221199018969;
  // Rounding is relative to the integrand's size of 1.
  expect_near(integrate(this->exec, this->plain(), f, Box<5>{}), truth, this->rounding() / truth);
  expect_near(integrate(this->exec, this->mcubes(), f, Box<5>{}), truth, this->rounding() / truth);
}

TYPED_TEST(Methods, IntegrateAKink) {
  double const truth = 3.09363588982679e-04;
  auto const result = integrate(this->exec, this->mcubes(), kink, Box<5>{});
  expect_near(result, truth, this->rounding());
  EXPECT_LT(result.error, 2e-3 * truth);
}

TYPED_TEST(Methods, IntegrateWithOneMapForAllAxes) {
  auto method = this->mcubes();
  method.one_map = true;
  auto const result = integrate(this->exec, method, peak, Box<5>{});
  expect_near(result, 1.79132603674878596e-06, this->rounding());
  EXPECT_LT(result.error, 1e-3 * 1.79132603674878596e-06);
  EXPECT_EQ(result.method, "mcubes-1d");
}

TYPED_TEST(Methods, NameWhatTheyRan) {
  auto const result = integrate(this->exec, this->plain(1000), linear, Box<5>{});
  EXPECT_EQ(result.method, "mc");
  EXPECT_EQ(result.backend, TypeParam::space::name());
  EXPECT_EQ(result.precision, precision_name(typename TypeParam::precision{}));
  EXPECT_EQ(result.seed, 0u);
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_EQ(result.iterations.size(), 10u);
  EXPECT_EQ(result.evaluations, 10'000u);
  EXPECT_GT(result.seconds, 0);
}

/// Every method in every space, in double precision.
template <class Space>
class InDouble : public ::testing::Test {
protected:
  Space exec;
};
TYPED_TEST_SUITE(InDouble, spaces::All, spaces::Names);

struct Gaussian {
  template <int D>
  KOKKOS_FUNCTION double operator()(Point<double, D> const& x) const {
    double square = 0;
    for (int i = 0; i < x.size(); ++i)
      square += x[i] * x[i];
    return Kokkos::exp(-square);
  }
};

TYPED_TEST(InDouble, InfiniteSidesOfEveryKind) {
  Box<3> const box{{-infinity, infinity}, {0, infinity}, {-infinity, 0}};
  double const truth = std::pow(M_PI, 1.5) / 4;
  expect_near(integrate(this->exec, MCubes{.evaluations = 200'000}, Gaussian{}, box), truth, 0);
  expect_near(integrate(this->exec, PlainMonteCarlo{.evaluations = 200'000}, Gaussian{}, box), truth, 0);
}

TYPED_TEST(InDouble, EveryDimensionUpToTwenty) {
  auto const check = [&]<int D>(std::integral_constant<int, D>) {
    expect_near(integrate(this->exec, MCubes{.evaluations = 20'000}, suite::Linear<D>{}, Box<D>(0.0, 2.0)),
                D * std::pow(2.0, D), 0);
    expect_near(integrate(this->exec, PlainMonteCarlo{.evaluations = 20'000}, suite::Linear<D>{}, Box<D>(0.0, 2.0)),
                D * std::pow(2.0, D), 0);
  };
  check(std::integral_constant<int, 1>{});
  check(std::integral_constant<int, 2>{});
  check(std::integral_constant<int, 9>{});
  check(std::integral_constant<int, 20>{});
}

TYPED_TEST(InDouble, DimensionsKnownAtRunTime) {
  for (int d : {1, 3, 12, 20}) {
    std::vector<Side> const side{{-infinity, infinity}};
    auto const result = integrate(this->exec, MCubes{.evaluations = 200'000}, Gaussian{}, Box<>(side, d));
    expect_near(result, std::pow(M_PI, d / 2.0), 0);
  }
}

TYPED_TEST(InDouble, TheStaticAndTheRunTimeDimensionGiveTheSameSamples) {
  std::vector<Side> const side{{0, 1}};
  auto const fixed = integrate(this->exec, MCubes{.evaluations = 10'000}, Gaussian{}, Box<4>{});
  auto const open = integrate(this->exec, MCubes{.evaluations = 10'000}, Gaussian{}, Box<>(side, 4));
  EXPECT_NEAR(fixed.value, open.value, 1e-13);
  EXPECT_NEAR(fixed.error, open.error, 1e-13);
}

TYPED_TEST(InDouble, ExpressionsAreIntegrands) {
  auto const f = Expression::parse("exp(-x*y)");
  std::vector<Side> const side{{0, 1}};
  double const truth = 0.796599599297053134; // sum (-1)^k / (k! (k + 1)^2)
  expect_near(integrate(this->exec, MCubes{.evaluations = 100'000}, f, Box<>(side, 2)), truth, 0);
  expect_near(integrate(this->exec, MCubes{.evaluations = 100'000}, f, Box<2>{}), truth, 0);
  EXPECT_THROW(integrate(this->exec, MCubes{}, f, Box<3>{}), InvalidArgument);
}

struct Powers {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 3> operator()(Point<Real, D> const& x) const {
    return {x[0], x[0] * x[1], x[0] * x[0]};
  }
};

struct First {
  KOKKOS_FUNCTION double operator()(double x, double) const { return x; }
};

TYPED_TEST(InDouble, SeveralComponentsShareTheSamples) {
  auto const result = integrate(this->exec, MCubes{.evaluations = 50'000}, Powers{}, Box<2>{});
  double const truth[] = {1.0 / 2, 1.0 / 4, 1.0 / 3};
  for (int c = 0; c < 3; ++c) {
    EXPECT_GT(result.error[c], 0);
    EXPECT_NEAR(result.value[c], truth[c], 4.5 * result.error[c]);
    EXPECT_GT(result.q_value[c], 1e-5);
  }
  auto const alone = integrate(this->exec, MCubes{.evaluations = 50'000}, unpack(First{}), Box<2>{});
  auto const first = integrate(this->exec, MCubes{.evaluations = 50'000, .driver = Driver::first}, Powers{}, Box<2>{});
  EXPECT_EQ(alone.value, first.value[0]); // which trains the map
}

TYPED_TEST(InDouble, EveryComponentHasToMeetTheTolerance) {
  auto const result = integrate(this->exec, PlainMonteCarlo{.evaluations = 1000, .iterations = 10'000}, Powers{},
                                Box<2>{}, {.relative = 5e-3});
  EXPECT_EQ(result.status, Status::converged);
  for (int c = 0; c < 3; ++c)
    EXPECT_LE(result.error[c], 5e-3 * result.value[c]);
}

struct Constant {
  double value;
  template <int D>
  KOKKOS_FUNCTION double operator()(Point<double, D> const&) const {
    return value;
  }
};

// The map's edges drift by roundings, about bins * iterations * epsilon = 2e-12 of an interval.
TYPED_TEST(InDouble, ConstantsAreExact) {
  for (double c : {0.0, 1.0, -3.5, 1e-200, 1e150}) {
    auto const result = integrate(this->exec, MCubes{.evaluations = 10'000}, Constant{c}, Box<3>(0.0, 2.0));
    EXPECT_NEAR(result.value, 8 * c, 1e-11 * std::abs(c));
    EXPECT_NEAR(result.error, 0, 1e-11 * std::abs(c));
    auto const plain = integrate(this->exec, PlainMonteCarlo{.evaluations = 10'000}, Constant{c}, Box<3>(0.0, 2.0));
    EXPECT_NEAR(plain.value, 8 * c, 1e-11 * std::abs(c));
    EXPECT_NEAR(plain.error, 0, 1e-11 * std::abs(c));
  }
}

TYPED_TEST(InDouble, TinyBudgets) {
  for (std::uint64_t n : {2u, 3u, 10u, 100u}) {
    auto const result = integrate(this->exec, MCubes{.evaluations = n}, suite::Linear<2>{}, Box<2>{});
    EXPECT_TRUE(std::isfinite(result.value)) << n;
    EXPECT_NEAR(result.value, 1, 1) << n;
    auto const plain = integrate(this->exec, PlainMonteCarlo{.evaluations = n}, suite::Linear<2>{}, Box<2>{});
    EXPECT_EQ(plain.evaluations, 10 * n);
    EXPECT_NEAR(plain.value, 1, 1) << n;
  }
}

// ---- stopping ------------------------------------------------------------------------------------------------

TYPED_TEST(InDouble, StopsWhenTheToleranceIsMet) {
  auto const relative = integrate(this->exec, MCubes{.evaluations = 100'000}, peak, Box<5>{}, {.relative = 1e-3});
  EXPECT_EQ(relative.status, Status::converged);
  EXPECT_LE(relative.error, 1e-3 * relative.value);
  EXPECT_LT(relative.iterations.size(), 20u);
  auto const at_once = integrate(this->exec, MCubes{.evaluations = 100'000}, peak, Box<5>{}, {.relative = 0.1});
  EXPECT_EQ(at_once.status, Status::converged) << at_once;
  // Four iterations count, the first of them being the first within a quarter of the tolerance. Which that is depends
  // on how many samples a backend records: the third or the fourth.
  auto const first = std::ranges::find_if(at_once.iterations, [](auto const& one) { return one.included; });
  EXPECT_EQ(at_once.iterations.end() - first, 4);
  EXPECT_GE(first - at_once.iterations.begin(), 1);
  EXPECT_LE(first - at_once.iterations.begin(), 4);
  for (auto one = at_once.iterations.begin(); one <= first; ++one)
    EXPECT_EQ(one->error <= 0.25 * 0.1 * one->value, one == first);
  auto const limited =
      integrate(this->exec, MCubes{.evaluations = 100'000}, peak, Box<5>{}, {.relative = 0.1}, {.iterations = 8});
  EXPECT_EQ(limited.status, Status::converged) << limited;
  auto const absolute = integrate(this->exec, PlainMonteCarlo{.evaluations = 10'000, .iterations = 1000},
                                  suite::Linear<2>{}, Box<2>{}, {.absolute = 1e-3});
  EXPECT_EQ(absolute.status, Status::converged);
  EXPECT_LE(absolute.error, 1e-3);
  // sigma^2 = 1/6: 166,667 samples are needed.
  EXPECT_GE(absolute.evaluations, 160'000u);
  EXPECT_LE(absolute.evaluations, 180'000u);
}

TYPED_TEST(InDouble, SaysWhichLimitEndedIt) {
  auto const run = [&](Tolerance tolerance, Limits limits, Callback callback = {}) {
    return integrate(this->exec, MCubes{.evaluations = 10'000}, suite::Linear<2>{}, Box<2>{}, tolerance, limits,
                     callback);
  };
  EXPECT_EQ(run({}, {}).status, Status::completed);
  EXPECT_EQ(run({.relative = 1e-12}, {}).status, Status::iteration_limit);

  auto const iterations = run({}, {.iterations = 7});
  EXPECT_EQ(iterations.status, Status::iteration_limit);
  EXPECT_EQ(iterations.iterations.size(), 7u);

  auto const evaluations = run({}, {.evaluations = 95'000});
  EXPECT_EQ(evaluations.status, Status::evaluation_limit);
  EXPECT_LE(evaluations.evaluations, 95'000u);
  EXPECT_GE(evaluations.evaluations, 85'000u);

  EXPECT_EQ(run({}, {.seconds = 1e-9}).status, Status::time_limit);

  auto const memory = run({}, {.bytes = 1000});
  EXPECT_EQ(memory.status, Status::memory_exhausted);
  EXPECT_TRUE(std::isnan(memory.value));
  EXPECT_EQ(memory.evaluations, 0u);
}

TYPED_TEST(InDouble, ABudgetBelowOneIterationIsKept) {
  auto const result = integrate(this->exec, MCubes{.skip = 0}, suite::Linear<2>{}, Box<2>{}, {}, {.evaluations = 5000});
  EXPECT_LE(result.evaluations, 5000u);
  EXPECT_GE(result.evaluations, 2000u);
  EXPECT_EQ(result.status, Status::evaluation_limit);
  EXPECT_NEAR(result.value, 1, 5 * result.error);
}

TYPED_TEST(InDouble, TheCallbackSeesEveryIterationAndCanStop) {
  int calls = 0;
  auto const result = integrate(this->exec, PlainMonteCarlo{.evaluations = 1000}, suite::Linear<2>{}, Box<2>{}, {}, {},
                                [&](Progress const& progress) {
                                  ++calls;
                                  EXPECT_EQ(progress.iteration, calls);
                                  EXPECT_EQ(progress.evaluations, 1000u * static_cast<unsigned>(calls));
                                  EXPECT_EQ(progress.method, "mc");
                                  EXPECT_NEAR(progress.value, 1, 5 * progress.error);
                                  return calls < 4;
                                });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(result.status, Status::stopped);
  EXPECT_EQ(result.iterations.size(), 4u);
}

TYPED_TEST(InDouble, RemarksTellWhereTheErrorIsNotToBeTrusted) {
  auto const missed = integrate(this->exec, MCubes{.evaluations = 20'000}, suite::FB<9>{}, Box<9>(-1.0, 1.0));
  ASSERT_FALSE(missed.remarks.empty()) << missed;
  EXPECT_NE(missed.remarks[0].find("disagree"), std::string::npos);
  auto const zero = integrate(this->exec, MCubes{.evaluations = 1000}, Constant{0}, Box<3>{});
  ASSERT_EQ(zero.remarks.size(), 1u) << zero;
  EXPECT_NE(zero.remarks[0].find("the same"), std::string::npos);
  EXPECT_TRUE(integrate(this->exec, MCubes{.evaluations = 1000}, suite::Linear<2>{}, Box<2>{}).remarks.empty());
}

// ---- repeating -----------------------------------------------------------------------------------------------

TYPED_TEST(InDouble, TheSameSeedGivesTheSameBits) {
  auto const run = [&](std::uint64_t seed) {
    return integrate(this->exec, MCubes{.evaluations = 100'000, .seed = seed}, peak, Box<5>{});
  };
  expect_same_bits(run(1), run(1));
  EXPECT_NE(run(1).value, run(2).value);
  EXPECT_NE(run(1).value, run(1ull << 32 | 1).value);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(Threads, TheirNumberDoesNotChangeABit) {
  Kokkos::OpenMP const one(1), three(3);
  if (one.concurrency() != 1 || three.concurrency() != 3)
    GTEST_SKIP() << "instances of this Kokkos share their threads; see the command line's test";
  for (std::uint64_t n : {1000u, 100'000u}) {
    MCubes const mcubes{.evaluations = n};
    PlainMonteCarlo const plain{.evaluations = n};
    expect_same_bits(integrate(three, mcubes, peak, Box<5>{}), integrate(one, mcubes, peak, Box<5>{}));
    expect_same_bits(integrate(three, plain, peak, Box<5>{}), integrate(one, plain, peak, Box<5>{}));
  }
}
#endif

TYPED_TEST(InDouble, AnIntegratorStartsWarmAndDrawsNewPoints) {
  Integrator integrator(this->exec, MCubes{.evaluations = 100'000});
  auto const first = integrator.integrate(peak, Box<5>{});
  auto const second = integrator.integrate(peak, Box<5>{});
  EXPECT_FALSE(first.iterations[0].included);
  EXPECT_TRUE(second.iterations[0].included);
  EXPECT_GT(first.iterations[0].error, 10 * second.iterations[0].error);
  EXPECT_NE(first.iterations[19].value, second.iterations[19].value);
  expect_near(second, 1.79132603674878596e-06, 0);
  expect_near(integrator.integrate(suite::Linear<2>{}, Box<2>{}), 1, 0); // another dimension starts afresh
}

// ---- an integrand that is not finite -------------------------------------------------------------------------

struct BadInACorner {
  double bad;
  template <int D>
  KOKKOS_FUNCTION double operator()(Point<double, D> const& x) const {
    return x[0] < 0.25 && x[1] < 0.25 ? bad : 1.0;
  }
};

TYPED_TEST(InDouble, NonFiniteValuesByPolicy) {
  for (double bad : {std::nan(""), infinity, -infinity}) {
    auto const run = [&](auto method, NonFinite policy) {
      method.non_finite = policy;
      return integrate(this->exec, method, BadInACorner{bad}, Box<2>{});
    };
    auto const check = [&](auto method) {
      auto const stopped = run(method, NonFinite::error);
      EXPECT_EQ(stopped.status, Status::non_finite);
      EXPECT_EQ(stopped.iterations.size(), 1u);
      EXPECT_GT(stopped.non_finite, 500u);
      EXPECT_TRUE(std::isnan(stopped.value));

      auto const discarded = run(method, NonFinite::discard);
      EXPECT_EQ(discarded.status, Status::completed);
      EXPECT_GT(discarded.non_finite, 5000u);
      EXPECT_NEAR(discarded.value, 15.0 / 16, 5 * discarded.error);

      EXPECT_FALSE(std::isfinite(run(method, NonFinite::propagate).value));
    };
    check(MCubes{.evaluations = 10'000});
    check(PlainMonteCarlo{.evaluations = 10'000});
  }
}

// ---- bad input -----------------------------------------------------------------------------------------------

TEST(BadInput, IsRefusedByNameAndValue) {
  suite::Linear<2> const f;
  Box<2> const box;
  expect_refused([&] { integrate(MCubes{.evaluations = 0}, f, box); }, "MCubes.evaluations", "0");
  expect_refused([&] { integrate(MCubes{.evaluations = 1}, f, box); }, "MCubes.evaluations", "1");
  expect_refused([&] { integrate(MCubes{.iterations = 0}, f, box); }, "MCubes.iterations", "0");
  expect_refused([&] { integrate(MCubes{.adapt = -1}, f, box); }, "MCubes.adapt", "-1");
  expect_refused([&] { integrate(MCubes{.skip = 20}, f, box); }, "MCubes.skip", "20");
  expect_refused([&] { integrate(MCubes{.bins = 0}, f, box); }, "MCubes.bins", "0");
  expect_refused([&] { integrate(MCubes{.alpha = -1}, f, box); }, "MCubes.alpha", "-1");
  expect_refused([&] { integrate(PlainMonteCarlo{.evaluations = 0}, f, box); }, "PlainMonteCarlo.evaluations", "0");
  expect_refused([&] { integrate(PlainMonteCarlo{.iterations = 0}, f, box); }, "PlainMonteCarlo.iterations", "0");
  expect_refused([&] { integrate(MCubes{}, f, box, {.relative = -1e-3}); }, "Tolerance.relative", "-0.001");
  expect_refused([&] { integrate(MCubes{}, f, box, {.absolute = NAN}); }, "Tolerance.absolute", "nan");
  expect_refused([&] { integrate(MCubes{}, f, box, {}, {.evaluations = 0}); }, "Limits.evaluations", "0");
  expect_refused([&] { integrate(MCubes{}, f, box, {}, {.iterations = 0}); }, "Limits.iterations", "0");
  expect_refused([&] { integrate(MCubes{}, f, box, {}, {.seconds = 0}); }, "Limits.seconds", "0");
  expect_refused([&] { integrate(MCubes{}, f, box, {}, {.bytes = 0}); }, "Limits.bytes", "0");
}

} // namespace
} // namespace integrate_test
