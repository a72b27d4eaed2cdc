#pragma once

#include <kubature/detail/special/tails.hpp>

/// \file
/// The regularised incomplete gamma functions and their inverse. Sources: Gautschi, ACM Trans. Math. Softw. 5 (1979)
/// 466; DiDonato and Morris, ACM Trans. Math. Softw. 12 (1986) 377; Gil, Segura and Temme, SIAM J. Sci. Comput. 34
/// (2012) A2965.

namespace kubature::detail::special {

/// The gamma distribution with shape a and scale 1.
class GammaDistribution {
public:
  [[gnu::noinline]] KOKKOS_FUNCTION explicit GammaDistribution(double shape)
      : a_(shape), factor_(shape < least_saddle ? 1 / Kokkos::tgamma(shape)
                                                : Kokkos::sqrt(shape / (2 * pi_v<double>)) / scaled_gamma(shape)) {}

  /// x times the density.
  KOKKOS_INLINE_FUNCTION double weight(double x) const {
    return factor_ * (a_ < least_saddle ? Kokkos::pow(x, a_) * Kokkos::exp(-x) : saddle(a_, x / a_, (x - a_) / a_));
  }

  /// The probability of values above x, or of those below, for 0 < x < infinity.
  [[gnu::noinline]] KOKKOS_FUNCTION Tail tail(double x, bool above) const {
    double const w = weight(x), t = (x - a_) / a_;
    Tail result{0, w, a_ - x};
    auto const tail = [&](bool is_above, double probability) { // one of both
      result.probability = is_above == above ? probability : 1 - probability;
      return result;
    };
    if (a_ >= least_uniform && t > -0.4 && t < 0.6)
      return tail(t > 0, uniform(t));
    if (x < 1.5 && a_ < 1 && above)
      return tail(true, above_small(x));
    return x < a_ + 1 ? tail(false, w * series(x)) : tail(true, w * fraction(x));
  }

  /// The x of a tail with the probability p, from one close to it.
  [[gnu::noinline]] KOKKOS_FUNCTION double refined(double x, double p, bool above) const {
    if (!(a_ < 1 && x < 0.3))
      return x;
    double const below = above ? 1 - p : p, rest = above ? (1 - below) - p : 0;
    return small_quantile(a_, below, rest, polynomials::lgamma1p(a_), x, [&](double at) { return alternating(at); });
  }

private:
  static constexpr double least_saddle = 10, least_uniform = 20;

  /// P / weight = 1/a (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...).
  KOKKOS_INLINE_FUNCTION double series(double x) const {
    double term = 1, sum = 1;
    for (double n = 1; n < 1000 && term > 1e-17 * sum; ++n) {
      term *= x / (a_ + n);
      sum += term;
    }
    return sum / a_;
  }

  /// Q / weight, by Legendre's continued fraction, from its end: as many terms as x >= 1.5 needs below a = 20, or
  /// x >= 1.6 a above.
  KOKKOS_INLINE_FUNCTION double fraction(double x) const {
    double const terms = Kokkos::floor(130 / x + Kokkos::fmin(a_, least_uniform)) + 5;
    double value = x + 2 * terms + 1 - a_;
    for (double n = terms; n > 0; --n)
      value = x + 2 * n - 1 - a_ - n * (n - a_) / value;
    return 1 / value;
  }

  /// Q for a < 1 and x < 1.5: 1 - x^a/tgamma(1+a) and the rest of an alternating series, none of which cancels.
  KOKKOS_INLINE_FUNCTION double above_small(double x) const {
    double const power = a_ * (Kokkos::log(x) - polynomials::lgamma1p(a_));
    return a_ * alternating(x) * Kokkos::exp(power) - Kokkos::expm1(power);
  }
  /// (1 - P tgamma(1+a) / x^a) / a = x/(a+1) - x^2/(2! (a+2)) + ...
  KOKKOS_INLINE_FUNCTION double alternating(double x) const {
    double term = -1, sum = 0;
    for (int n = 1; n < 60 && Kokkos::abs(term) > 1e-17 * sum; ++n) {
      term *= -x / n;
      sum += term / (a_ + n);
    }
    return sum;
  }

