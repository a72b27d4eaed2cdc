#pragma once

#include <kubature/domain.hpp>
#include <kubature/integrand.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>

#include <concepts>
#include <type_traits>

/// \file
/// Channels of a caller's own, as generators of events have them.

namespace kubature {

/// The largest number of channels.
inline constexpr int most_channels = 64;

/// A set of channels: maps from the open unit cube of `variables` dimensions to points of `coordinates` numbers, each
/// with the density of its points. Where f is not zero, some density must be positive. It is copied to the device.
///
/// @code
///   struct TwoResonances { // of one variable, 0 < s < 1
///     static constexpr int variables = 1, coordinates = 1;
///     Kokkos::Array<double, 2> mass, width;
///     int channels() const { return 2; }
///     template <class Real>
///     KOKKOS_FUNCTION void place(int k, Real const* u, Real* x) const; // x(u) of channel k
///     template <class Real>
///     KOKKOS_FUNCTION Real density(int k, Real const* x) const; // of channel k at x: 1 / (dx/du)
///   };
/// @endcode
template <class C>
concept ChannelMaps = std::copy_constructible<C> && (C::variables >= 1) && (C::coordinates >= 1) &&
                      requires(C const& maps, double const* u, double* x) {
                        { maps.channels() } -> std::convertible_to<int>;
                        maps.place(0, u, x);
                        { maps.density(0, u) } -> std::convertible_to<double>;
                      };

namespace detail {

/// The part of an integrand that one of several channels has, over the unit cube: w_k f / sum_j w_j g_j at the place of
/// u in channel k, with weights w and densities g (Kleiss and Pittau, Comput. Phys. Commun. 83 (1994) 141). The parts
/// add up to the integral of f, whatever the weights.
template <class F, ChannelMaps C>
struct InChannel {
  static constexpr Evaluation evaluation = evaluation_of<F>;
  using Weights = Kokkos::Array<double, most_channels>;

  F f;
  C maps;
  int which, count;
  Weights weights;

  template <class Real>
  KOKKOS_FUNCTION auto operator()(Point<Real, C::variables> const& u) const {
    Real at[C::variables], x[C::coordinates];
    copy_coordinates(u, at);
    maps.place(which, static_cast<Real const*>(at), x);
    Real density = 0;
    for (int k = 0; k < count; ++k)
      density += static_cast<Real>(weights[k]) * static_cast<Real>(maps.density(k, static_cast<Real const*>(x)));
    Point<Real, C::coordinates> point;
    for (int i = 0; i < C::coordinates; ++i)
      point[i] = x[i];
    auto value = f(point);
    using Traits = ValueTraits<std::remove_cvref_t<decltype(value)>>;
    for (int c = 0; c < Traits::components; ++c) {
      auto& number = Traits::get(value, c);
      number *= static_cast<std::remove_cvref_t<decltype(number)>>(static_cast<Real>(weights[which]) / density);
    }
    return value;
  }

  /// The form on the device of an integrand that has one.
  template <class Space>
  auto on(Space const& exec) const
    requires requires(F const& g) { g.on(exec); }
  {
    return InChannel<decltype(f.on(exec)), C>{f.on(exec), maps, which, count, weights};
  }
  int dimension() const
    requires requires(F const& g) { g.dimension(); }
  {
    return C::variables + (f.dimension() - C::coordinates); // another number of coordinates is refused
  }
};

} // namespace detail
} // namespace kubature
