#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Macros.hpp>

#include <type_traits>

namespace kubature::detail {

/// W points in the box, with the Jacobian of the map to them.
template <class Sample, class Acc, int D, int W>
struct Points {
  Point<Sample, D> x[W];
  Acc jacobian[W];
};

/// Places points as drawn in the box: maps their infinite sides, and those of a channel.
/// @tparam channels see Transform::map
template <bool channels, class Transform, class Points>
KOKKOS_FUNCTION void place_drawn(Transform const& transform, Points& to) {
  using Acc = std::remove_reference_t<decltype(to.jacobian[0])>;
  if (transform.template maps<channels>())
    for (int w = 0; w < static_cast<int>(std::extent_v<decltype(to.x)>); ++w)
      to.jacobian[w] *= transform.template map<Acc, channels>(to.x[w]);
}

} // namespace kubature::detail
