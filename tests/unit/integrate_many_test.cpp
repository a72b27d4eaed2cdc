#include "refused.hpp"
#include "spaces.hpp"
#include "tools.hpp"

#include <kubature/integrate_many.hpp>
#include <kubature/suite/random_genz.hpp>
#include <kubature/vegas_plus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using namespace kubature;

struct Rates {
  double a, b;
};

/// exp(-a x - b y).
struct Decay {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x, Rates const& rates) const {
    return Kokkos::exp(-static_cast<Real>(rates.a) * x[0] - static_cast<Real>(rates.b) * x[1]);
  }
  /// From the lower bounds to infinity, and over the unit square.
  static double above(Rates r, double x, double y) { return std::exp(-r.a * x - r.b * y) / (r.a * r.b); }
  static double over_square(Rates r) { return -std::expm1(-r.a) / r.a * (-std::expm1(-r.b) / r.b); }
};

/// A Gaussian peak of this exponent at 0.4, and its product with x, which on the whole line integrates to 0.4 times as
/// much.
struct Peak {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, 3> const& x, double exponent) const {
    double square = 0;
    for (int i = 0; i < 3; ++i)
      square += (x[i] - 0.4) * (x[i] - 0.4);
    double const peak = Kokkos::exp(-exponent * square);
    return {peak, peak * x[0]};
  }
  static double integral(double exponent) {
    double const root = std::sqrt(exponent);
    double const side = std::sqrt(std::acos(-1.0)) / 2 / root * (std::erf(0.6 * root) + std::erf(0.4 * root));
    return side * side * side;
  }
};

/// Peaks of these exponents in four variables; zero where the exponent is negative, and NaN where it is NaN.
struct PeakOfFour {
  KOKKOS_FUNCTION double operator()(Point<double, 4> const& x, double exponent) const {
    double square = 0;
    for (int i = 0; i < 4; ++i)
      square += (x[i] - 0.4) * (x[i] - 0.4);
    return exponent < 0 ? 0 : Kokkos::exp(-exponent * square);
  }
  static double integral(double exponent) { return std::pow(Peak::integral(exponent), 4.0 / 3); }
};

/// 2, plus a Gaussian peak of this exponent in the corner.
struct PeakOnAPlain {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(Point<double, 2> const& x, double exponent) const {
    return {2, Kokkos::exp(-exponent * (x[0] * x[0] + x[1] * x[1]))};
  }
  static double integral(double exponent) {
    double const side = std::sqrt(std::acos(-1.0) / exponent) / 2 * std::erf(std::sqrt(exponent));
    return side * side;
  }
};

/// 1 inside a disk of this radius; infinite or NaN to the left of x = -radius.
struct Disk {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x, double radius) const {
    return x[0] < -radius ? Kokkos::sqrt(-1.0) : x[0] * x[0] + x[1] * x[1] < radius * radius ? 1 : 0;
  }
};

struct First {
  KOKKOS_FUNCTION double operator()(Point<double, dynamic> const& x, int) const { return x[0]; }
};

/// Genz's functions as parameters.
struct OfSix {
  KOKKOS_FUNCTION double operator()(Point<double, 6> const& x, suite::GenzFunction const& f) const { return f(x); }
};

template <class Space>
class ManyIntegrals : public ::testing::Test {
protected:
  Space exec;
};
TYPED_TEST_SUITE(ManyIntegrals, spaces::All, spaces::Names);

TYPED_TEST(ManyIntegrals, HaveParametersAndBoxes) {
  std::vector<Rates> rates;
  std::vector<Box<2>> boxes;
  for (int k = 0; k < 300; ++k) {
    rates.push_back({1 + 0.01 * k, 2 - 0.005 * k});
    boxes.push_back({{0.001 * k, infinity}, {0.5, infinity}});
  }
  Tolerance const tolerance{.relative = 1e-7};
  auto const above = integrate_many(this->exec, Pagani<>{}, Decay{}, boxes, rates, tolerance);
  auto const over_square = integrate_many(this->exec, Pagani<>{}, Decay{}, std::vector{Box<2>{}}, rates, tolerance);
  auto const one = integrate_many(this->exec, Pagani<>{}, Decay{}, boxes, std::vector{Rates{1, 1}}, tolerance);
  ASSERT_EQ(above.size(), 300u);
  EXPECT_EQ(above.converged(), 300u);
  EXPECT_EQ(over_square.converged(), 300u);
  for (std::size_t k = 0; k < 300; ++k) {
    double const x = 0.001 * static_cast<double>(k);
    EXPECT_NEAR(above.value[k], Decay::above(rates[k], x, 0.5), 1e-7 * above.value[k]);
    EXPECT_NEAR(over_square.value[k], Decay::over_square(rates[k]), 1e-7 * over_square.value[k]);
    EXPECT_NEAR(one.value[k], Decay::above({1, 1}, x, 0.5), 1e-7 * one.value[k]);
  }
  // By the rule of degree 13, which has 65 points: on the square, the 16 parts of the first grid suffice.
  EXPECT_GE(over_square.evaluations, 300u * 65 * 16);
  EXPECT_LE(over_square.evaluations, 300u * 65 * 16 * 2);
  EXPECT_EQ(above.method, "pagani");
  EXPECT_EQ(above.backend, TypeParam::name());
  // Whatever the others are, an integral has the same bits.
  auto const some = integrate_many(this->exec, Pagani<>{}, Decay{}, std::vector{boxes[200], boxes[7]},
                                   std::vector{rates[200], rates[7]}, tolerance);
  EXPECT_EQ(some.value[0], above.value[200]);
  EXPECT_EQ(some.error[1], above.error[7]);
}

