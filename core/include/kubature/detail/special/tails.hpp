#pragma once

#include <kubature/detail/special/functions.hpp>

/// \file
/// What the incomplete gamma and beta functions, and their inverses, have in common. What they are made of is out of
/// line, so that kernels compile in seconds.

namespace kubature::detail::special {

/// t - ln(1 + t) for |t| <= 1/2, without cancellation: with r = t / (2 + t) it is r (t - 2 r^2 (1/3 + r^2/5 + ...)).
KOKKOS_INLINE_FUNCTION double log1p_rest(double t) {
  double const r = t / (2 + t), square = r * r;
  return r * (t - 2 * square * polynomials::atanh_rest(square));
}

/// (ratio exp(-t))^a, where t = ratio - 1 has all its digits: Stirling's powers, relative to their largest value. No
/// part of it underflows before the result does.
[[gnu::noinline]] inline KOKKOS_FUNCTION double saddle(double a, double ratio, double t) {
  if (Kokkos::abs(t) <= 0.5)
    return Kokkos::exp(-a * log1p_rest(t));
  return a < 10 ? Kokkos::pow(ratio, a) * Kokkos::exp(-a * t) : Kokkos::pow(ratio * Kokkos::exp(-t), a);
}

/// tgamma(a) in units of sqrt(2 pi / a) (a / e)^a, a > 0.
[[gnu::noinline]] inline KOKKOS_FUNCTION double scaled_gamma(double a) {
  if (a >= 10)
    return Kokkos::exp(beyond_stirling(a));
  constexpr double root_of_two_pi = 2.5066282746310005024;
  return Kokkos::tgamma(a) * Kokkos::exp(a) * Kokkos::pow(a, 0.5 - a) / root_of_two_pi;
}

/// (p + rest)^(1/a), 0 < p <= 1, with all digits however small a is: 1/a is rounded.
[[gnu::noinline]] inline KOKKOS_FUNCTION double power_root(double p, double rest, double a) {
  double const exponent = 1 / a, missing = Kokkos::fma(-a, exponent, 1.0);
  return Kokkos::pow(p, exponent) * (1 + (Kokkos::log(p) * missing + rest / p) / a);
}

/// The quantile x of p + rest where a distribution is x^a exp(-a scale) (1 - a series(x)), a < 1, near x: with all
/// digits, whereas those of a probability that is computed are worth 1/a of it.
template <class F>
KOKKOS_FUNCTION double small_quantile(double a, double p, double rest, double scale, double x, F const& series) {
  double const first = power_root(p, rest, a) * Kokkos::exp(scale);
  for (int i = 0; i < 10; ++i) {
    double const before = x;
    x = first * Kokkos::exp(-Kokkos::log1p(-a * series(x)) / a);
    if (!(Kokkos::abs(x - before) > 1e-16 * x))
      break;
  }
  return x;
}

/// A tail of a distribution of x > 0, at x.
struct Tail {
  double probability;
  double weight; ///< the density in ln(x)
  double slope;  ///< the derivative of ln(weight)
};

/// The x at which a tail has the probability p, by Halley's method for ln(probability) as a function of ln(x): close to
/// linear in the tails. What leaves the interval known so far is replaced by a bisection.
/// @param tail  tail(x) at 0 < x < infinity
/// @param x     where to begin
/// @param sign  1 for the tail below x, -1 for that above
template <class F>
KOKKOS_FUNCTION double tail_quantile(F const& tail, double p, double x, double sign) {
  double low = 0, high = infinite;
  for (int i = 0; i < 200; ++i) {
    if (!(x > 0 && x < infinite))
      return x;
    auto const [probability, weight, slope] = tail(x);
    double const excess = sign * Kokkos::log(probability / p);
    if (excess == 0)
      return x;
    (excess > 0 ? high : low) = x;
    double const rate = weight / probability, newton = -excess / rate, bend = slope - sign * rate,
                 change = 0.5 * newton * bend, step = change > -0.5 && change < 1 ? newton / (1 + change) : newton,
                 next = x * Kokkos::exp(step);
    if (Kokkos::abs(step * step * step) * (1 + bend * bend) < 1e-17)
      return next;
    if (next > low && next < high)
      x = next;
    else
      x = low == 0 ? high / 8 : high == infinite ? 8 * low : Kokkos::sqrt(low) * Kokkos::sqrt(high);
  }
  return x;
}

} // namespace kubature::detail::special
