#pragma once

#include <kubature/qmc_choices.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace kubature::detail {

/// A number in [1, 2) from the upper bits of a fraction of 2^64, with its own last bit set: less one, it lies in (0,
/// 1), as far from the ends as from its neighbours.
template <class Real>
KOKKOS_INLINE_FUNCTION Real one_and(std::uint64_t fraction) {
  if constexpr (std::is_same_v<Real, double>)
    return Kokkos::bit_cast<double>(std::uint64_t{0x3ff} << 52 | fraction >> 12 | 1);
  else
    return Kokkos::bit_cast<float>(std::uint32_t{0x7f} << 23 | static_cast<std::uint32_t>(fraction >> 41) | 1);
}

/// A QmcTransform: t(u) along an axis, from (0, 1) to itself.
template <class Real>
struct Fold {
  Real centre = 1, slope = 1, top = 0; ///< t = top + slope |1 + u - centre|
  int order = 0;                       ///< of Korobov's polynomial, 0: none
  Real terms[4] = {};                  ///< t = u^(order + 1) (terms[0] + terms[1] u + ...) = 1 - t(1 - u)
  Real weight = 1;                     ///< t' = weight (u (1 - u))^order

  explicit Fold(QmcTransform transform) {
    auto const polynomial = [&](int n, double w, double a, double b, double c, double d) {
      order = n;
      weight = static_cast<Real>(w);
      for (int i = 0; double const term : {a, b, c, d})
        terms[i++] = static_cast<Real>(term);
    };
    if (transform == QmcTransform::tent || transform == QmcTransform::automatic) {
      centre = Real(1.5);
      slope = -2;
      top = 1;
    } else if (transform == QmcTransform::korobov1) {
      polynomial(1, 6, 3, -2, 0, 0);
    } else if (transform == QmcTransform::korobov2) {
      polynomial(2, 30, 10, -15, 6, 0);
    } else if (transform == QmcTransform::korobov3) {
      polynomial(3, 140, 35, -84, 70, -20);
    }
  }

  /// @param one_and_u 1 + u, as from one_and()
  /// @param jacobian  is multiplied by t'
  template <class Acc>
  KOKKOS_FUNCTION Real operator()(Real one_and_u, Acc& jacobian) const {
    Real const u = top + slope * Kokkos::abs(one_and_u - centre);
    if (order == 0)
      return u;
    bool const upper = u > Real(0.5);
    Real const end = upper ? 1 - u : u; // from the nearer end: rounding never increases the distance from it
    Real power = end, factor = weight;
    for (int i = 0; i < order; ++i) {
      power *= end;
      factor *= end * (1 - end);
    }
    jacobian *= static_cast<Acc>(factor);
    Real const t = power * (terms[0] + end * (terms[1] + end * (terms[2] + end * terms[3])));
    return upper ? 1 - t : t;
  }
};

} // namespace kubature::detail
