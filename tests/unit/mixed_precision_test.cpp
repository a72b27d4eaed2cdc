#include "refused.hpp"
#include "spaces.hpp"

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/genz.hpp>
#include <kubature/suite/mixed.hpp>

#include <cmath>
#include <cstring>

namespace mixed_precision_test {
namespace {

using namespace kubature;

constexpr auto b32 = Format::binary32, b64 = Format::binary64;
constexpr Strategy strategies[] = {Strategy::term, Strategy::region, Strategy::hybrid};

template <class Space>
class Mixed : public ::testing::Test {
protected:
  Space exec;
};
TYPED_TEST_SUITE(Mixed, spaces::All, spaces::Names);

TYPED_TEST(Mixed, IntegratesThePapersEquationsInEveryStrategy) {
  suite::for_each<suite::Mixed>([&](suite::Entry const& entry, auto const& f, auto const& box) {
    for (Strategy const strategy : strategies)
      for (double const relative : {0.0, 1e-3, 1e-9}) {
        auto const result = integrate(this->exec, MixedPrecision{.evaluations = 100'000, .strategy = strategy}, f, box,
                                      {.relative = relative});
        EXPECT_NEAR(result.value, entry.value, 3 * result.error) << entry.name << ' ' << relative << ' ' << result;
        EXPECT_GT(result.error, 0);
        EXPECT_EQ(result.method, "mixed");
        EXPECT_TRUE(result.precision.starts_with("adaptive: ")) << result.precision;
      }
  });
}

/// The integrals of the terms of eq. 12.
constexpr double term_values[] = {0,
                                  0.309986248988935,
                                  0.732093100000809,
                                  0.632120558828558,
                                  0.939922836748124,
                                  0.208761394544004,
                                  2.49999565974045e-08,
                                  -5.83328333333333e-11,
                                  0.00168533955531884,
                                  0.00372492885912682};

struct TermOfEq12 {
  int k;
  decltype(suite::mixed_eq12()) sum = suite::mixed_eq12();

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 8> const& x) const {
    return term_value(sum, k, x);
  }
};

TYPED_TEST(Mixed, IntegratesEachTermOfEq12) {
  for (int k = 0; k < 10; ++k) {
    Integrator integrator(this->exec, MixedPrecision{.evaluations = 100'000});
    auto const result = integrator.integrate(TermOfEq12{k}, Box<8>{}, {.relative = 1e-4});
    EXPECT_NEAR(result.value, term_values[k], 3 * result.error) << k + 1 << ' ' << result;
    bool const cancels = k == 0 || k == 6 || k == 7 || k == 9; // the first as an integral, the others point by point
    EXPECT_EQ(integrator.choices().at(0).format, cancels ? b64 : b32) << k + 1;
  }
}

TYPED_TEST(Mixed, GivesTheCancellingTermFp64AndSmoothOnesFp32) {
  Integrator integrator(this->exec, MixedPrecision{.evaluations = 10'000});
  auto const result = integrator.integrate(suite::mixed_eq12(), Box<8>{}, {.relative = 1e-5});
  EXPECT_EQ(result.precision, "adaptive: 9 of 10 terms fp32, 1 fp64");
  for (int k = 0; k < 10; ++k)
    EXPECT_EQ(integrator.choices().at(static_cast<std::size_t>(k)).format, k == 9 ? b64 : b32) << k;
}

TYPED_TEST(Mixed, UsesTheTolerance) {
  for (Strategy const strategy : strategies) {
    Integrator integrator(this->exec, MixedPrecision{.evaluations = 10'000, .iterations = 2, .strategy = strategy});
    auto const loose = integrator.integrate(suite::MixedEq9{}, Box<2>(1.0, 2.0), {.relative = 1e-2});
    EXPECT_EQ(loose.precision, "adaptive: fp32");
    for (Tolerance const tight : {Tolerance{.relative = 1e-12}, Tolerance{.absolute = 1e-12}}) {
      integrator.integrate(suite::MixedEq9{}, Box<2>(1.0, 2.0), tight);
      for (auto const& choice : integrator.choices())
        EXPECT_EQ(choice.format, choice.variance == 0 ? b32 : b64) << choice.name; // a term is 5
    }
  }
}

TYPED_TEST(Mixed, IsTheSameAsPlainMonteCarloInFp64) {
  auto const f = suite::mixed_eq12();
  auto const mixed = integrate(this->exec, MixedPrecision<Fp64>{.evaluations = 10'000, .lowest = fp64}, f, Box<8>{});
  auto const plain = integrate(this->exec, PlainMonteCarlo{.evaluations = 10'000}, f, Box<8>{});
  EXPECT_NEAR(mixed.value, plain.value, 1e-14);
  EXPECT_NEAR(mixed.error, plain.error, 1e-14);
  EXPECT_EQ(mixed.precision, "adaptive: fp64");
}

/// The same points in other formats: rounding changes the estimate by no more than was allowed.
TYPED_TEST(Mixed, RoundsNoMoreThanAllowed) {
  auto const f = suite::mixed_eq12();
  Tolerance const tolerance{.relative = 1e-5};
  auto const exact =
      integrate(this->exec, MixedPrecision<Fp64>{.evaluations = 100'000, .lowest = fp64}, f, Box<8>{}, tolerance);
  auto const mixed = integrate(this->exec, MixedPrecision{.evaluations = 100'000}, f, Box<8>{}, tolerance);
  EXPECT_NE(mixed.value, exact.value);
  EXPECT_NEAR(mixed.value, exact.value, 0.1 * 1e-5 * 2.83);
}

TYPED_TEST(Mixed, StratifiesInRegions) {
  suite::F5<5> const f;
  Integrator integrator(this->exec, MixedPrecision{.evaluations = 100'000, .strategy = Strategy::region});
  auto const result = integrator.integrate(f, Box<5>{});
  auto const plain = integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000}, f, Box<5>{});
  EXPECT_LT(result.error, 0.5 * plain.error);
  EXPECT_NEAR(result.value, 3.09363588982679e-04, 4 * result.error);

  auto const& regions = integrator.choices();
  EXPECT_EQ(regions.size(), 256u);
  double volume = 0;
  for (auto const& region : regions)
    volume += region.share;
  EXPECT_DOUBLE_EQ(volume, 1);
}

TYPED_TEST(Mixed, DealsOutFewSamplesAmongRegions) {
  for (std::uint64_t const evaluations : {2u, 3u, 10u, 100u, 1000u}) {
    Integrator integrator(this->exec, MixedPrecision{.evaluations = evaluations, .strategy = Strategy::hybrid});
    auto const result = integrator.integrate(suite::MixedEq10{}, Box<3>{});
    EXPECT_LE(integrator.choices().size(), 3 * std::max<std::size_t>(1, evaluations / 256)); // three terms in each
    for (auto const& iteration : result.iterations)
      EXPECT_LE(iteration.evaluations, evaluations);
    EXPECT_NEAR(result.value, 1, 6 * result.error) << evaluations;
  }
}

TYPED_TEST(Mixed, LeavesAConstantWhole) {
  Integrator integrator(this->exec, MixedPrecision{.evaluations = 1000, .strategy = Strategy::region});
  auto const result = integrator.integrate(Expression::parse("0*x + 2"), Box<dynamic>{{0, 3}});
  EXPECT_EQ(integrator.choices().size(), 1u);
  EXPECT_DOUBLE_EQ(result.value, 6);
  EXPECT_LE(result.error, 6 * std::numeric_limits<double>::epsilon()); // rounding, and no more
}

TYPED_TEST(Mixed, TakesExpressionsAndInfiniteSides) {
  auto const f = Expression::parse("exp(-x^2 - y^2) + 0.25*exp(-x^2 - y^2 - x*y/10)", {"x", "y"});
  double const truth = M_PI * (1 + 0.25 / std::sqrt(1 - 0.0025));
  Box<dynamic> const box{{-infinity, infinity}, {-infinity, infinity}};
  for (Strategy const strategy : strategies) {
    auto const result =
        integrate(this->exec, MixedPrecision{.evaluations = 100'000, .strategy = strategy}, f, box, {.relative = 1e-3});
    EXPECT_NEAR(result.value, truth, 4 * result.error) << result;
    EXPECT_EQ(result.precision, "adaptive: fp32");
  }
}

template <class Value>
void expect_same_bits(Result<Value> const& a, Result<Value> const& b) {
  EXPECT_EQ(0, std::memcmp(&a.value, &b.value, sizeof a.value)) << a << '\n' << b;
  EXPECT_EQ(0, std::memcmp(&a.error, &b.error, sizeof a.error)) << a << '\n' << b;
  EXPECT_EQ(a.precision, b.precision);
}

/// The terms of a formula that have the same format are one program.
TYPED_TEST(Mixed, EvaluatesTermsOfAFormulaInTheirFormats) {
  auto const f = Expression::parse("let r = 1e-5*(x + y); cos(r) + exp(x*y)*sin(z) + sqrt(1 + x^2*y^2)*exp(x*y) + "
                                   "log(1 + x + y*z)*sin(x + z) + (exp(8*z) - exp(8*z - r))");
  Tolerance const tolerance{.relative = 1e-5};
  auto const exact = integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000}, f, Box<3>{}, tolerance);
  for (Strategy const strategy : {Strategy::term, Strategy::hybrid}) {
    Integrator integrator(this->exec, MixedPrecision{.evaluations = 100'000, .strategy = strategy});
    auto const mixed = integrator.integrate(f, Box<3>{}, tolerance);
    if (strategy == Strategy::term) {
      EXPECT_EQ(mixed.precision, "adaptive: 4 of 5 terms fp32, 1 fp64");
      EXPECT_NE(mixed.value, exact.value);
      EXPECT_NEAR(mixed.value, exact.value, 0.1 * 1e-5 * exact.value);
    } else {
      EXPECT_NEAR(mixed.value, exact.value, 5 * exact.error);
    }
    expect_same_bits(mixed, integrate(this->exec, MixedPrecision{.evaluations = 100'000, .strategy = strategy}, f,
                                      Box<3>{}, tolerance));
  }
}

TYPED_TEST(Mixed, RepeatsToTheBit) {
  for (Strategy const strategy : strategies) {
    auto const run = [&](std::uint64_t seed) {
      return integrate(this->exec, MixedPrecision{.evaluations = 50'000, .strategy = strategy, .seed = seed},
                       suite::mixed_eq12(), Box<8>{}, {.relative = 1e-5}, {.iterations = 3});
    };
    expect_same_bits(run(1), run(1));
    EXPECT_NE(run(1).value, run(2).value);
  }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST(MixedThreads, TheirNumberDoesNotChangeABit) {
  Kokkos::OpenMP const one(1), three(3);
  if (one.concurrency() != 1 || three.concurrency() != 3)
    GTEST_SKIP() << "instances of this Kokkos share their threads; see the command line's test";
  for (Strategy const strategy : strategies) {
    MixedPrecision const mixed{.evaluations = 50'000, .strategy = strategy};
    expect_same_bits(integrate(three, mixed, suite::mixed_eq12(), Box<8>{}, {.relative = 1e-5}),
                     integrate(one, mixed, suite::mixed_eq12(), Box<8>{}, {.relative = 1e-5}));
  }
}
#endif

struct BadInACorner {
  double bad;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] < Real(0.25) && x[1] < Real(0.25) ? Real(bad) : Real(1);
  }
};

TYPED_TEST(Mixed, TreatsNonFiniteValuesByPolicy) {
  for (double const bad : {std::nan(""), infinity, -infinity})
    for (Strategy const strategy : strategies)
      for (double const relative : {0.0, 1e-12}) { // fp32 and fp64
        auto const run = [&](NonFinite policy) {
          MixedPrecision const mixed{.evaluations = 10'000, .strategy = strategy, .non_finite = policy};
          return integrate(this->exec, mixed, BadInACorner{bad}, Box<2>{}, {.relative = relative});
        };
        auto const stopped = run(NonFinite::error);
        EXPECT_EQ(stopped.status, Status::non_finite);
        EXPECT_EQ(stopped.iterations.size(), 1u);
        EXPECT_GT(stopped.non_finite, 0u);
        EXPECT_TRUE(std::isnan(stopped.value));

        auto const discarded = run(NonFinite::discard);
        EXPECT_GT(discarded.non_finite, 0u);
        EXPECT_NEAR(discarded.value, 15.0 / 16, 5 * discarded.error + 1e-12);

        EXPECT_FALSE(std::isfinite(run(NonFinite::propagate).value));
      }
}

TYPED_TEST(Mixed, KeepsLimits) {
  auto const f = suite::MixedEq10{};
  MixedPrecision const mixed{.evaluations = 10'000};
  auto const short_of_memory = integrate(this->exec, mixed, f, Box<3>{}, {}, {.bytes = 16});
  EXPECT_EQ(short_of_memory.status, Status::memory_exhausted);
  auto const one = integrate(this->exec, mixed, f, Box<3>{}, {}, {.iterations = 1});
  EXPECT_EQ(one.iterations.size(), 1u);
  auto const few = integrate(this->exec, mixed, f, Box<3>{}, {}, {.evaluations = 5000});
  EXPECT_LE(few.evaluations, 5000u);
  EXPECT_EQ(few.iterations.size(), 1u);
  auto const too_few = integrate(this->exec, mixed, f, Box<3>{}, {.relative = 1e-2}, {.evaluations = 500});
  EXPECT_LE(too_few.evaluations, 500u);
  EXPECT_EQ(too_few.iterations.size(), 1u);
  EXPECT_EQ(too_few.precision, "adaptive: fp64"); // none to spare for probing
}

TEST(MixedInput, IsRefusedByNameAndValue) {
  suite::MixedEq10 const f;
  Box<3> const box;
  expect_refused([&] { integrate(MixedPrecision{.evaluations = 1}, f, box); }, "MixedPrecision.evaluations", "1");
  expect_refused([&] { integrate(MixedPrecision{.iterations = 0}, f, box); }, "MixedPrecision.iterations", "0");
  expect_refused([&] { integrate(MixedPrecision{.rounding = 0}, f, box); }, "MixedPrecision.rounding", "0");
  expect_refused([&] { integrate(MixedPrecision{.regions = 0}, f, box); }, "MixedPrecision.regions", "0");
  expect_refused([&] { integrate(MixedPrecision{.points = 1}, f, box); }, "MixedPrecision.points", "1");
}

// ---- the policy adaptive -------------------------------------------------------------------------------------

} // namespace
} // namespace mixed_precision_test