  /// The smaller tail by Temme's uniform expansion about x = a (1 + t) for large a: that above for t > 0.
  KOKKOS_INLINE_FUNCTION double uniform(double t) const {
    double const half = log1p_rest(t), s = Kokkos::copysign(Kokkos::sqrt(2 * half), t);
    double next = polynomials::temme(26), now = polynomials::temme(25), sum = now + next * s;
    for (int n = 24; n > 0; --n) {
      double const before = polynomials::temme(n) + (n + 1) * next / a_;
      next = now;
      now = before;
      sum = sum * s + before;
    }
    double const correction = sum / (1 + next / a_) / Kokkos::sqrt(2 * pi_v<double> * a_);
    return (0.5 * erfcx(Kokkos::sqrt(a_ * half)) + (t > 0 ? correction : -correction)) * Kokkos::exp(-a_ * half);
  }

  double a_, factor_;
};

/// The probability of values above x, or of those below; NaN unless a > 0 and x >= 0.
[[gnu::noinline]] inline KOKKOS_FUNCTION double gamma_tail(double a, double x, bool above) {
  if (!(a > 0 && x >= 0) || Kokkos::isinf(a))
    return undefined;
  if (x == 0 || Kokkos::isinf(x))
    return (x == 0) == above ? 1 : 0;
  double const p = GammaDistribution(a).tail(x, above).probability;
  return Kokkos::fmin(p, 1.0);
}

/// P(a, x), the integral of t^(a-1) exp(-t) / tgamma(a) over 0 ... x.
KOKKOS_INLINE_FUNCTION double gamma_p(double a, double x) { return gamma_tail(a, x, false); }
/// Q(a, x) = 1 - P(a, x).
KOKKOS_INLINE_FUNCTION double gamma_q(double a, double x) { return gamma_tail(a, x, true); }

/// About where a tail of the gamma distribution has the probability p <= 1/2.
[[gnu::noinline]] inline KOKKOS_FUNCTION double near_gamma_quantile(double a, double p, bool above) {
  double const log_gamma = a < 1 ? a * polynomials::lgamma1p(a) : Kokkos::lgamma(a + 1); // of a + 1
  double const z = above ? -norminv(p) : norminv(p), root = 1 / (3 * Kokkos::sqrt(a)),
               cube = 1 - root * root + z * root;
  if (above) {
    double const far = -Kokkos::log(p) - log_gamma + Kokkos::log(a);
    if (a < 5 && far > 4)
      return far + (a - 1) * Kokkos::log(far);
  }
  if (a >= 0.5 && cube > (above ? 0.0 : 0.3))
    return a * cube * cube * cube;
  return Kokkos::exp((Kokkos::log(above ? 1 - p : p) + log_gamma) / a);
}

/// The x with P(a, x) = p; for p < 0 that with Q(a, x) = -p. NaN unless a > 0 and -1 <= p <= 1.
[[gnu::noinline]] inline KOKKOS_FUNCTION double gamma_quantile(double a, double p) {
  if (!(a > 0 && p >= -1 && p <= 1) || Kokkos::isinf(a))
    return undefined;
  bool const above = p < 0 ? p >= -0.5 : p > 0.5;
  double const size = p < 0 ? -p : p, tail = size <= 0.5 ? size : 1 - size;
  if (tail == 0)
    return above ? infinite : 0;
  GammaDistribution const gamma(a);
  double const x = tail_quantile([&](double at) { return gamma.tail(at, above); }, tail,
                                 near_gamma_quantile(a, tail, above), above ? -1 : 1);
  return gamma.refined(x, tail, above);
}

} // namespace kubature::detail::special
