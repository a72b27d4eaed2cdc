#include "automatic.hpp"
#include "cubatures.hpp"

#include <kubature/automatic.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

/// PAGANI and Auto in one and two variables, where they look closely at what cubature finds.
namespace automatic_close_look_test {
namespace {

using namespace kubature;
using namespace cubatures;
using namespace automatic;

TYPED_TEST_SUITE(Automatic, spaces::All, spaces::Names);

TYPED_TEST(Automatic, SmoothAndLowIsForCubature) {
  auto const result = this->integrate(Bell{}, Box<2>{}, {.relative = 1e-10});
  expect_converged(result, bell_truth * bell_truth, {.relative = 1e-10});
  EXPECT_EQ(result.method, "pagani");
  // A close look in two variables takes up to 2^14 regions of 65 points, and the grids before it a fourth of that.
  EXPECT_LT(result.evaluations, 1'500'000u);
  Pagani<> const coarse{.close_look = false};
  EXPECT_LT(kubature::integrate(this->exec, coarse, Bell{}, Box<2>{}, {.relative = 1e-10}).evaluations, 100'000u);
}

/// A Gaussian peak beside 1 / x^2 in the first variable and 1 in others.
template <int D>
struct Narrow {
  double place[D], width, height;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real square(0);
    for (int i = 0; i < D; ++i)
      square += (x[i] - Real(place[i])) * (x[i] - Real(place[i]));
    return 1 / (x[0] * x[0]) + Real(height) * Kokkos::exp(-square / Real(2 * width * width));
  }
  double of_peak() const { return height * std::pow(2 * std::numbers::pi * width * width, D / 2.0); }
};

/// The first grids see none of these, and what they see converges at once.
TYPED_TEST(Automatic, NarrowPeaksInOneVariableAreNotMissed) {
  Tolerance const tolerance{.relative = 1e-6};
  Narrow<1> const tall{{2.00167}, 1.7e-4, 6e16};
  auto const result = this->integrate(tall, Box<1>{{2, infinity}}, tolerance);
  expect_converged(result, 0.5 + tall.of_peak(), tolerance);
  for (int k = 1; k <= 20; ++k) {
    Narrow<1> const one{{1 + 0.618034 * k - std::floor(0.618034 * k)}, 3e-5, 1e5};
    auto const coarse = kubature::integrate(this->exec, Pagani{.close_look = false}, one, Box<1>{{1, 2}}, tolerance);
    EXPECT_NEAR(coarse.value, 0.5, 1e-6) << k; // which misses them
    expect_converged(kubature::integrate(this->exec, Pagani{}, one, Box<1>{{1, 2}}, tolerance), 0.5 + one.of_peak(),
                     tolerance);
    expect_converged(this->integrate(one, Box<1>{{1, 2}}, tolerance), 0.5 + one.of_peak(), tolerance);
  }
}

TYPED_TEST(Automatic, NarrowPeaksInTwoVariablesAreNotMissed) {
  Tolerance const tolerance{.relative = 1e-5};
  for (int k = 1; k <= 10; ++k) {
    Narrow<2> const one{
        {1 + 0.7548777 * k - std::floor(0.7548777 * k), 0.569840 * k - std::floor(0.569840 * k)}, 2e-3, 1e6};
    Box<2> const box{{1, 2}, {0, 1}};
    expect_converged(this->integrate(one, box, tolerance), 0.5 + one.of_peak(), tolerance);
    expect_converged(kubature::integrate(this->exec, Pagani{}, one, box, tolerance), 0.5 + one.of_peak(), tolerance);
  }
}

/// A close look changes nothing but the number of evaluations where it finds nothing else.
TYPED_TEST(Automatic, ACloseLookKeepsTheResult) {
  for (double const relative : {1e-3, 1e-9}) {
    Pagani<> const coarse{.close_look = false};
    auto const found = kubature::integrate(this->exec, coarse, Bell{}, Box<1>{}, {.relative = relative});
    for (auto const& look : {this->integrate(Bell{}, Box<1>{}, {.relative = relative}),
                             kubature::integrate(this->exec, Pagani{}, Bell{}, Box<1>{}, {.relative = relative})}) {
      EXPECT_EQ(look.value, found.value);
      EXPECT_EQ(look.error, found.error);
      EXPECT_EQ(look.status, Status::converged);
      EXPECT_GE(look.evaluations, found.evaluations);
    }
  }
  auto const limited = this->integrate(Bell{}, Box<1>{}, {.relative = 1e-3}, {.evaluations = 5000});
  EXPECT_EQ(limited.status, Status::converged);
  EXPECT_LE(limited.evaluations, 5000u);
}

TYPED_TEST(Automatic, AToleranceIsNeeded) { EXPECT_THROW(this->integrate(Bell{}, Box<2>{}, {}), InvalidArgument); }

} // namespace
} // namespace automatic_close_look_test
