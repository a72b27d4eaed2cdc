#pragma once

#include <kubature/expression.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

/// What the tests of formulas share that evaluate them where a space computes.
namespace expression_values {

/// Evaluates a formula of D variables at points, W side by side.
template <class Space, class Real, int D, int W>
struct Evaluate {
  kubature::DeviceExpression<typename Space::memory_space> f;
  Kokkos::View<double**, Space> points;
  Kokkos::View<double*, Space> values;

  KOKKOS_FUNCTION void operator()(int block) const {
    kubature::Point<Real, D> x[W];
    Real value[W];
    for (int w = 0; w < W; ++w)
      for (int axis = 0; axis < D; ++axis)
        x[w][axis] = static_cast<Real>(points(block * W + w, axis));
    f.batch(x, value);
    for (int w = 0; w < W; ++w)
      values(block * W + w) = static_cast<double>(value[w]);
  }
};

template <class Space>
constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

} // namespace expression_values
