#pragma once

#include <kubature/covariance.hpp>
#include <kubature/integrand.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <source_location>

namespace kubature {

/// A density and observables under it; see expect().
template <class Density, class... Observables>
struct Expectation {
  Density density;                          ///< the weight p, which need not be normalised
  ComponentsOf<Observables...> observables; ///< what is averaged: g1, g2 and so on

  /// p, p g1, p g2, ... at x.
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 1 + sizeof...(Observables)> operator()(Point<Real, D> const& x) const {
    Kokkos::Array<Real, 1 + sizeof...(Observables)> values;
    Real const weight = density(x);
    values[0] = weight;
    observables.fill(x, values.data() + 1);
    for (std::size_t k = 1; k < values.size(); ++k)
      values[k] = weight * values[k];
    return values;
  }
};

/// The integrand with components p, p g1, p g2, ..., where p is a density, which need not be normalised, and g1, g2,
/// ... are observables. Expectation values are ratios of integrals over the same samples. Integrate with .covariance =
/// Covariance::full; then result.ratio(k, 0), or expectations(result), gives the mean of g_k with an error in which the
/// fluctuations common to p and p g_k cancel.
template <class Density, class... Observables>
  requires(sizeof...(Observables) > 0)
Expectation<Density, Observables...> expect(Density density, Observables... observables) {
  return {density, components_of(observables...)};
}

/// All expectation values of a result of expect(), in the order of the observables. Throws InvalidArgument if the
/// result has no covariance.
template <std::size_t C>
std::array<ValueAndError, C - 1> expectations(Result<Kokkos::Array<double, C>> const& result,
                                              std::source_location where = std::source_location::current()) {
  std::array<ValueAndError, C - 1> values;
  for (std::size_t k = 1; k < C; ++k)
    values[k - 1] = result.ratio(static_cast<int>(k), 0, where);
  return values;
}

/// A complex function as two components; see real_and_imaginary().
template <class F>
struct RealAndImaginary {
  F f; ///< the complex function

  /// The real and the imaginary part at x.
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    Kokkos::complex<Real> const value = f(x);
    return {value.real(), value.imag()};
  }
};

/// The integrand whose components are the real and the imaginary part of a function that returns Kokkos::complex<Real>.
/// With Covariance::full, result.correlation(0, 1) is the correlation of their errors.
template <class F>
RealAndImaginary<F> real_and_imaginary(F f) {
  return {f};
}

} // namespace kubature