/// From peaks that the first grid sees entirely to those that need thousands of parts.
TYPED_TEST(ManyIntegrals, TakeAsManyPartsAsEachNeeds) {
  std::vector<double> exponents;
  for (int k = 0; k < 16; ++k)
    exponents.push_back(std::pow(3.0, 0.5 * k));
  std::vector<int> done;
  Callback const watch = [&](Progress const& progress) {
    done.push_back(progress.iteration);
    return true;
  };
  auto const results =
      integrate_many(this->exec, Pagani<>{}, Peak{}, std::vector{Box<3>{}}, exponents, {.relative = 1e-8}, {}, watch);
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    EXPECT_EQ(results.status[k], Status::converged) << exponents[k];
    double const truth = Peak::integral(exponents[k]);
    EXPECT_NEAR(results.value[k][0], truth, 1e-8 * truth) << exponents[k];
    EXPECT_LE(results.error[k][1], 1e-8 * results.value[k][1]);
    if (exponents[k] > 100) { // all of the peak lies in the box
      EXPECT_NEAR(results.value[k][1], 0.4 * truth, 1e-6 * truth) << exponents[k];
    }
  }
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.back(), 16);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TYPED_TEST(ManyIntegrals, SayWhyTheyHaveNotConverged) {
  std::vector<double> const radii{2, 0.7, -0.5}; // a constant, a disk, and NaN on the left
  std::vector<Box<2>> const boxes{Box<2>{}};
  auto const call = [&](Pagani<> method, Tolerance tolerance, Limits limits) {
    return integrate_many(this->exec, method, Disk{}, boxes, radii, tolerance, limits);
  };
  std::uint64_t const evaluations = tools::watched() ? 30'000 : 300'000;
  auto const results = call({}, {.relative = 1e-4}, {.evaluations = evaluations});
  EXPECT_EQ(results.status[0], Status::converged);
  EXPECT_EQ(results.status[1], Status::evaluation_limit);
  EXPECT_EQ(results.status[2], Status::non_finite);
  EXPECT_NEAR(results.value[0], 1, 1e-12);
  EXPECT_NEAR(results.value[1], std::acos(-1.0) / 4 * 0.49, results.error[1]);
  EXPECT_TRUE(std::isnan(results.value[2]));
  EXPECT_GT(results.non_finite[2], 0u);
  EXPECT_EQ(results.non_finite[1], 0u);
  EXPECT_LE(results.evaluations, evaluations);
  EXPECT_EQ(call({}, {.relative = 1e-4}, {.bytes = 100}).status[0], Status::memory_exhausted);
  EXPECT_EQ(call({}, {.relative = 1e-4}, {.evaluations = 100}).status[1], Status::evaluation_limit);
  auto const discarded = call({.non_finite = NonFinite::discard}, {.absolute = 1e-2}, {});
  EXPECT_EQ(discarded.converged(), 3u);
  EXPECT_GT(discarded.non_finite[2], 0u);
  auto const stopped = integrate_many(this->exec, Pagani<>{}, Disk{}, boxes, radii, {.relative = 1e-12}, {},
                                      [](Progress const&) { return false; });
  EXPECT_EQ(stopped.status[1], Status::stopped);
}

