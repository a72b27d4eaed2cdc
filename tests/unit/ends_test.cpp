#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace ends_test {
namespace {

using namespace kubature;

/// 1 or exp(-sum |x_i|), but NaN at an end of its side or beyond.
struct Inside {
  double lower, upper;
  bool decays = false;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    for (int i = 0; i < 2; ++i) {
      auto const t = static_cast<double>(x[i]);
      if (!(t > lower && t < upper))
        return static_cast<Real>(Kokkos::Experimental::quiet_NaN_v<float>);
    }
    return decays ? Kokkos::exp(-Kokkos::abs(x[0]) - Kokkos::abs(x[1])) : Real(1);
  }
};

constexpr std::uint64_t evaluations = 200'000;

template <class Method>
void expect_no_end(Method method) {
  method.evaluations = evaluations;
  if constexpr (requires { method.iterations; })
    method.iterations = 7;
  // In single precision these contain from 8 to 2^24 numbers.
  for (auto const& [lower, upper] : {std::pair(1.0, 1.000001), std::pair(-1.000001, -1.0), std::pair(1.0, 1.001),
                                     std::pair(0.0, 1.0), std::pair(-1.0, 0.0), std::pair(-3.0, 5.0)}) {
    SCOPED_TRACE(std::to_string(lower) + ':' + std::to_string(upper));
    auto const result = integrate(method, Inside{lower, upper}, Box<2>{{lower, upper}, {lower, upper}});
    EXPECT_EQ(result.non_finite, 0u);
    EXPECT_NEAR(result.value, std::pow(upper - lower, 2), 6 * result.error + 1e-5 * std::pow(upper - lower, 2));
  }
  for (auto const& [lower, upper, truth] :
       {std::tuple(0.0, infinity, 1.0), std::tuple(-infinity, 0.0, 1.0), std::tuple(-infinity, infinity, 4.0)}) {
    SCOPED_TRACE(std::to_string(lower) + ':' + std::to_string(upper));
    auto const result = integrate(method, Inside{lower, upper, true}, Box<2>{{lower, upper}, {lower, upper}});
    EXPECT_EQ(result.non_finite, 0u);
    EXPECT_NEAR(result.value, truth, 6 * result.error + 1e-4 * truth);
  }
}

TEST(Ends, AreNoSamplesOfPlainMonteCarlo) {
  expect_no_end(PlainMonteCarlo<>{});
  expect_no_end(PlainMonteCarlo<Fp32>{});
}
TEST(Ends, AreNoSamplesOfQuasiMonteCarlo) {
  expect_no_end(QuasiMonteCarlo<>{});
  expect_no_end(QuasiMonteCarlo<Fp32>{});
}
TEST(Ends, AreNoSamplesOfMCubes) {
  expect_no_end(MCubes<>{});
  expect_no_end(MCubes<Fp32>{});
}
TEST(Ends, AreNoSamplesOfVegasPlus) {
  expect_no_end(VegasPlus<>{});
  expect_no_end(VegasPlus<Fp32>{});
}
TEST(Ends, AreNoSamplesOfMixedPrecision) { expect_no_end(MixedPrecision<Fp32>{}); }

/// Far from zero double precision is just as coarse: 1e15:1e15+4 has 33 numbers.
TEST(Ends, AreNoSamplesWhereDoublePrecisionIsCoarse) {
  double const lower = 1e15, upper = 1e15 + 4;
  for (auto const& result :
       {integrate(MCubes{.evaluations = 100'000}, Inside{lower, upper}, Box<2>{lower, upper}),
        integrate(PlainMonteCarlo{.evaluations = 100'000}, Inside{lower, upper}, Box<2>{lower, upper})}) {
    EXPECT_EQ(result.non_finite, 0u);
    EXPECT_NEAR(result.value, 16, 6 * result.error);
  }
}

TEST(Ends, LeaveSomethingOfASide) {
  float const next = std::nextafter(1.0f, 2.0f);
  EXPECT_THROW(integrate(MCubes{.precision = fp32}, Inside{1, next}, Box<2>{1.0, double(next)}), InvalidArgument);
}

} // namespace
} // namespace ends_test
