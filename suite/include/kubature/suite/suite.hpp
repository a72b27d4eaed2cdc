#pragma once

#include <kubature/suite/cuvegas.hpp>
#include <kubature/suite/genz.hpp>
#include <kubature/suite/mixed.hpp>
#include <kubature/suite/two_phase.hpp>

#include <Kokkos_Core.hpp>

#include <tuple>
#include <utility>

/// \file
/// The integrals of the papers whose methods the library implements, with their true values.

namespace kubature::suite {

/// The integrals of all papers.
struct All {
  static auto integrals() {
    return std::tuple_cat(Genz::integrals(), CuVegas::integrals(), TwoPhase::integrals(), Mixed::integrals());
  }
};

/// One of several integrands, chosen at run time, so that all have the same kernels.
template <class... F>
struct OneOf {
  int chosen;

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto value = Real(0);
    int i = 0;
    static_cast<void>(((i++ == chosen && (value = F{}(x), true)) || ...));
    return value;
  }
};

namespace detail {

template <int D, int E, class F>
auto if_of_dimension(Integral<E, F> const& integral) {
  if constexpr (D == E)
    return std::tuple(integral);
  else
    return std::tuple();
}

template <int D, class Visitor>
void for_each_of_dimension(Visitor& visit) {
  auto const chosen =
      std::apply([](auto const&... all) { return std::tuple_cat(if_of_dimension<D>(all)...); }, All::integrals());
  std::apply(
      [&]<class... F>(Integral<D, F> const&... of_dimension) {
        int i = 0;
        (visit(of_dimension.entry, OneOf<F...>{i++}, of_dimension.box()), ...);
      },
      chosen);
}

} // namespace detail

/// The smallest and the largest dimension of the integrals.
inline constexpr int least_dimension = 2, largest_dimension = 10;

/// Calls visit(Entry const&, integrand, Box<D>) for each integral of First to Last dimensions. The integrands of one
/// dimension share a type, which compiles in a fraction of the time that a type for each would take.
template <int First, int Last, class Visitor>
void for_each_by_dimension(Visitor&& visit) {
  [&]<int... K>(std::integer_sequence<int, K...>) {
    (detail::for_each_of_dimension<First + K>(visit), ...);
  }(std::make_integer_sequence<int, Last - First + 1>());
}

} // namespace kubature::suite