/// The first grid sees only their tails, or not even these: everything is smaller than the tolerance allows.
TYPED_TEST(ManyIntegrals, FindPeaksBelowAnAbsoluteTolerance) {
  std::vector<double> exponents;
  for (int k = 0; k < 12; ++k)
    exponents.push_back(100 * std::pow(10.0, k / 3.0));
  exponents.push_back(681292);
  auto const results =
      integrate_many(this->exec, Pagani<>{}, Peak{}, std::vector{Box<3>{}}, exponents, {.absolute = 1e-2});
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    double const truth = Peak::integral(exponents[k]);
    EXPECT_EQ(results.status[k], Status::converged) << exponents[k];
    EXPECT_NEAR(results.value[k][0], truth, results.error[k][0]) << exponents[k];
    EXPECT_LE(results.error[k][0], 0.1 * results.value[k][0]) << exponents[k];
  }
  // The last one, whose first grid is zero, is found among the first few hundred parts.
  EXPECT_LE(results.evaluations, 13u * 127 * 400);
}

/// Zero wherever a single call would look with as many parts.
TYPED_TEST(ManyIntegrals, DoNotConvergeToAZeroThatMayBeAMissedPeak) {
  std::vector<Box<3>> const boxes{Box<3>{}};
  std::vector<double> const exponents{1, 1e9};
  Pagani<> const method{.rule = Rule::degree_7};
  auto const call = [&](Tolerance tolerance, Limits limits = {}) {
    return integrate_many(this->exec, method, Peak{}, boxes, exponents, tolerance, limits);
  };
  auto const relative = call({.relative = 1e-4}), absolute = call({.absolute = 1e-4});
  EXPECT_EQ(relative.converged(), 1u);
  EXPECT_EQ(relative.value[1][0], 0);
  EXPECT_EQ(relative.status[1], Status::precision_limit);
  EXPECT_EQ(absolute.status[1], Status::converged);
  EXPECT_EQ(absolute.error[1][0], 0);
  auto const points = CubatureRule(Rule::degree_7, 3).points();
  EXPECT_GE(absolute.evaluations, 2 * points * 32768);
  EXPECT_EQ(call({.absolute = 1e-4}, {.evaluations = 500'000}).status[1], Status::evaluation_limit);
}

/// A norm asks less of the peaks than if each component had to meet the tolerance by itself.
TYPED_TEST(ManyIntegrals, MeetATolerancesNorm) {
  std::vector<double> const exponents{30, 300, 3000};
  std::vector<std::uint64_t> evaluations;
  for (auto const norm : {ErrorNorm::individual, ErrorNorm::max, ErrorNorm::l2, ErrorNorm::paired, ErrorNorm::l1}) {
    auto const results = integrate_many(this->exec, Pagani<>{}, PeakOnAPlain{}, std::vector{Box<2>{}}, exponents,
                                        {.relative = 1e-6, .norm = norm});
    EXPECT_EQ(results.converged(), 3u);
    for (std::size_t k = 0; k < exponents.size(); ++k) {
      auto const &value = results.value[k], &error = results.error[k];
      EXPECT_NEAR(value[0], 2, 1e-12);
      EXPECT_NEAR(value[1], PeakOnAPlain::integral(exponents[k]), error[1]);
      EXPECT_LE(error[1], 1e-6 * (norm == ErrorNorm::individual ? value[1] : value[0] + value[1]));
    }
    evaluations.push_back(results.evaluations);
  }
  EXPECT_GT(evaluations[0], 1.2 * static_cast<double>(evaluations[1]));
  EXPECT_LE(evaluations[2], evaluations[1]);
  EXPECT_EQ(evaluations[3], evaluations[2]); // there is one pair
  EXPECT_LE(evaluations[4], evaluations[2]);
}

/// With errors like those of single calls, from the same number of samples.
TYPED_TEST(ManyIntegrals, BySampling) {
  std::vector<double> exponents;
  for (int k = 0; k < 40; ++k)
    exponents.push_back(1 + 6 * k);
  std::vector const boxes{Box<4>{}};
  VegasPlus const method{.evaluations = 4000, .iterations = 10, .skip = 3};
  auto const results = integrate_many(this->exec, method, PeakOfFour{}, boxes, exponents);
  double squares = 0;
  for (std::size_t k = 0; k < exponents.size(); ++k) {
    EXPECT_EQ(results.status[k], Status::completed);
    double const pull = (results.value[k] - PeakOfFour::integral(exponents[k])) / results.error[k];
    EXPECT_LT(std::abs(pull), 5) << exponents[k];
    squares += pull * pull;
    EXPECT_LT(results.error[k], 0.01 * results.value[k]);
  }
  EXPECT_GT(squares / 40, 0.4);
  EXPECT_LT(squares / 40, 2);
  EXPECT_NEAR(static_cast<double>(results.evaluations), 40 * 10 * 4000, 0.1 * 40 * 10 * 4000);
  EXPECT_EQ(results.method, "vegas+");
  // An integral has the same bits whatever those after it are, and how many there is memory for at once.
  auto const some = integrate_many(this->exec, method, PeakOfFour{}, boxes, std::vector{exponents[0], exponents[1]});
  EXPECT_EQ(some.value[0], results.value[0]);
  EXPECT_EQ(some.error[1], results.error[1]);
  auto const waves = integrate_many(this->exec, method, PeakOfFour{}, boxes, exponents, {}, {.bytes = 2'000'000});
  EXPECT_EQ(waves.value, results.value);
  EXPECT_EQ(waves.error, results.error);
}

TYPED_TEST(ManyIntegrals, BySamplingEndAsSingleCallsDo) {
  std::vector const boxes{Box<4>{}};
  VegasPlus const method{.evaluations = 2000};
  auto const call = [&](std::vector<double> const& exponents, Tolerance tolerance, Limits limits = {},
                        Callback const& callback = {}) {
    return integrate_many(this->exec, method, PeakOfFour{}, boxes, exponents, tolerance, limits, callback);
  };
  std::vector<int> done;
  auto const results = call({0, 10, 300, -1, NAN}, {.relative = 3e-3}, {}, [&](Progress const& progress) {
    done.push_back(progress.iteration);
    return true;
  });
  for (std::size_t k = 0; k < 3; ++k) {
    double const truth = k == 0 ? 1 : PeakOfFour::integral(k == 1 ? 10 : 300);
    EXPECT_EQ(results.status[k], Status::converged);
    EXPECT_LE(results.error[k], 3e-3 * results.value[k]);
    EXPECT_NEAR(results.value[k], truth, 5 * results.error[k]);
  }
  EXPECT_EQ(results.status[3], Status::no_variance);
  EXPECT_EQ(results.status[4], Status::non_finite);
  EXPECT_GT(results.non_finite[4], 0u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 5);
  EXPECT_EQ(call({10, 300}, {.relative = 1e-5}, {.evaluations = 40'000}).status[1], Status::evaluation_limit);
  EXPECT_EQ(call({10, 300}, {.relative = 1e-5}, {.iterations = 8}).status[1], Status::iteration_limit);
  EXPECT_EQ(call({10}, {.relative = 1e-5}, {.bytes = 1000}).status[0], Status::memory_exhausted);
  EXPECT_EQ(call({10}, {.relative = 1e-5}, {}, [](Progress const&) { return false; }).status[0], Status::stopped);
  EXPECT_EQ(call({10}, {.relative = 1e-5}, {.seconds = 1e-9}).status[0], Status::time_limit);
  expect_refused([&] { integrate_many(this->exec, VegasPlus{.one_map = true}, PeakOfFour{}, boxes, std::vector{1.0}); },
                 "VegasPlus.one_map", "set");
}

/// A corner peak on whose first grid the null rules see a third of the error.
TYPED_TEST(ManyIntegrals, AreComparedWithTheBoxAsOneRegion) {
  std::vector const functions{suite::RandomGenz(2, 2528).f};
  auto const results =
      integrate_many(this->exec, Pagani<>{}, OfSix{}, std::vector{Box<6>{}}, functions, {.relative = 2e-4});
  EXPECT_EQ(results.status[0], Status::converged);
  EXPECT_NEAR(results.value[0] / functions[0].value(), 1, 2e-4);
}

TYPED_TEST(ManyIntegrals, RefuseWhatDoesNotFitTogether) {
  auto const call = [&](std::size_t boxes, std::size_t rates, Tolerance tolerance) {
    integrate_many(this->exec, Pagani<>{}, Decay{}, std::vector<Box<2>>(boxes), std::vector<Rates>(rates), tolerance);
  };
  expect_refused([&] { call(2, 3, {.relative = 1e-3}); }, "number of boxes", "2");
  expect_refused([&] { call(0, 3, {.relative = 1e-3}); }, "number of boxes and parameters", "0");
  expect_refused([&] { call(1, 3, {}); }, "Tolerance", "0");
  std::vector<Box<dynamic>> const boxes{Box{{0, 1}, {0, 1}}, Box{{0, 1}}};
  expect_refused(
      [&] { integrate_many(this->exec, Pagani<>{}, First{}, boxes, std::vector<int>{1, 2}, {.relative = 1e-3}); },
      "dimension of a box", "1");
}

} // namespace
