#pragma once

#include "cubatures.hpp"

#include <kubature/suite/suite.hpp>

/// Integrands of many shapes, which share their kernels.
namespace cubature {

using namespace kubature;
using cubatures::Bell;

/// 1 in the box from 0 to 0.3.
struct InABox {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    bool inside = true;
    for (int i = 0; i < x.size(); ++i)
      inside = inside && x[i] < Real(0.3);
    return inside ? Real(1) : Real(0);
  }
};

/// 1 in the unit ball.
struct InABall {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto square = Real(0);
    for (int i = 0; i < x.size(); ++i)
      square += x[i] * x[i];
    return square < Real(1) ? Real(1) : Real(0);
  }
};

/// The sum of the coordinates, but NaN at the origin.
struct NanInACorner {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < x.size(); ++i)
      sum += x[i];
    return sum * sum / sum;
  }
};

/// exp(-sum |x_i|).
struct Decay {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < x.size(); ++i)
      sum += Kokkos::abs(x[i]);
    return Kokkos::exp(-sum);
  }
};

/// The product of the square roots of the coordinates, or of their reciprocals.
template <bool reciprocal>
struct Roots {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto product = Real(1);
    for (int i = 0; i < x.size(); ++i)
      product *= Kokkos::sqrt(x[i]);
    return reciprocal ? Real(1) / product : product;
  }
};

// Integrands of one type share their kernels.
using Shapes = suite::OneOf<Bell, Decay, InABox, InABall, NanInACorner, Roots<false>, Roots<true>>;
inline constexpr Shapes bell{0}, decay{1}, in_a_box{2}, in_a_ball{3}, nan_in_a_corner{4}, roots{5}, reciprocal_roots{6};

} // namespace cubature
