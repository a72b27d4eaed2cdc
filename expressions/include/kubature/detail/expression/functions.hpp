#pragma once

#include <kubature/detail/special/bessel_functions.hpp>
#include <kubature/detail/special/functions.hpp>
#include <kubature/detail/special/incomplete_beta.hpp>
#include <kubature/detail/special/incomplete_gamma.hpp>

#include <Kokkos_Macros.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <Kokkos_Core.hpp> // Kokkos 4.6 has no half precision for HIP without it
#endif
#include <Kokkos_Half.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <type_traits>

/// The functions of expressions, one per line: ONE for those of a, TWO for those of a and b, ALIAS for a second name.
/// The parser, the constant folding and the interpreter are all generated from this table, so a line added here adds a
/// function everywhere. `Real` is the type of evaluation.
#define KUBATURE_EXPRESSION_FUNCTIONS(ONE, TWO, ALIAS)                                                                 \
  ONE(abs, Kokkos::abs(a))                                                                                             \
  ALIAS(fabs, abs)                                                                                                     \
  ONE(sign, sign(a))                                                                                                   \
  TWO(fmod, Kokkos::fmod(a, b))                                                                                        \
  TWO(remainder, Kokkos::remainder(a, b))                                                                              \
  TWO(fdim, Kokkos::fdim(a, b))                                                                                        \
  TWO(min, Kokkos::fmin(a, b))                                                                                         \
  TWO(max, Kokkos::fmax(a, b))                                                                                         \
  ALIAS(fmin, min)                                                                                                     \
  ALIAS(fmax, max)                                                                                                     \
  ONE(exp, Kokkos::exp(a))                                                                                             \
  ONE(exp2, Kokkos::exp2(a))                                                                                           \
  ONE(expm1, Kokkos::expm1(a))                                                                                         \
  ONE(log, Kokkos::log(a))                                                                                             \
  ALIAS(ln, log)                                                                                                       \
  ONE(log2, Kokkos::log2(a))                                                                                           \
  ONE(log10, Kokkos::log10(a))                                                                                         \
  ONE(log1p, Kokkos::log1p(a))                                                                                         \
  TWO(pow, Kokkos::pow(a, b))                                                                                          \
  ONE(sqrt, Kokkos::sqrt(a))                                                                                           \
  ONE(rsqrt, rsqrt(a))                                                                                                 \
  ONE(cbrt, Kokkos::cbrt(a))                                                                                           \
  TWO(hypot, Kokkos::hypot(a, b))                                                                                      \
  ONE(sin, Kokkos::sin(a))                                                                                             \
  ONE(cos, Kokkos::cos(a))                                                                                             \
  ONE(tan, Kokkos::tan(a))                                                                                             \
  ONE(asin, Kokkos::asin(a))                                                                                           \
  ONE(acos, Kokkos::acos(a))                                                                                           \
  ONE(atan, Kokkos::atan(a))                                                                                           \
  TWO(atan2, Kokkos::atan2(a, b))                                                                                      \
  ALIAS(arcsin, asin)                                                                                                  \
  ALIAS(arccos, acos)                                                                                                  \
  ALIAS(arctan, atan)                                                                                                  \
  ALIAS(arctan2, atan2)                                                                                                \
  ONE(sinh, Kokkos::sinh(a))                                                                                           \
  ONE(cosh, Kokkos::cosh(a))                                                                                           \
  ONE(tanh, Kokkos::tanh(a))                                                                                           \
  ONE(asinh, Kokkos::asinh(a))                                                                                         \
  ONE(acosh, Kokkos::acosh(a))                                                                                         \
  ONE(atanh, Kokkos::atanh(a))                                                                                         \
  ALIAS(arcsinh, asinh)                                                                                                \
  ALIAS(arccosh, acosh)                                                                                                \
  ALIAS(arctanh, atanh)                                                                                                \
  ONE(erf, Kokkos::erf(a))                                                                                             \
  ONE(erfc, Kokkos::erfc(a))                                                                                           \
  ONE(tgamma, Kokkos::tgamma(a))                                                                                       \
  ALIAS(gamma, tgamma)                                                                                                 \
  ONE(lgamma, Kokkos::lgamma(a))                                                                                       \
  ONE(ceil, Kokkos::ceil(a))                                                                                           \
  ONE(floor, Kokkos::floor(a))                                                                                         \
  ONE(trunc, Kokkos::trunc(a))                                                                                         \
  ONE(round, Kokkos::round(a))                                                                                         \
  ONE(rint, round_to_even(a))                                                                                          \
  ALIAS(nearbyint, rint)                                                                                               \
  ONE(logb, Kokkos::logb(a))                                                                                           \
  TWO(copysign, Kokkos::copysign(a, b))                                                                                \
  ONE(isnan, Kokkos::isnan(a) ? Real(1) : Real(0))                                                                     \
  ONE(isinf, Kokkos::isinf(a) ? Real(1) : Real(0))                                                                     \
  ONE(isfinite, Kokkos::isfinite(a) ? Real(1) : Real(0))

