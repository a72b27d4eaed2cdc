#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace sizes_test {
namespace {

using namespace kubature;

struct Sized {
  double size;
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return size * Kokkos::exp(-x[0] * x[1]); }
};
/// With a narrow peak, so that cubature has something to refine.
struct SizedPeak {
  double size;
  KOKKOS_FUNCTION double operator()(Point<double, 3> const& x) const {
    double product = size;
    for (int i = 0; i < 3; ++i)
      product *= 1 / (1e-3 + (x[i] - 0.4) * (x[i] - 0.4)) / 100;
    return product;
  }
};
struct GenericSized {
  double size;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return static_cast<Real>(size) * Kokkos::exp(-x[0] * x[1]);
  }
};

/// Powers of two near 1e-300, ..., 1e300, so that results are the same to the bit.
constexpr int exponents[] = {-996, -963, -600, -300, 300, 600, 963, 996};

template <class Method, class F, int D>
void expect_no_difference(Method const& method, F make, Box<D> const& box, double tolerance, int largest) {
  auto const usual = integrate(method, make(1.0), box, {.relative = tolerance});
  ASSERT_EQ(usual.status, Status::converged);
  for (int const exponent : exponents) {
    if (std::abs(exponent) > largest)
      continue;
    auto const result = integrate(method, make(std::ldexp(1.0, exponent)), box, {.relative = tolerance});
    SCOPED_TRACE(exponent);
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_DOUBLE_EQ(std::ldexp(result.value, -exponent), usual.value);
    EXPECT_NEAR(std::ldexp(result.error, -exponent) / usual.error, 1, 1e-9);
    if (!std::isnan(usual.chi2_per_dof)) { // cubature has none
      EXPECT_NEAR(result.chi2_per_dof, usual.chi2_per_dof, 1e-6 * (1 + usual.chi2_per_dof));
    }
    EXPECT_EQ(result.iterations.size(), usual.iterations.size());
  }
}

auto const sized = [](double size) { return Sized{size}; };

TEST(Sizes, DoNotMatterToPlainMonteCarlo) {
  expect_no_difference(PlainMonteCarlo{.evaluations = 20'000}, sized, Box<2>{}, 1e-3, 1000);
}
TEST(Sizes, DoNotMatterToQuasiMonteCarlo) {
  expect_no_difference(QuasiMonteCarlo{.evaluations = 50'000}, sized, Box<2>{}, 1e-9, 1000);
  auto const peak = [](double size) { return SizedPeak{size}; }; // in a map
  expect_no_difference(QuasiMonteCarlo{.evaluations = 50'000}, peak, Box<3>{}, 1e-6, 963);
}
TEST(Sizes, DoNotMatterToMCubes) { expect_no_difference(MCubes{.evaluations = 20'000}, sized, Box<2>{}, 1e-4, 1000); }
TEST(Sizes, DoNotMatterToVegasPlus) {
  expect_no_difference(VegasPlus{.evaluations = 20'000}, sized, Box<2>{}, 1e-5, 1000);
}
TEST(Sizes, DoNotMatterToFrozenMaps) {
  expect_no_difference(VegasPlus{.evaluations = 20'000, .adapt = 0, .skip = 0}, sized, Box<2>{}, 1e-5, 1000);
}
TEST(Sizes, DoNotMatterToMixedPrecision) {
  expect_no_difference(
      MixedPrecision<Fp64>{.evaluations = 20'000}, [](double size) { return GenericSized{size}; }, Box<2>{}, 1e-3,
      1000);
}
TEST(Sizes, DoNotMatterToCubature) {
  auto const peak = [](double size) { return SizedPeak{size}; };
  expect_no_difference(Pagani{}, peak, Box<3>{}, 1e-7, 963);
  expect_no_difference(TwoPhase{.regions = 256}, peak, Box<3>{}, 1e-5, 963);
}

/// A warm start keeps what was found.
TEST(Sizes, AreKnownToALaterCall) {
  for (int const exponent : {-996, 996}) {
    Integrator integrator(Kokkos::DefaultExecutionSpace(), VegasPlus{.evaluations = 20'000, .iterations = 8});
    Sized const f{std::ldexp(1.0, exponent)};
    integrator.integrate(f, Box<2>{});
    auto const second = integrator.integrate(f, Box<2>{});
    EXPECT_NEAR(std::ldexp(second.value, -exponent), 0.796599599297, 1e-4);
    EXPECT_LT(std::ldexp(second.error, -exponent), 2e-5);
    EXPECT_LT(second.chi2_per_dof, 4);
  }
}

} // namespace
} // namespace sizes_test
