#pragma once

#include <kubature/batched.hpp>
#include <kubature/integrand.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// The values of a function object in batches, for tests of batched().
namespace values_of {

template <class Space, int C, int D, class F>
struct Kernel {
  F f;
  kubature::BatchPoints<Space> points;
  kubature::BatchValues<Space> values;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    kubature::Point<double, D> x;
    for (int i = 0; i < D; ++i)
      x[i] = points(k, i);
    auto const value = f(x);
    for (int c = 0; c < C; ++c)
      values(k, c) = kubature::detail::ValueTraits<std::remove_const_t<decltype(value)>>::get(value, c);
  }
};

/// Computes them by a kernel.
template <class Space, int C, int D, class F>
void evaluate(char const* label, Space const& exec, F const& f, kubature::BatchPoints<Space> const& points,
              kubature::BatchValues<Space> const& values) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(exec, 0, points.extent(0)),
                       Kernel<Space, C, D, F>{f, points, values});
}

} // namespace values_of
