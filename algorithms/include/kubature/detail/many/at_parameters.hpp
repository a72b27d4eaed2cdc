#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Macros.hpp>

namespace kubature::detail {

/// A function of a point and parameters, with the parameters of one integral.
template <class F, class Parameters>
struct AtParameters {
  F const* f;
  Parameters const* parameters;

  template <class Real, int D>
  KOKKOS_FUNCTION auto operator()(Point<Real, D> const& x) const {
    return (*f)(x, *parameters);
  }

  /// For functions that evaluate points side by side.
  template <class Real, int D, int W>
    requires requires(F const& g, Point<Real, D> const (&x)[W], Parameters const& a, Real (&value)[W]) {
      g.batch(x, a, value);
    }
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&value)[W]) const {
    f->batch(x, *parameters, value);
  }
};

} // namespace kubature::detail
