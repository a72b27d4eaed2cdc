#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace kubature::suite {

/// x^N by repeated squaring.
template <int N, class Real>
KOKKOS_FUNCTION constexpr Real power(Real x) {
  static_assert(N >= 1);
  if constexpr (N == 1) {
    return x;
  } else {
    Real const half = power<N / 2>(x);
    return N % 2 == 0 ? half * half : half * half * x;
  }
}

/// The sum of term(i, x_i) for i from 1 to D.
template <class Real, int D, class Term>
KOKKOS_FUNCTION Real sum(Point<Real, D> const& x, Term const& term) {
  auto total = Real(0);
  for (int i = 0; i < D; ++i)
    total += term(i + 1, x[i]);
  return total;
}

/// The product of factor(i, x_i) for i from 1 to D.
template <class Real, int D, class Factor>
KOKKOS_FUNCTION Real product(Point<Real, D> const& x, Factor const& factor) {
  auto total = Real(1);
  for (int i = 0; i < D; ++i)
    total *= factor(i + 1, x[i]);
  return total;
}

/// The sum of i x_i.
template <class Real, int D>
KOKKOS_FUNCTION Real weighted_sum(Point<Real, D> const& x) {
  return sum(x, [](int i, Real t) { return Real(i) * t; });
}

/// The sum of (x_i - center)^2.
template <class Real, int D>
KOKKOS_FUNCTION Real squared_distance(Point<Real, D> const& x, Real center) {
  return sum(x, [center](int, Real t) { return (t - center) * (t - center); });
}

} // namespace kubature::suite
