#pragma once

#include <kubature/detail/normal.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <numbers>

namespace kubature::perf {

/// The discounted payoff of a call on the geometric mean of a price at D dates, whose logarithm takes independent
/// normal steps: price and strike 100, one year, interest rate 5 %, volatility 20 %.
template <int D>
struct AsianCall {
  static constexpr double price = 100, strike = 100, interest = 0.05, volatility = 0.2;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    double sum = 0;
    for (int i = 0; i < D; ++i)
      sum += (D - i) * detail::normal_quantile(static_cast<double>(x[i]));
    double const mean = Kokkos::exp(drift() + volatility / Kokkos::sqrt(static_cast<double>(D)) / D * sum) * price;
    return static_cast<Real>(Kokkos::exp(-interest) * Kokkos::max(mean - strike, 0.0));
  }

  /// The Black-Scholes formula for the geometric mean, which is also log-normally distributed.
  static double value() {
    double const deviation = volatility * std::sqrt((D + 1) * (2.0 * D + 1) / 6) / D;
    double const shift = drift() + std::log(price / strike);
    auto const share = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
    return std::exp(-interest) *
           (price * std::exp(drift() + deviation * deviation / 2) * share(shift / deviation + deviation) -
            strike * share(shift / deviation));
  }

private:
  /// The drift of the mean's logarithm.
  KOKKOS_FUNCTION static constexpr double drift() { return (interest - volatility * volatility / 2) * (D + 1) / 2 / D; }
};

} // namespace kubature::perf
