#pragma once

#include <kubature/detail/special/tails.hpp>

/// \file
/// The regularised incomplete beta function, its inverse, and Student's distribution. Source: DiDonato and Morris, ACM
/// Trans. Math. Softw. 18 (1992) 360.

namespace kubature::detail::special {

/// The beta distribution of x, as that of the odds x / (1 - x), which have all digits at both ends.
class BetaDistribution {
public:
  [[gnu::noinline]] KOKKOS_FUNCTION BetaDistribution(double a, double b)
      : a_(a), b_(b), factor_(Kokkos::sqrt(a / (2 * pi_v<double>)*(b / (a + b))) *
                              (scaled_gamma(a + b) / (scaled_gamma(a) * scaled_gamma(b)))) {}

  /// The probability of values below x, where y = 1 - x, 0 < x < 1.
  [[gnu::noinline]] KOKKOS_FUNCTION Tail below(double x, double y) const {
    double const excess = b_ * x - a_ * y, sum = a_ + b_,
                 w = factor_ * saddle(a_, sum * x / a_, excess / a_) * saddle(b_, sum * y / b_, -excess / b_);
    Tail result{0, w, -excess};
    if (b_ < 1 && y < 0.7 && a_ * y < 1.5)
      result.probability = rest_of_small(b_, a_, y);
    else if (a_ > b_ ? y * (sum + 2) > b_ + 1 : x * (sum + 2) < a_ + 1) // by what is not rounded to 1
      result.probability = w * fraction(a_, b_, x, -excess);
    else
      result.probability = 1 - w * fraction(b_, a_, y, excess);
    return result;
  }

  /// The odds below which there is p, from some close to them.
  [[gnu::noinline]] KOKKOS_FUNCTION double refined(double odds, double p) const {
    double const x = odds / (1 + odds), y = 1 / (1 + odds);
    if (a_ < 1 && x < 0.3 && b_ * x < 0.3) {
      double const better = small_quantile(a_, p, 0, scale(a_, b_) - Kokkos::log(a_ + b_), x,
                                           [&](double at) { return alternating(a_, b_, at); });
      return better / (1 - better);
    }
    if (b_ < 1 && y < 0.3 && a_ * y < 0.3) {
      double const above = 1 - p, rest = (1 - above) - p,
                   better = small_quantile(b_, above, rest, scale(b_, a_) - Kokkos::log(a_ + b_), y,
                                           [&](double at) { return alternating(b_, a_, at); });
      return (1 - better) / better;
    }
    return odds;
  }

private:
  /// I_x(a, b) / weight, by a continued fraction. @param rest a y - b x
  KOKKOS_INLINE_FUNCTION static double fraction(double a, double b, double x, double rest) {
    double c = infinite, d = a * (rest + 1) / (a + 1), value;
    d = 1 / d;
    value = d;
    for (double m = 1; m < 10000; ++m) {
      double const odd = a + 2 * m - 1, beta = m * (b - m) * x / odd,
                   factor = (a + m - 1) * (a + b + m - 1) * x / odd * beta,
                   term = m + beta + (a + m) * (rest + 1 + m * (2 - x)) / (odd + 2);
      d = 1 / (factor * d + term);
      c = term + factor / c;
      value *= c * d;
      if (Kokkos::abs(c * d - 1) < 1e-15)
        break;
    }
    return value;
  }

  /// 1 - I_x(a, b) for a < 1, x < 0.7 and b x < 1.5, without cancellation: that of x^a / (a beta(a, b)) from 1, and an
  /// alternating series.
  KOKKOS_INLINE_FUNCTION static double rest_of_small(double a, double b, double x) {
    double const power = a * (Kokkos::log(x * (a + b)) - scale(a, b));
    return a * alternating(a, b, x) * Kokkos::exp(power) - Kokkos::expm1(power);
  }
  /// (1 - I_x(a, b) a beta(a, b) / x^a) / a = (b-1) x/(a+1) - (b-1)(b-2) x^2/(2! (a+2)) + ...
  KOKKOS_INLINE_FUNCTION static double alternating(double a, double b, double x) {
    double term = 1, sum = 0;
    for (double n = 1; n < 200 && Kokkos::abs(term) > 1e-17 * Kokkos::abs(sum); ++n) {
      term *= (n - b) / n * x;
      sum -= term / (a + n);
    }
    return sum;
  }
  /// ln(a beta(a, b) (a + b)^a) / a for a < 1.
  KOKKOS_INLINE_FUNCTION static double scale(double a, double b) {
    return polynomials::lgamma1p(a) - log_gamma_ratio(a, b) / a;
  }

  /// ln(tgamma(a + b) / tgamma(b) / (a + b)^a) for 0 < a < 1, to a rounding error of a.
  KOKKOS_INLINE_FUNCTION static double log_gamma_ratio(double a, double b) {
    double result = 0, first = a + b;
    for (; b < 10; ++b)
      result -= Kokkos::log1p(a / b);
    return result + (b - 0.5) * Kokkos::log1p(a / b) + a * (Kokkos::log((a + b) / first) - 1) +
           (beyond_stirling(a + b) - beyond_stirling(b));
  }

