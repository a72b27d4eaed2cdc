#include "spaces.hpp"

#include <kubature/box.hpp>
#include <kubature/detail/channel.hpp>
#include <kubature/detail/peaks/channels.hpp>
#include <kubature/integrate.hpp>
#include <kubature/peaks.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// Parts of an integral about its peaks, and the second look of Auto.
namespace channels_test {
namespace {

using namespace kubature;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The distribution of Student's t with four degrees of freedom.
double student(double y) {
  double const s = std::isinf(y) ? std::copysign(1.0, y) : y / std::sqrt(4 + y * y);
  return y < 0 ? (1 + s) * (1 + s) * (2 - s) / 4 : 1 - (1 - s) * (1 - s) * (2 + s) / 4;
}

TEST(PlaceBetween, IsTheQuantileOfStudentsDistribution) {
  for (auto const& [a, b] : {std::pair{-infinite, infinite}, {-3., 2.}, {1., 5.}, {-9., -7.}, {-infinite, -1.}})
    for (double const u : {1e-6, 0.1, 0.3, 0.5, 0.7, 0.999}) {
      auto const [at, slope] = detail::Student4Between(a, b).quantile(u);
      EXPECT_GE(at, a);
      EXPECT_LE(at, b);
      double const share = (student(at) - student(a)) / (student(b) - student(a));
      EXPECT_NEAR(share / u, 1, 1e-8) << a << ' ' << b << ' ' << u;
      double const h = 1e-5 * std::min(u, 1 - u);
      double const difference =
          detail::Student4Between(a, b).quantile(u + h).at - detail::Student4Between(a, b).quantile(u - h).at;
      EXPECT_NEAR(slope * 2 * h / difference, 1, 1e-5) << a << ' ' << b << ' ' << u;
    }
}

TEST(PlaceBetween, KeepsItsPrecisionFarOut) {
  for (double const a : {1e3, 1e6}) {
    auto const [at, slope] = detail::Student4Between(a, 2 * a).quantile(0.5);
    // The density falls like y^-5, so the median between a and 2 a is a (2 / (1 + 2^-4))^(1/4).
    EXPECT_NEAR(at / (a * std::pow(2 / (1 + 0x1p-4), 0.25)), 1, 1e-5);
    auto const mirrored = detail::Student4Between(-2 * a, -a).quantile(0.5);
    EXPECT_DOUBLE_EQ(mirrored.at, -at);
    EXPECT_DOUBLE_EQ(mirrored.slope, slope);
  }
}

/// A narrow, correlated Gaussian and a wide one; the integral over the plane is 3.
struct TwoPeaks {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    Real const u = (x[0] - 1) / Real(0.01), v = (x[1] + 3) / Real(0.02);
    Real const narrow = Kokkos::exp(-(u * u - Real(1.6) * u * v + v * v) / Real(0.72)) /
                        (Real(2e-4) * Real(0.6) * 2 * Kokkos::numbers::pi_v<Real>);
    Real const wide = Kokkos::exp(-(x[0] * x[0] + x[1] * x[1]) / 2) / (2 * Kokkos::numbers::pi_v<Real>);
    return 2 * narrow + wide;
  }
};

template <class Space>
class Channels : public ::testing::Test {};
TYPED_TEST_SUITE(Channels, spaces::All);

TYPED_TEST(Channels, AddUpToTheIntegral) {
  TypeParam const exec;
  std::vector<Peak> const peaks{{{1, -3}, 8.5, {1e-4, 1.6e-4, 1.6e-4, 4e-4}}, {{0, 0}, -1.8, {1, 0, 0, 1}}};
  detail::PeakChannels<TypeParam> channels;
  for (Box<2> const& box : {Box<2>{{-8, 8}, {-8, 8}}, Box<2>{{-infinite, infinite}, {-8, infinite}}}) {
    auto const numbers = detail::channel_numbers(peaks, Box<dynamic_many>(box), 1e-6);
    channels.set(exec, numbers);
    double pagani = 0, qmc = 0, vegas = 0;
    for (int which = 0; which <= 2; ++which) {
      auto const part = box.through(channels[which]);
      Tolerance const tolerance{.absolute = 1e-5};
      pagani += integrate(exec, Pagani{}, TwoPeaks(), part, tolerance, {.evaluations = 3'000'000}).value;
      qmc += integrate(exec, QuasiMonteCarlo{.evaluations = 1 << 16}, TwoPeaks(), part, {}, {.evaluations = 1 << 18})
                 .value;
      vegas += integrate(exec, VegasPlus{.evaluations = 100'000}, TwoPeaks(), part).value;
    }
    EXPECT_NEAR(pagani, 3, 1e-4);
    EXPECT_NEAR(qmc, 3, 1e-3);
    EXPECT_NEAR(vegas, 3, 5e-3);
  }
}

TYPED_TEST(Channels, HaveNoFactorOfAFlatCovariance) {
  std::vector<Peak> const flat{{{0.5, 0.5}, 0, {1, 1, 1, 1}}};
  EXPECT_TRUE(detail::channel_numbers(flat, Box<dynamic_many>(Box<2>{}), 1e-6).empty());
}

template <class Space>
class SecondLook : public ::testing::Test {};
TYPED_TEST_SUITE(SecondLook, spaces::All);

template <int D, class Space>
void expect_right(Space const& exec, std::uint64_t seed, int& looked) {
  auto const f = suite::random_gaussians<D>(seed);
  auto const result = integrate(exec, Auto{}, f, Box<D>{}, {.relative = 1e-3});
  EXPECT_EQ(result.status, Status::converged) << D << ' ' << seed << ' ' << result;
  EXPECT_NEAR(result.value / f.integral(), 1, 3e-3) << D << ' ' << seed << ' ' << result;
  for (auto const& remark : result.remarks)
    looked += remark.find("integrated one by one") != remark.npos;
}

/// Most of these are wrong without a second look.
TYPED_TEST(SecondLook, FindsPeaksThatWereMissed) {
  int looked = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    expect_right<3>(TypeParam(), 15000 + seed, looked);
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    expect_right<4>(TypeParam(), 20000 + seed, looked);
  EXPECT_GE(looked, detail::on_device_of_its_own<TypeParam> ? 1 : 4); // on a GPU the first result is right more often
}

struct Smooth {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& x) const {
    return Kokkos::cos(x[0] + x[1] * x[2]);
  }
};

/// A smooth integrand gets no remark, and few further evaluations.
TYPED_TEST(SecondLook, LeavesSmoothOnesAlone) {
  auto const result = integrate(TypeParam(), Auto{}, Smooth(), Box<3>{}, {.relative = 1e-10});
  EXPECT_EQ(result.status, Status::converged);
  for (auto const& remark : result.remarks)
    EXPECT_EQ(remark.find("narrow"), remark.npos) << remark;
}

/// A limit on evaluations holds for the second look, too.
TYPED_TEST(SecondLook, StaysWithinLimits) {
  auto const f = suite::random_gaussians<4>(20001);
  for (std::uint64_t const most : {5'000u, 40'000u, 300'000u, 1'000'000u}) {
    auto const result = integrate(TypeParam(), Auto{}, f, Box<4>{}, {.relative = 1e-3}, {.evaluations = most});
    EXPECT_LE(result.evaluations, most);
  }
}

/// What is left for samples may be less than nothing once an audit is paid for.
TYPED_TEST(SecondLook, SmallLimitsDoNotOverflow) {
  auto const f = suite::random_gaussians<4>(20001);
  for (std::uint64_t most = 7160; most < 7200; most += 3) {
    auto const result =
        integrate(TypeParam(), VegasPlus{.evaluations = 1024}, f, Box<4>{}, {.relative = 1e-3}, {.evaluations = most});
    EXPECT_LE(result.evaluations, most);
  }
}

} // namespace
} // namespace channels_test
