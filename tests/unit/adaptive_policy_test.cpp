#include "spaces.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/genz.hpp>

namespace adaptive_policy_test {
namespace {

using namespace kubature;

constexpr auto b32 = Format::binary32, b64 = Format::binary64;

template <class Space>
class AdaptivePolicy : public ::testing::Test {
protected:
  Space exec;

  template <class Method>
  void check(Method const& method) {
    suite::F3<3> const f;
    double const truth = 0.010846560846560847;
    Integrator integrator(exec, method);
    auto const loose = integrator.integrate(f, Box<3>{}, {.relative = 1e-2}, {.evaluations = 2'000'000});
    EXPECT_EQ(loose.precision, "adaptive: fp32") << loose.method;
    EXPECT_EQ(loose.status, Status::converged) << loose;
    EXPECT_NEAR(loose.value, truth, 5 * loose.error) << loose;
    EXPECT_EQ(integrator.choices().at(0).format, b32);
    auto const tight = integrator.integrate(f, Box<3>{}, {.relative = 1e-12}, {.evaluations = 2'000'000});
    EXPECT_EQ(tight.precision, "adaptive: fp64") << tight.method;
    EXPECT_NEAR(tight.value, truth, 5 * tight.error + 1e-15) << tight;
    EXPECT_LE(tight.evaluations, 2'000'000u);
    EXPECT_EQ(integrator.choices().at(0).format, b64);
  }
};
TYPED_TEST_SUITE(AdaptivePolicy, spaces::All, spaces::Names);

TYPED_TEST(AdaptivePolicy, ChoosesByTheToleranceInEveryMethod) {
  this->check(PlainMonteCarlo<Adaptive>{.evaluations = 100'000, .precision = adaptive});
  this->check(MCubes<Adaptive>{.evaluations = 100'000, .precision = adaptive});
  this->check(VegasPlus<Adaptive>{.evaluations = 100'000, .precision = adaptive});
  this->check(Pagani<Adaptive>{.precision = adaptive});
  this->check(kubature::TwoPhase<Adaptive>{.regions = 64, .precision = adaptive});
}

TYPED_TEST(AdaptivePolicy, IsTheFixedPolicyOnceChosen) {
  suite::F3<3> const f;
  auto const run = [&](auto precision) {
    return integrate(this->exec,
                     VegasPlus{.evaluations = 10'000, .iterations = 8, .beta = 0.5, .seed = 3, .precision = precision},
                     f, Box<3>{}, {.absolute = 1e-5});
  };
  EXPECT_EQ(run(adaptive).value, run(fp32).value);
  EXPECT_NE(run(adaptive).value, run(fp64).value);
}

TYPED_TEST(AdaptivePolicy, KeepsPeaksThatFewPointsMissInFp64) {
  auto const result = integrate(this->exec, MCubes<Adaptive>{.evaluations = 100'000, .precision = adaptive},
                                suite::F4<5>{}, Box<5>{}, {.relative = 1e-3});
  EXPECT_EQ(result.precision, "adaptive: fp64");
}

TYPED_TEST(AdaptivePolicy, PassesMapsOn) {
  suite::F4<5> const f;
  Integrator first(this->exec, MCubes<Adaptive>{.evaluations = 100'000, .precision = adaptive});
  first.integrate(f, Box<5>{});
  Integrator second(this->exec, MCubes<Adaptive>{.evaluations = 100'000, .precision = adaptive});
  second.use(first.map());
  auto const warm = second.integrate(f, Box<5>{});
  EXPECT_TRUE(warm.iterations[0].included);
  EXPECT_NEAR(warm.value, 1.79132603674878596e-06, 4.5 * warm.error);
}

/// cos(x), and a difference that fp32 loses.
struct SmoothAndCancelling {
  template <class Real>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, 2> const& x) const {
    return {Kokkos::cos(x[0] * x[1]), Kokkos::exp(Real(8) * x[0]) - Kokkos::exp(Real(8) * x[0] - Real(1e-5))};
  }
};

TYPED_TEST(AdaptivePolicy, ServesEveryComponent) {
  Integrator integrator(this->exec, PlainMonteCarlo<Adaptive>{.evaluations = 10'000, .precision = adaptive});
  auto const result = integrator.integrate(SmoothAndCancelling{}, Box<2>{}, {.relative = 1e-3});
  EXPECT_EQ(result.precision, "adaptive: fp64");
  ASSERT_EQ(integrator.choices().size(), 2u);
  EXPECT_LT(integrator.choices()[0].observed[1], 1e-7);
  EXPECT_GT(integrator.choices()[1].observed[1], 1e-6);
}

} // namespace
} // namespace adaptive_policy_test
