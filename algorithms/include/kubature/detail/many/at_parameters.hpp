#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Macros.hpp>

namespace kubature::detail {

/// A function of a point and of parameters, at the parameters of one integral.
template <class F, class Parameters>
struct AtParameters {
  F const* f;
  Parameters const* parameters;

  template <class Real, int D>
  KOKKOS_FUNCTION auto operator()(Point<Real, D> const& x) const {
    return (*f)(x, *parameters);
  }
};

} // namespace kubature::detail
