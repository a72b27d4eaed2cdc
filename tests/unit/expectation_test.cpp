#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace expectation_test {
namespace {

using namespace kubature;

/// Not normalised, and off centre: a peak at (0.3, 0.7) of width 0.1.
struct Density {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real const a = x[0] - Real(0.3), b = x[1] - Real(0.7);
    return Kokkos::exp(Real(-50) * (a * a + b * b));
  }
};
struct X {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return x[0];
  }
};
struct Y {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return x[1];
  }
};
struct Square {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return x[0] * x[0];
  }
};

/// exp(2 pi i (x + y / 2)) - 1.
struct Wave {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::complex<Real> operator()(Point<Real, D> const& x) const {
    Real const phase = Real(6.283185307179586) * (x[0] + x[1] / 2);
    return {Kokkos::cos(phase) - 1, Kokkos::sin(phase)};
  }
};

/// Mean and square of a normal distribution between 0 and 1.
double mean(double at, double width) {
  double const a = (0 - at) / width, b = (1 - at) / width;
  double const density = (std::exp(-a * a / 2) - std::exp(-b * b / 2)) / std::sqrt(2 * std::acos(-1.0));
  double const mass = (std::erf(b / std::sqrt(2.0)) - std::erf(a / std::sqrt(2.0))) / 2;
  return at + width * density / mass;
}

TEST(Expectation, ValuesAreRatiosWithHonestErrors) {
  constexpr int seeds = 100;
  double squares = 0, sharper = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    VegasPlus const method{
        .evaluations = 4000, .covariance = Covariance::full, .seed = static_cast<std::uint64_t>(seed)};
    auto const result = integrate(method, expect(Density{}, X{}, Y{}, Square{}), Box<2>{});
    auto const [x, y, square] = expectations(result);
    double const pull[] = {(x.value - mean(0.3, 0.1)) / x.error, (y.value - mean(0.7, 0.1)) / y.error};
    squares += pull[0] * pull[0] + pull[1] * pull[1];
    EXPECT_NEAR(square.value, 0.1, 5 * square.error + 1e-3);
    sharper += std::hypot(result.error[1] / result.value[1], result.error[0] / result.value[0]) * x.value / x.error;
  }
  EXPECT_NEAR(std::sqrt(squares / (2 * seeds)), 1, 4 / std::sqrt(4.0 * seeds));
  EXPECT_GT(sharper / seeds, 1.2);
}

TEST(Expectation, NeedsTheCovariance) {
  auto const result = integrate(PlainMonteCarlo{.evaluations = 1000}, expect(Density{}, X{}), Box<2>{});
  EXPECT_THROW(expectations(result), InvalidArgument);
}

TEST(Expectation, OfSinglePrecision) {
  VegasPlus<Fp32> method;
  method.evaluations = 20'000;
  method.covariance = Covariance::full;
  auto const result = integrate(method, expect(Density{}, X{}), Box<2>{});
  auto const [x] = expectations(result);
  EXPECT_NEAR(x.value, mean(0.3, 0.1), 5 * x.error);
  EXPECT_GT(result.correlation(0, 1), 0.5);
}

TEST(Complex, PartsAreCorrelated) {
  MCubes const method{.evaluations = 20'000, .covariance = Covariance::full};
  auto const result = integrate(method, real_and_imaginary(Wave{}), Box<2>{{0, 0.25}, {0, 1}});
  // the integral of e^{2 pi i x} over a quarter, (1 + i) / (2 pi), times that of e^{pi i y}, 2 i / pi
  double const pi = std::acos(-1.0);
  EXPECT_NEAR(result.value[0], -1 / (pi * pi) - 0.25, 5 * result.error[0]);
  EXPECT_NEAR(result.value[1], 1 / (pi * pi), 5 * result.error[1]);
  EXPECT_GT(std::abs(result.correlation(0, 1)), 0.01);
}

/// A peak for each component.
struct TwoPeaks {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, 3> const& x) const {
    double low = 0, high = 0;
    for (int i = 0; i < 3; ++i) {
      low += (x[i] - 0.3) * (x[i] - 0.3);
      high += (x[i] - 0.7) * (x[i] - 0.7);
    }
    return {Kokkos::exp(-50 * low), Kokkos::exp(-50 * high)};
  }
};

struct NarrowPeaks {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, 3> const& x) const {
    double low = 0, high = 0;
    for (int i = 0; i < 3; ++i) {
      low += (x[i] - 0.25) * (x[i] - 0.25);
      high += (x[i] - 0.75) * (x[i] - 0.75);
    }
    return {Kokkos::exp(-400 * low), Kokkos::exp(-400 * high)};
  }
};

template <class Method>
class DriverOf : public ::testing::Test {};
using Methods = ::testing::Types<MCubes<>, VegasPlus<>>;
TYPED_TEST_SUITE(DriverOf, Methods);