/// As above, for functions that are evaluated in double precision, one value at a time. The caller's variables may have
/// their names.
#define KUBATURE_EXPRESSION_SPECIAL_FUNCTIONS(ONE, TWO, ALIAS)                                                         \
  ONE(erfcx, special::erfcx(a))                                                                                        \
  ONE(normpdf, special::normpdf(a))                                                                                    \
  ONE(normcdf, special::normcdf(a))                                                                                    \
  ONE(norminv, special::norminv(a))                                                                                    \
  ALIAS(normal_quantile, norminv)                                                                                      \
  TWO(beta, special::beta(a, b))                                                                                       \
  ONE(digamma, special::digamma(a))                                                                                    \
  ALIAS(psi, digamma)                                                                                                  \
  ONE(li2, special::li2(a))                                                                                            \
  ALIAS(dilog, li2)                                                                                                    \
  ONE(ellipk, special::ellipk(a))                                                                                      \
  ONE(ellipe, special::ellipe(a))                                                                                      \
  ONE(sinc, special::sinc(a))                                                                                          \
  ONE(j0, special::j0(a))                                                                                              \
  ONE(j1, special::j1(a))                                                                                              \
  ONE(y0, special::y0(a))                                                                                              \
  ONE(y1, special::y1(a))                                                                                              \
  ONE(i0, special::i0(a))                                                                                              \
  ONE(i1, special::i1(a))                                                                                              \
  ONE(k0, special::k0(a))                                                                                              \
  ONE(k1, special::k1(a))

/// Functions of distributions of two or three arguments, likewise, which take all their arguments from the stack. They
/// iterate, and have kernels of their own on GPUs.
#define KUBATURE_EXPRESSION_DISTRIBUTIONS(TWO, THREE)                                                                  \
  TWO(gamma_p, special::gamma_p(a, b))                                                                                 \
  TWO(gamma_q, special::gamma_q(a, b))                                                                                 \
  TWO(gamma_quantile, special::gamma_quantile(a, b))                                                                   \
  TWO(student_t_cdf, special::student_t_cdf(a, b))                                                                     \
  TWO(student_t_quantile, special::student_t_quantile(a, b))                                                           \
  THREE(beta_i, special::beta_i(a, b, c))                                                                              \
  THREE(beta_quantile, special::beta_quantile(a, b, c))

namespace kubature::detail::expression {

/// -1, 0 or 1; zero and NaN are returned unchanged.
template <class Real>
KOKKOS_INLINE_FUNCTION Real sign(Real a) {
  return a > Real(0) ? Real(1) : a < Real(0) ? Real(-1) : a;
}

/// 1 / sqrt(a). Kokkos::rsqrt has no overload for half precision.
template <class Real>
KOKKOS_INLINE_FUNCTION Real rsqrt(Real a) {
  if constexpr (std::is_floating_point_v<Real>)
    return Kokkos::rsqrt(a);
  else
    return static_cast<Real>(Kokkos::rsqrt(static_cast<float>(a)));
}

/// The nearest integer, halves rounded to even, as nearbyint does, which Kokkos lacks on SYCL.
template <class Real>
KOKKOS_INLINE_FUNCTION Real round_to_even(Real a) {
  bool const halfway = Kokkos::abs(a - Kokkos::trunc(a)) == Real(0.5);
  return halfway ? Real(2) * Kokkos::round(Real(0.5) * a) : Kokkos::round(a);
}

} // namespace kubature::detail::expression
