#pragma once

#include <kubature/detail/special/polynomials.hpp>

#include <Kokkos_MathematicalConstants.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_NumericTraits.hpp>

/// Bessel functions of orders 0 and 1 in double precision: polynomials for small arguments, and for large ones the
/// amplitude and the phase, or the exponential, times polynomials in 1/x.
namespace kubature::detail::special {

/// p cos(x - pi/4) - q sin(x - pi/4) times sqrt(2 / (pi x)).
KOKKOS_INLINE_FUNCTION double wave(double x, double p, double q) {
  double const c = Kokkos::cos(x), s = Kokkos::sin(x);
  return (p * (c + s) - q * (s - c)) / Kokkos::sqrt(Kokkos::numbers::pi_v<double> * x);
}

KOKKOS_INLINE_FUNCTION double j0(double x) {
  x = Kokkos::abs(x);
  if (x < 4)
    return polynomials::j0_near(x * x);
  if (x < 8)
    return polynomials::j0_middle(x);
  double const z = (8 / x) * (8 / x);
  return Kokkos::isinf(x) ? 0 : wave(x, polynomials::hankel_p0(z), polynomials::hankel_q0(z) / x);
}

KOKKOS_INLINE_FUNCTION double j1(double a) {
  double const x = Kokkos::abs(a);
  if (x < 4)
    return a * polynomials::j1_near(x * x);
  double value = 0;
  if (x < 8) {
    value = polynomials::j1_middle(x);
  } else if (!Kokkos::isinf(x)) {
    double const z = (8 / x) * (8 / x);
    value = wave(x, polynomials::hankel_q1(z) / x, -polynomials::hankel_p1(z));
  }
  return a < 0 ? -value : value;
}

KOKKOS_INLINE_FUNCTION double y0(double x) {
  constexpr double two_over_pi = 0.63661977236758134308;
  if (!(x > 0))
    return x == 0 ? -Kokkos::Experimental::infinity_v<double> : Kokkos::Experimental::quiet_NaN_v<double>;
  if (x < 2)
    return two_over_pi * Kokkos::log(x) * j0(x) + polynomials::y0_near(x * x);
  if (x < 4)
    return polynomials::y0_low(x);
  if (x < 8)
    return polynomials::y0_middle(x);
  double const z = (8 / x) * (8 / x);
  return Kokkos::isinf(x) ? 0 : wave(x, polynomials::hankel_q0(z) / x, -polynomials::hankel_p0(z));
}

KOKKOS_INLINE_FUNCTION double y1(double x) {
  constexpr double two_over_pi = 0.63661977236758134308;
  if (!(x > 0))
    return x == 0 ? -Kokkos::Experimental::infinity_v<double> : Kokkos::Experimental::quiet_NaN_v<double>;
  if (x < 2)
    return two_over_pi * Kokkos::log(x) * j1(x) + x * polynomials::y1_near(x * x) - two_over_pi / x;
  if (x < 4)
    return polynomials::y1_low(x);
  if (x < 8)
    return polynomials::y1_middle(x);
  double const z = (8 / x) * (8 / x);
  return Kokkos::isinf(x) ? 0 : wave(x, -polynomials::hankel_p1(z), -polynomials::hankel_q1(z) / x);
}

/// exp(x) factor / sqrt(x), which may be finite where exp(x) is not.
KOKKOS_INLINE_FUNCTION double growing(double x, double factor) {
  if (x < 709)
    return Kokkos::exp(x) * (factor / Kokkos::sqrt(x));
  double const half = Kokkos::exp(0.5 * x);
  return x > 720 ? Kokkos::Experimental::infinity_v<double> : half * (factor / Kokkos::sqrt(x)) * half;
}

KOKKOS_INLINE_FUNCTION double i0(double x) {
  x = Kokkos::abs(x);
  if (x < 8)
    return polynomials::i0_near(0.25 * x * x);
  return growing(x, x < 20 ? polynomials::i0_middle(8 / x) : polynomials::i0_far(20 / x));
}

KOKKOS_INLINE_FUNCTION double i1(double a) {
  double const x = Kokkos::abs(a);
  if (x < 8)
    return 0.5 * a * polynomials::i1_near(0.25 * x * x);
  double const value = growing(x, x < 20 ? polynomials::i1_middle(8 / x) : polynomials::i1_far(20 / x));
  return a < 0 ? -value : value;
}

KOKKOS_INLINE_FUNCTION double k0(double x) {
  if (!(x > 0))
    return x == 0 ? Kokkos::Experimental::infinity_v<double> : Kokkos::Experimental::quiet_NaN_v<double>;
  if (x < 1)
    return polynomials::k0_near(x * x) - Kokkos::log(x) * i0(x);
  double const factor = x < 2   ? polynomials::k0_low(x)
                        : x < 8 ? polynomials::k0_middle(2 / x)
                                : polynomials::k0_far(8 / x);
  return Kokkos::exp(-x) * (factor / Kokkos::sqrt(x));
}

KOKKOS_INLINE_FUNCTION double k1(double x) {
  if (!(x > 0))
    return x == 0 ? Kokkos::Experimental::infinity_v<double> : Kokkos::Experimental::quiet_NaN_v<double>;
  if (x < 1)
    return 1 / x + (Kokkos::log(x) * i1(x) + x * polynomials::k1_near(x * x));
  double const factor = x < 2   ? polynomials::k1_low(x)
                        : x < 8 ? polynomials::k1_middle(2 / x)
                                : polynomials::k1_far(8 / x);
  return Kokkos::exp(-x) * (factor / Kokkos::sqrt(x));
}

} // namespace kubature::detail::special