TYPED_TEST(DriverOf, TheOneThatIsNamedComesOutSharp) {
  double const side =
      std::sqrt(std::acos(-1.0) / 50) / 2 * (std::erf(0.7 * std::sqrt(50)) + std::erf(0.3 * std::sqrt(50)));
  double const truth = std::pow(side, 3);
  auto const run = [](Driver driver) {
    TypeParam method;
    method.evaluations = 20'000;
    method.driver = driver;
    return integrate(method, TwoPeaks{}, Box<3>{});
  };
  auto const first = run(Driver::first), second = run(component(1)), both = run(Driver::sum_of_magnitudes);
  EXPECT_LT(first.error[0], 0.1 * second.error[0]);
  EXPECT_LT(second.error[1], 0.1 * first.error[1]);
  for (int c = 0; c < 2; ++c) {
    EXPECT_LT(both.error[c], 8 * (c == 0 ? first : second).error[c]);
    EXPECT_LT(both.error[c], 0.8 * (c == 0 ? second : first).error[c]);
    EXPECT_NEAR(both.value[c], truth, 5 * both.error[c]);
  }
}

/// Two peaks whose magnitudes differ by a factor of 10^12, and a component that is zero everywhere.
struct UnequalPeaks {
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(Point<double, 3> const& x) const {
    auto const peaks = TwoPeaks{}(x);
    return {1e-6 * peaks[0], 0, 1e6 * peaks[1]};
  }
};

TYPED_TEST(DriverOf, ByDefaultAllAreServedWhateverTheirMagnitudes) {
  TypeParam method;
  method.evaluations = 20'000;
  auto const both = integrate(method, UnequalPeaks{}, Box<3>{});
  EXPECT_LT(both.error[0] / both.value[0], 2 * both.error[2] / both.value[2]);
  EXPECT_LT(both.error[2] / both.value[2], 2 * both.error[0] / both.value[0]);
  method.driver = Driver::sum_of_magnitudes; // as if there were only the last one
  EXPECT_LT(both.error[0], 0.2 * integrate(method, UnequalPeaks{}, Box<3>{}).error[0]);
  EXPECT_EQ(both.value[1], 0);
}

TYPED_TEST(DriverOf, AllMeetATolerance) {
  TypeParam method;
  method.evaluations = 20'000;
  method.iterations = 40;
  auto const met = integrate(method, UnequalPeaks{}, Box<3>{}, {.relative = 3e-3});
  EXPECT_EQ(met.status, Status::converged) << met;
  EXPECT_LT(met.evaluations, 1'000'000u);
}

TYPED_TEST(DriverOf, WhereItServesOthersPoorlyARemarkSaysSo) {
  TypeParam method;
  method.evaluations = 20'000;
  method.iterations = 8;
  method.driver = Driver::first;
  auto const starved = integrate(method, TwoPeaks{}, Box<3>{}, {.relative = 1e-5});
  EXPECT_NE(starved.status, Status::converged);
  auto const says = [&](std::string const& words) {
    return std::any_of(starved.remarks.begin(), starved.remarks.end(),
                       [&](std::string const& remark) { return remark.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says("driver = balanced") || says("driver = 2")) << starved;
}

/// Of the second peak, which the map of the first one leaves without samples.
TYPED_TEST(DriverOf, ErrorsOfOthersAreNotTooSmall) {
  double const side = std::sqrt(std::acos(-1.0) / 400), truth = side * side * side;
  for (int seed = 0; seed < 10; ++seed) {
    TypeParam method;
    method.evaluations = 20'000;
    method.driver = Driver::first;
    method.seed = static_cast<std::uint64_t>(seed);
    auto const result = integrate(method, NarrowPeaks{}, Box<3>{});
    EXPECT_NEAR(result.value[0], truth, 5 * result.error[0]);
    EXPECT_NEAR(result.value[1], truth, 5 * result.error[1]) << result;
  }
}

TYPED_TEST(DriverOf, OfOneComponentAllAreTheSame) {
  TypeParam method;
  method.evaluations = 2000;
  auto const first = integrate(method, Density{}, Box<2>{});
  for (Driver const other : {Driver::sum_of_magnitudes, Driver::first}) {
    method.driver = other;
    EXPECT_EQ(integrate(method, Density{}, Box<2>{}).value, first.value);
  }
}

TYPED_TEST(DriverOf, OneThatIsNotThereIsRefused) {
  TypeParam method;
  method.driver = component(2);
  try {
    integrate(method, TwoPeaks{}, Box<3>{});
    ADD_FAILURE();
  } catch (InvalidArgument const& refused) {
    EXPECT_EQ(refused.argument(), std::string(Described<TypeParam>::type) + ".driver");
    EXPECT_EQ(refused.value(), "2");
    EXPECT_NE(refused.problem().find("2 components"), std::string::npos);
  }
}

} // namespace
} // namespace expectation_test
