#pragma once

#include <kubature/detail/special/polynomials.hpp>

#include <Kokkos_MathematicalConstants.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_NumericTraits.hpp>

/// The functions of expressions that Kokkos has not, in double precision; other precisions convert. Errors are a few
/// ulp, of the amplitude where a function oscillates, and of the terms that cancel next to other zeros.
namespace kubature::detail::special {

using Kokkos::Experimental::infinity_v, Kokkos::Experimental::quiet_NaN_v;
using Kokkos::numbers::pi_v;
inline constexpr double infinite = infinity_v<double>, undefined = quiet_NaN_v<double>;

/// exp(factor x^2) for |x| <= 40, where factor is 1 or -1/2: the rounding error of x^2 does not count.
KOKKOS_INLINE_FUNCTION double exp_of_square(double x, double factor) {
  double const near = Kokkos::round(x * 256) / 256; // its square is exact
  return Kokkos::exp(factor * near * near) * Kokkos::exp(factor * (x - near) * (x + near));
}

/// sin(x)/x, not sin(pi x)/(pi x).
KOKKOS_INLINE_FUNCTION double sinc(double x) { return x == 0 ? 1 : Kokkos::isinf(x) ? 0 : Kokkos::sin(x) / x; }

/// exp(x^2) erfc(x).
KOKKOS_INLINE_FUNCTION double erfcx(double x) {
  double const size = Kokkos::abs(x);
  double const right = size > 1e8 ? 0.56418958354775628695 / size // 1/sqrt(pi)
                                  : polynomials::erfcx_scaled((size - 2.5) / (size + 2.5)) / (1 + 2 * size);
  if (!(x < 0))
    return right;
  return x < -27 ? infinite : 2 * exp_of_square(x, 1) - right;
}

/// The density of the normal distribution with mean 0 and variance 1.
KOKKOS_INLINE_FUNCTION double normpdf(double x) {
  if (Kokkos::abs(x) > 39)
    return 0;
  return 0.39894228040143267794 * exp_of_square(x, -0.5); // 1/sqrt(2 pi)
}

/// The probability of values below x of the normal distribution.
KOKKOS_INLINE_FUNCTION double normcdf(double x) {
  if (Kokkos::abs(x) > 39)
    return x > 0 ? 1 : 0;
  double const tail = 0.5 * erfcx(Kokkos::abs(x) * 0.70710678118654752440) * exp_of_square(x, -0.5);
  return x > 0 ? 1 - tail : tail;
}

/// The x with normcdf(x) = p.
KOKKOS_INLINE_FUNCTION double norminv(double p) {
  double const q = p - 0.5, from_end = q < 0 ? p : 1 - p;
  if (!(from_end > 0))
    return from_end == 0 ? Kokkos::copysign(infinite, q) : undefined;
  if (Kokkos::abs(q) <= 0.425)
    return q * polynomials::quantile_centre(q * q);
  double const r = Kokkos::sqrt(-2 * Kokkos::log(from_end));
  double const size = r * (r <= 6.25 ? polynomials::quantile_tail(r) : polynomials::quantile_far(6 / r));
  return Kokkos::copysign(size, q);
}

/// The derivative of lgamma.
KOKKOS_INLINE_FUNCTION double digamma(double x) {
  if (x == 0)
    return Kokkos::copysign(infinite, -x);
  double rest = 0;
  if (x < 0) { // the reflection; cot(pi d) by the nearest distance d from a multiple of 1/2
    double const d = x - Kokkos::round(x);
    if (d == 0 || Kokkos::isinf(x))
      return undefined;
    double const size = Kokkos::abs(d);
    double const cot = size > 0.25 ? Kokkos::tan(pi_v<double> * (0.5 - size)) : 1 / Kokkos::tan(pi_v<double> * size);
    rest = -pi_v<double> * Kokkos::copysign(cot, d);
    double const mirrored = 1 - x, inverse = 1 / mirrored;
    double const rounded = (1 - mirrored) - x; // of the sum, times the derivative
    rest += rounded * inverse * (1 + inverse * (0.5 + inverse / 6));
    x = mirrored;
  } else if (x < 1) {
    rest = -1 / x;
    x += 1;
  }
  if (x < 2)
    return rest + ((x - polynomials::digamma_zero) - polynomials::digamma_zero_rest) * polynomials::digamma_root(x);
  if (x < 4)
    return rest + polynomials::digamma_low(x);
  if (x < 8)
    return rest + polynomials::digamma_middle(x);
  double const inverse = 1 / x, square = inverse * inverse;
  return rest + (Kokkos::log(x) - (0.5 * inverse + square * polynomials::digamma_far(square)));
}

/// What lgamma(x), x >= 10, has beyond (x - 1/2) ln(x) - x + ln(2 pi)/2.
KOKKOS_INLINE_FUNCTION double beyond_stirling(double x) {
  double const inverse = 1 / x;
  return inverse * polynomials::stirling(inverse * inverse);
}

/// (a / (high + low))^power, but for a factor whose logarithm is added to `rest`: its base is not rounded.
KOKKOS_INLINE_FUNCTION double power_of_ratio(double a, double high, double low, double power, double& rest) {
  double const ratio = a / high, missing = Kokkos::fma(-ratio, high, a) - ratio * low;
  rest += power * (missing / a);
  return Kokkos::pow(ratio, power);
}

/// tgamma(a) tgamma(b) / tgamma(a + b).
KOKKOS_INLINE_FUNCTION double beta(double a, double b) {
  if (a < b) {
    double const smaller = a;
    a = b;
    b = smaller;
  }
  double const sum = a + b, of_b = sum - a, low = (a - (sum - of_b)) + (b - of_b);
  if (!(b > 0) || sum < 20) {
    double const change = sum > 1 && b > 0 ? low * (Kokkos::log(sum) - 0.5 / sum) : 0; // of ln(tgamma(a + b))
    return Kokkos::tgamma(a) * (Kokkos::tgamma(b) / Kokkos::tgamma(sum)) * (1 - change);
  }
  if (Kokkos::isinf(a))
    return 0;
  double rest = beyond_stirling(a) - beyond_stirling(sum);
  if (b >= 10) {
    rest += beyond_stirling(b);
    double const powers = power_of_ratio(a, sum, low, a, rest) * power_of_ratio(b, sum, low, b, rest);
    return Kokkos::sqrt(2 * pi_v<double> / b * (sum / a)) * powers * Kokkos::exp(rest);
  }
  double const powers = power_of_ratio(a, sum, low, a - 0.5, rest) * Kokkos::pow(sum, -b);
  return Kokkos::tgamma(b) * Kokkos::exp(b) * powers * Kokkos::exp(rest - b * (low / sum));
}

/// The dilogarithm, the integral of -ln|1-t|/t over 0 ... x: li2(1) = pi^2/6, and the real part beyond 1.
KOKKOS_INLINE_FUNCTION double li2(double x) {
  constexpr double third = pi_v<double> * pi_v<double> / 3;
  auto const series = [](double u) { return u * (polynomials::dilogarithm(u * u) - 0.25 * u); }; // of -ln(1-x)
  if (x < -3) {
    double const log = Kokkos::log(-x);
    return -0.5 * third - 0.5 * log * log - series(-Kokkos::log1p(-1 / x));
  }
  if (x <= 0.75)
    return series(-Kokkos::log1p(-x));
  if (x == 1)
    return 0.5 * third;
  double const log = Kokkos::log(x); // li2(1-x) is the series at -ln(x)
  if (x <= 2)
    return 0.5 * third - log * Kokkos::log(Kokkos::abs(1 - x)) - series(-log);
  return third - 0.5 * log * log - series(-Kokkos::log1p(-1 / x));
}

/// The complete elliptic integral of the first kind of the parameter m = k^2, by the arithmetic-geometric mean.
KOKKOS_INLINE_FUNCTION double ellipk(double m) {
  if (!(m < 1))
    return m == 1 ? infinite : undefined;
  double a = 1, b = Kokkos::sqrt(1 - m);
  for (int i = 0; i < 20 && Kokkos::abs(a - b) > 1e-8 * a; ++i) {
    double const mean = 0.5 * (a + b);
    b = Kokkos::sqrt(a * b);
    a = mean;
  }
  return Kokkos::isinf(b) ? 0 : pi_v<double> / (a + b);
}

/// The complete elliptic integral of the second kind of the parameter m.
KOKKOS_INLINE_FUNCTION double ellipe(double m) {
  if (!(m < 1))
    return m == 1 ? 1 : undefined;
  if (m < 0) { // E(m) = sqrt(1-m) E(m/(m-1))
    double const root = Kokkos::sqrt(1 - m), rest = 1 / (1 - m);
    if (Kokkos::isinf(root))
      return infinite;
    if (m < -1)
      return root * (polynomials::ellipe_end(rest) + rest * Kokkos::log(1 - m) * polynomials::ellipe_log(rest));
    return root * polynomials::ellipe_begin(-m * rest);
  }
  if (m < 0.5)
    return polynomials::ellipe_begin(m);
  double const rest = 1 - m;
  return polynomials::ellipe_end(rest) - rest * Kokkos::log(rest) * polynomials::ellipe_log(rest);
}

} // namespace kubature::detail::special
