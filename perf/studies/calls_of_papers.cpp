#include "asian_option.hpp"
#include "calls_job.hpp"

#include <kubature/suite/arithmetic.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace kubature::perf {
namespace {

/// The discounted payoff of the call of AsianCall, on the arithmetic mean of the prices.
template <int D>
struct ArithmeticCall {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    using Of = AsianCall<D>;
    constexpr double drift = (Of::interest - Of::volatility * Of::volatility / 2) / D;
    double const deviation = Of::volatility / Kokkos::sqrt(static_cast<double>(D));
    double logarithm = 0, prices = 0;
    for (int i = 0; i < D; ++i) {
      logarithm += drift + deviation * detail::normal_quantile(static_cast<double>(x[i]));
      prices += Kokkos::exp(logarithm);
    }
    return static_cast<Real>(Kokkos::exp(-Of::interest) * Kokkos::max(Of::price * prices / D - Of::strike, 0.0));
  }
};

/// The path integral of a harmonic oscillator of mass 1 from 0 to 0 in time 4, with N - 1 positions between the fixed
/// ends: (N / (2 pi T))^(N/2) exp(-S), S = sum (x_{j+1} - x_j)^2 / (2a) + a x_j^2 / 2 with a = T/N.
template <int N>
struct FixedPath {
  static constexpr double time = 4, step = time / N;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, N - 1> const& x) const {
    Real at = 0, action = 0;
    for (int j = 0; j < N; ++j) {
      Real const next = j + 1 < N ? x[j + 1 < N ? j : 0] : Real(0);
      action += Real(0.5 / step) * (next - at) * (next - at) + Real(0.5 * step) * at * at;
      at = next;
    }
    return Real(suite::power<N / 2>(N / (2 * Kokkos::numbers::pi_v<double> * time))) * Kokkos::exp(-action);
  }

  /// The Gaussian integral: its tridiagonal matrix has 2/a + a on the diagonal and -1/a beside it.
  static double value() {
    double before = 1, determinant = 2 / step + step;
    for (int j = 2; j < N; ++j) {
      double const next = (2 / step + step) * determinant - before / (step * step);
      before = std::exchange(determinant, next);
    }
    return std::pow(N / (2 * std::numbers::pi * time), N / 2.0) *
           std::sqrt(std::pow(2 * std::numbers::pi, N - 1) / determinant);
  }
};

} // namespace

std::vector<app::Job> jobs_of_papers() {
  return {job<16, VegasPlus<>, MCubes<>>(
              {.name = "arithmetic-asian",
               .formula = "exp(-r)*max(mean of 16 prices-100,0), price=100, r=0.05, volatility=0.2",
               .value = std::numeric_limits<double>::quiet_NaN(), // there is no closed form
               .source = "cuVegas eq.10-11",
               .suites = {}},
              ArithmeticCall<16>{}),
          job<7, VegasPlus<>, MCubes<>>(
              {.name = "fixed-path",
               .formula = "(N/(2*pi*T))^(N/2)*exp(-sum_j (x_{j+1}-x_j)^2/(2a)+a*x_j^2/2), x_0=x_N=0, T=4, N=8",
               .value = FixedPath<8>::value(),
               .source = "cuVegas eq.12-13",
               .suites = {},
               .side = {-5, 5}},
              FixedPath<8>{})};
}

} // namespace kubature::perf
