#include "refused.hpp"
#include "spaces.hpp"
#include "temporary.hpp"

#include <kubature/box.hpp>
#include <kubature/channel_maps.hpp>
#include <kubature/channel_use.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

/// Methods by channels: about peaks that a search finds or the caller knows, and about those of the caller.
namespace by_channels_test {
namespace {

using namespace kubature;

template <class Space>
class ByChannels : public ::testing::Test {};
TYPED_TEST_SUITE(ByChannels, spaces::All);

bool mentions(CallRecord const& result, std::string const& words) {
  return std::ranges::any_of(result.remarks, [&](auto const& remark) { return remark.find(words) != remark.npos; });
}

template <class Value>
void expect_near(Result<Value> const& result, double integral, double errors) {
  EXPECT_NEAR(result.value, integral, errors * result.error) << result;
  EXPECT_LT(result.error, 0.01 * integral) << result;
}

/// Without channels all of these miss a peak and say that they have converged.
TYPED_TEST(ByChannels, EveryMethodFindsWhatItHasMissed) {
  auto const f = suite::random_gaussians<4>(20000); // two narrow peaks
  double const integral = f.integral();
  auto const by = [&]<class M>(M method, double errors) {
    method.channels = Channels::never;
    Tolerance const tolerance{.relative = 3e-3};
    auto const alone = integrate(TypeParam(), method, f, Box<4>{}, tolerance);
    method.channels = Channels::automatic;
    auto const result = integrate(TypeParam(), method, f, Box<4>{}, tolerance);
    if (alone.status == Status::converged && std::abs(alone.value - integral) > 0.05 * integral) {
      EXPECT_TRUE(mentions(result, "one by one")) << result;
      EXPECT_EQ(result.status, Status::converged) << result;
      expect_near(result, integral, errors);
    }
    method.channels = Channels::always;
    auto const first = integrate(TypeParam(), method, f, Box<4>{}, tolerance);
    EXPECT_EQ(first.status, Status::converged) << first;
    expect_near(first, integral, errors);
  };
  by(VegasPlus{.evaluations = 100'000}, 4);
  by(MCubes{.evaluations = 100'000}, 4);
  by(QuasiMonteCarlo{.evaluations = 1 << 16}, 5);
  by(Pagani{}, 2);
  by(MixedPrecision<Fp32>{.evaluations = 200'000, .strategy = Strategy::region}, 4);
}

/// A limit on evaluations holds for the search and all parts together.
TYPED_TEST(ByChannels, StayWithinLimits) {
  auto const f = suite::random_gaussians<4>(20001);
  for (std::uint64_t const most : {1'000u, 20'000u, 300'000u, 2'000'000u}) {
    VegasPlus const method{.evaluations = 20'000, .channels = Channels::always};
    for (double const relative : {0.0, 1e-3}) {
      auto const result = integrate(TypeParam(), method, f, Box<4>{}, {.relative = relative}, {.evaluations = most});
      EXPECT_LE(result.evaluations, most);
    }
    Pagani const cubature{.known = {0.5, 0.5, 0.5, 0.5}};
    EXPECT_LE(integrate(TypeParam(), cubature, f, Box<4>{}, {}, {.evaluations = most}).evaluations, most);
  }
}

/// A thin ring, whose parts do not meet a tolerance within the limit.
struct Ring {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    Real const off = Kokkos::hypot(x[0], x[1]) - Real(0.3);
    return Kokkos::exp(-5000 * off * off);
  }
  static double integral() { return 0.6 * std::pow(std::numbers::pi, 1.5) / std::sqrt(5000); } // to 1e-300
};

/// What the parts' first calls found counts where the limit leaves nothing for others.
TYPED_TEST(ByChannels, HaveAnEstimateWhereALimitEndsThem) {
  VegasPlus const method{.channels = Channels::always};
  for (std::uint64_t const most : {500'000u, 2'000'000u}) {
    auto const result =
        integrate(TypeParam(), method, Ring{}, Box<2>{-1, 1}, {.relative = 1e-9}, {.evaluations = most});
    EXPECT_EQ(result.status, Status::evaluation_limit) << result;
    EXPECT_NEAR(result.value, Ring::integral(), 0.05 * Ring::integral()) << result;
  }
}

/// Ten variables with correlations of 0.9, which no map along the axes fits.
struct Correlated {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 10> const& x) const {
    Real sum = 0, squares = 0;
    for (int i = 0; i < 10; ++i) {
      Real const z = (x[i] - Real(0.5)) / Real(0.05);
      sum += z;
      squares += z * z;
    }
    return Kokkos::exp(-(squares - Real(0.9 / 9.1) * sum * sum) / Real(0.2));
  }
  static double integral() { return std::pow(2 * std::numbers::pi * 0.0025, 5) * std::sqrt(std::pow(0.1, 9) * 9.1); }
};

TYPED_TEST(ByChannels, VegasPlusIntegratesACorrelatedPeak) {
  auto const result = integrate(TypeParam(), VegasPlus{.evaluations = 200'000, .channels = Channels::always},
                                Correlated(), Box<10>{}, {.relative = 1e-3}, {.evaluations = 20'000'000});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_NEAR(result.value / Correlated::integral(), 1, 4e-3) << result;
}

/// Without a tolerance the method does all its work, divided among the channels.
TYPED_TEST(ByChannels, DivideTheWorkOfACallWithoutTolerance) {
  auto const f = suite::random_gaussians<4>(20001);
  VegasPlus const method{.evaluations = 50'000, .channels = Channels::always};
  auto const result = integrate(TypeParam(), method, f, Box<4>{});
  EXPECT_EQ(result.status, Status::completed) << result;
  expect_near(result, f.integral(), 4);
  EXPECT_GT(result.dof, 20);
  EXPECT_GT(result.q_value, 1e-6) << result;
  double const of_method = 50'000 * 20, search = detail::on_device_of_its_own<TypeParam> ? 16 * 1.2e6 : 1.2e6;
  EXPECT_GT(static_cast<double>(result.evaluations), of_method);
  EXPECT_LT(static_cast<double>(result.evaluations), 1.3 * of_method + 2 * search);
}

/// Of a peak that no search would find.
struct Needle {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 6> const& x) const {
    Real const at[] = {Real(0.1), Real(0.2), Real(0.3), Real(0.4), Real(0.5), Real(0.6)};
    Real square = 0;
    for (int i = 0; i < 6; ++i)
      square += (x[i] - at[i]) * (x[i] - at[i]);
    return Kokkos::exp(-square * Real(0.5e8)) + Real(1e-26);
  }
  static double integral() { return std::pow(2 * std::numbers::pi * 1e-8, 3) + 1e-26; }
};

TYPED_TEST(ByChannels, UsePeaksThatAreKnown) {
  std::vector<double> const known{0.1001, 0.2, 0.3, 0.4, 0.5, 0.6001};
  for (auto const& [tolerance, errors] : {std::pair{1e-3, 4.0}, {1e-2, 4.0}}) {
    auto const by = [&](auto const& method) {
      auto const result = integrate(TypeParam(), method, Needle(), Box<6>{}, {.relative = tolerance});
      EXPECT_EQ(result.status, Status::converged) << result;
      EXPECT_NEAR(result.value, Needle::integral(), errors * result.error) << result;
    };
    by(VegasPlus{.evaluations = 20'000, .known = known});
    by(Auto{.known = known});
  }
}

TYPED_TEST(ByChannels, RefuseOnesOutsideTheBox) {
  auto const with = [](std::vector<double> const& known) {
    integrate(TypeParam(), VegasPlus{.evaluations = 1000, .known = known}, Needle(), Box<6>{});
  };
  EXPECT_NO_THROW(with({0.1, 0.2, 0.3, 0.4, 0.5, 0.6}));
  expect_refused([&] { with({0.1, 0.2}); }, "known", "2 numbers");
  expect_refused([&] { with({0.1, 0.2, 0.3, 0.4, 0.5, 1.5}); }, "known", "1.5");
}

/// Where nothing is narrow the method integrates by itself, and says so.
struct Wide {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    return 1 + x[0] * x[1] * x[2];
  }
};
TYPED_TEST(ByChannels, AreNotMadOfWideIntegrands) {
  auto const result = integrate(TypeParam(), VegasPlus{.channels = Channels::always}, Wide(), Box<3>{});
  EXPECT_EQ(result.status, Status::completed);
  EXPECT_NEAR(result.value, 1.125, 5 * result.error);
  EXPECT_TRUE(mentions(result, "no narrow peak")) << result;
}

/// Several components have the same channels, and the correlations of their errors.
struct Two {
  suite::Gaussians<3> f = suite::random_gaussians<3>(15000);
  template <class Real>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, 3> const& x) const {
    Real const y = f(x);
    return {y, y * (1 + x[0])};
  }
};
TYPED_TEST(ByChannels, IntegrateSeveralComponents) {
  Two const f;
  VegasPlus const method{.evaluations = 50'000, .covariance = Covariance::full, .channels = Channels::always};
  auto const result = integrate(TypeParam(), method, f, Box<3>{}, {.relative = 1e-3});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_NEAR(result.value[0], f.f.integral(), 4 * result.error[0]);
  EXPECT_GT(result.correlation(0, 1), 0.5);
  EXPECT_LT(result.ratio(1, 0).error, result.error[1] / result.value[0]);
}

/// What the background has of a narrow peak is nothing: that its iterations disagree says nothing of the sum.
struct InAWideBox {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    Real const u = x[0] - 3, v = x[1] - Real(0.2);
    return Kokkos::exp(Real(-5e5) * (u * u + v * v));
  }
};
TYPED_TEST(ByChannels, DoNotAskWhetherNothingAgrees) {
  Box<2> const box{{0, 10}, {-1, 1}};
  for (double const relative : {1e-3, 0.0}) {
    auto const result = integrate(TypeParam(), VegasPlus{.evaluations = 100'000, .channels = Channels::always},
                                  InAWideBox(), box, {.relative = relative});
    EXPECT_EQ(result.status, relative > 0 ? Status::converged : Status::completed) << result;
    EXPECT_NEAR(result.value, std::numbers::pi / 5e5, 5 * result.error) << result;
    EXPECT_LT(result.chi2_per_dof, 4) << result;
  }
}

/// A second call goes on from the maps of the first, with other random numbers.
TYPED_TEST(ByChannels, KeepTheirMaps) {
  auto const f = suite::random_gaussians<4>(20002);
  TypeParam const exec;
  Integrator integrator(exec, VegasPlus{.evaluations = 50'000, .channels = Channels::always});
  auto const first = integrator.integrate(f, Box<4>{}), second = integrator.integrate(f, Box<4>{});
  expect_near(first, f.integral(), 4);
  expect_near(second, f.integral(), 4);
  EXPECT_NE(first.value, second.value);
  EXPECT_LT(second.error, 1.2 * first.error);
}

/// A call that ends early resumes from the checkpoints of its parts.
TYPED_TEST(ByChannels, LeaveCheckpoints) {
  auto const f = suite::random_gaussians<3>(15001);
  TemporaryFolder const folder;
  auto const integrate_with = [&](Checkpoint const& checkpoint, int stop_at) {
    VegasPlus const method{.evaluations = 50'000, .checkpoint = checkpoint, .channels = Channels::always};
    int seen = 0;
    return integrate(TypeParam(), method, f, Box<3>{}, {}, {}, [&](Progress const&) { return ++seen != stop_at; });
  };
  auto const whole = integrate_with({}, -1);
  Checkpoint const checkpoint{.file = folder.path("vegas"), .seconds = 0};
  auto const stopped = integrate_with(checkpoint, 60);
  EXPECT_EQ(stopped.status, Status::stopped);
  auto const resumed = integrate_with(checkpoint, -1);
  EXPECT_EQ(resumed.value, whole.value);
  EXPECT_EQ(resumed.error, whole.error);
}

/// Two Breit-Wigner resonances over a flat background, with the maps that flatten them.
struct Resonances {
  static constexpr int variables = 2, coordinates = 2;
  Kokkos::Array<double, 2> mass{0.3, 0.7}, width{0.001, 0.01};

  KOKKOS_FUNCTION double angle(int k, double x) const { return Kokkos::atan((x - mass[k]) / width[k]); }
  KOKKOS_FUNCTION double area(int k) const { return width[k] * (angle(k, 1) - angle(k, 0)); }
  int channels() const { return 3; }
  template <class Real>
  KOKKOS_FUNCTION void place(int k, Real const* u, Real* x) const {
    x[0] = k == 2 ? u[0] : static_cast<Real>(mass[k] + width[k] * Kokkos::tan(angle(k, 0) + u[0] * area(k) / width[k]));
    x[1] = u[1];
  }
  template <class Real>
  KOKKOS_FUNCTION Real density(int k, Real const* x) const {
    return k == 2 ? Real(1) : resonance(k, x[0]) / static_cast<Real>(area(k));
  }
  template <class Real>
  KOKKOS_FUNCTION Real resonance(int k, Real x) const {
    Real const z = (x - static_cast<Real>(mass[k])) / static_cast<Real>(width[k]);
    return 1 / (1 + z * z);
  }
  double integral() const { return 1.5 * (area(0) + area(1)) + 0.01; }
};
struct OfResonances {
  Resonances of;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return (of.resonance(0, x[0]) + of.resonance(1, x[0])) * (1 + x[1]) + Real(0.01);
  }
};

TYPED_TEST(ByChannels, MayBeThoseOfTheCaller) {
  Resonances const channels;
  OfResonances const f{channels};
  auto const by = [&](auto const& method, double errors) {
    auto const result = integrate(TypeParam(), method, f, channels, {.relative = 1e-4});
    EXPECT_EQ(result.status, Status::converged) << result;
    EXPECT_NEAR(result.value, channels.integral(), errors * result.error) << result;
    EXPECT_LE(result.error, 1e-4 * channels.integral());
  };
  by(VegasPlus{.evaluations = 20'000}, 4);
  by(QuasiMonteCarlo{.evaluations = 1 << 14}, 5);
  by(Auto{}, 5);
  by(VegasPlus<Fp32>{.evaluations = 20'000}, 4);
  auto const all = integrate(TypeParam(), PlainMonteCarlo{.evaluations = 100'000}, f, channels);
  EXPECT_EQ(all.status, Status::completed);
  expect_near(all, channels.integral(), 4);
}

struct NoChannels : Resonances {
  int channels() const { return 0; }
};
TYPED_TEST(ByChannels, AreAtLeastOne) {
  expect_refused([] { integrate(TypeParam(), VegasPlus{}, OfResonances{}, NoChannels{}); }, "channels", "0");
}

/// There are channels in double precision only.
TEST(ChannelOptions, AreRefusedInOtherPrecisions) {
  expect_refused([] { integrate(VegasPlus<Fp32>{.channels = Channels::always}, Wide(), Box<3>{}); }, "channels",
                 "always");
}

} // namespace
} // namespace by_channels_test