  double a_, b_, factor_;
};

/// The logarithm of the odds below which the beta distribution has probability p, as p goes to 0.
[[gnu::noinline]] inline KOKKOS_FUNCTION double log_of_far_odds(double a, double b, double p) {
  return (Kokkos::log(p) + Kokkos::log(a * beta(a, b))) / a;
}

/// About the odds below which the beta distribution has probability p <= 1/2 (Abramowitz and Stegun, 26.5.22).
[[gnu::noinline]] inline KOKKOS_FUNCTION double near_beta_odds(double a, double b, double p) {
  if (a > 0.6 && b > 0.6) {
    double const z = norminv(p), r = (z * z - 3) / 6, s = 1 / (2 * a - 1), t = 1 / (2 * b - 1), h = 2 / (s + t);
    if (h + r > 0) {
      double const w = -z * Kokkos::sqrt(h + r) / h - (t - s) * (r + 5.0 / 6 - 2 / (3 * h));
      if (Kokkos::abs(w) < 4)
        return a / b * Kokkos::exp(-2 * w);
    }
  }
  double const far = Kokkos::exp(log_of_far_odds(a, b, p));
  if (far < 0.9)
    return far / (1 - far);
  double const other = Kokkos::exp(log_of_far_odds(b, a, 1 - p));
  return other < 0.5 ? 1 / other : a / b;
}

/// The odds below which the beta distribution has probability p <= 1/2.
[[gnu::noinline]] inline KOKKOS_FUNCTION double beta_odds(double a, double b, double p) {
  BetaDistribution const distribution(a, b);
  double const odds = tail_quantile([&](double at) { return distribution.below(at / (1 + at), 1 / (1 + at)); }, p,
                                    near_beta_odds(a, b, p), 1);
  return distribution.refined(odds, p);
}

/// Whether these are parameters of a beta distribution.
KOKKOS_INLINE_FUNCTION bool is_beta(double a, double b) { return a > 0 && b > 0 && a < infinite && b < infinite; }

/// I_x(a, b), the integral of t^(a-1) (1-t)^(b-1) / beta(a, b) over 0 ... x; NaN unless a, b > 0 and 0 <= x <= 1.
KOKKOS_INLINE_FUNCTION double beta_i(double a, double b, double x) {
  if (!(is_beta(a, b) && x >= 0 && x <= 1))
    return undefined;
  return x == 0 || x == 1 ? x : BetaDistribution(a, b).below(x, 1 - x).probability;
}

/// The x with I_x(a, b) = p; for p < 0 that with I_x(a, b) = 1 + p. NaN unless a, b > 0 and -1 <= p <= 1.
KOKKOS_INLINE_FUNCTION double beta_quantile(double a, double b, double p) {
  if (!(is_beta(a, b) && p >= -1 && p <= 1))
    return undefined;
  bool const above = p < 0 ? p >= -0.5 : p > 0.5;
  double const size = p < 0 ? -p : p, tail = size <= 0.5 ? size : 1 - size;
  if (tail == 0)
    return above ? 1 : 0;
  double const odds = above ? beta_odds(b, a, tail) : beta_odds(a, b, tail);
  return above ? 1 / (1 + odds) : odds >= infinite ? 1 : odds / (1 + odds);
}

/// The probability of values below t of Student's distribution with nu degrees of freedom; nu may be infinite.
KOKKOS_INLINE_FUNCTION double student_t_cdf(double nu, double t) {
  if (!(nu > 0) || Kokkos::isnan(t))
    return undefined;
  if (nu > 1e19)
    return normcdf(t);
  double const scaled = t / Kokkos::sqrt(nu), odds = scaled * scaled; // of y = t^2 / (nu + t^2)
  if (t == 0 || Kokkos::isinf(t))
    return t == 0 ? 0.5 : t > 0 ? 1 : 0;
  double tail; // beyond |t|
  if (odds < 1e-290) {
    tail = 0.5;
  } else if (odds > 1e290) {
    tail = 0.5 * Kokkos::pow(Kokkos::abs(scaled), -nu) / (0.5 * nu * beta(0.5 * nu, 0.5));
  } else
    tail = 0.5 * BetaDistribution(0.5 * nu, 0.5).below(1 / (1 + odds), odds / (1 + odds)).probability;
  return t < 0 ? tail : 1 - tail;
}

/// The t with student_t_cdf(nu, t) = p; for p < 0 that with the probability -p above t. NaN unless nu > 0 and
/// -1 <= p <= 1.
KOKKOS_INLINE_FUNCTION double student_t_quantile(double nu, double p) {
  if (!(nu > 0 && p >= -1 && p <= 1))
    return undefined;
  double const sign = (p < 0 ? p >= -0.5 : p > 0.5) ? 1 : -1, part = Kokkos::abs(p),
               tail = part <= 0.5 ? part : 1 - part;
  if (nu > 1e19)
    return -sign * norminv(tail);
  if (tail == 0)
    return sign * infinite;
  double const a = 0.5 * nu;
  if (tail > 0.25) { // 1 - 2 tail is exact
    double const centre = 1 - 2 * tail;
    return centre > 0 ? sign * Kokkos::sqrt(nu * beta_odds(0.5, a, centre)) : 0;
  }
  if (log_of_far_odds(a, 0.5, 2 * tail) < -680) { // the odds, if they are a number, are proportional to tail^(2/nu)
    double const power = 2 * tail * a * beta(a, 0.5), size = Kokkos::pow(power, -1 / nu);
    return sign * Kokkos::sqrt(nu) * size * (1 + (Kokkos::pow(size, -nu) / power - 1) / nu); // 1 / nu is rounded
  }
  return sign * Kokkos::sqrt(nu / beta_odds(a, 0.5, 2 * tail));
}

} // namespace kubature::detail::special
