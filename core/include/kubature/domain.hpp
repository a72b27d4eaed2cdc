#pragma once

#include <kubature/batched.hpp>
#include <kubature/integrand.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {

/// A domain that is no box: a map from the open unit cube of `variables` dimensions onto it, with the map's Jacobian,
/// both smooth where that is possible. It is copied to the device. Ready-made ones are in kubature/domains.hpp; a type
/// of one's own serves as well:
///
/// @code
///   struct Parabola { // 0 < x < 1, 0 < y < x^2
///     static constexpr int variables = 2, coordinates = 2;
///     template <class Real>
///     KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
///       x[0] = u[0];
///       x[1] = u[1] * u[0] * u[0];
///       return u[0] * u[0]; // dx dy / du dv, with its sign
///     }
///   };
/// @endcode
///
/// A surface has fewer variables than coordinates; its Jacobian is that of its own measure. A domain of several pieces
/// says by pieces() how many there are, and is called with the number of a piece as its first argument.
template <class M>
concept Domain = std::copy_constructible<M> && (M::variables >= 1) && (M::coordinates >= M::variables) &&
                 (
                     requires(M const& map, double const* u, double* x) {
                       { map(u, x) } -> std::convertible_to<double>;
                     } ||
                     requires(M const& map, double const* u, double* x) {
                       { map.pieces() } -> std::convertible_to<int>;
                       { map(0, u, x) } -> std::convertible_to<double>;
                     });

namespace detail {

template <class M>
concept HasPieces = requires(M const& map) { map.pieces(); };

/// Number of pieces of a domain, and piece k at u.
template <class M>
KOKKOS_FUNCTION int pieces_of([[maybe_unused]] M const& map) {
  if constexpr (HasPieces<M>)
    return map.pieces();
  else
    return 1;
}
template <class M, class Real>
KOKKOS_FUNCTION Real map_piece(M const& map, [[maybe_unused]] int k, Real const* u, Real* x) {
  if constexpr (HasPieces<M>)
    return map(k, u, x);
  else
    return map(u, x);
}

/// The coordinates of a point as an array.
template <class Real, int D>
KOKKOS_FUNCTION void copy_coordinates(Point<Real, D> const& from, Real* to) {
  for (int i = 0; i < from.size(); ++i)
    to[i] = from[i];
}

/// Adds factor * value, component by component.
template <class Value, class Real>
KOKKOS_FUNCTION void add_scaled(Value& sum, Value const& value, Real factor) {
  using Traits = ValueTraits<Value>;
  for (int c = 0; c < Traits::components; ++c) {
    auto& to = Traits::get(sum, c);
    to += static_cast<std::remove_reference_t<decltype(to)>>(factor) * Traits::get(value, c);
  }
}

} // namespace detail

/// An integrand over a domain as one over the unit cube; see in().
/// @tparam F the integrand, in the coordinates of the domain
template <class F, Domain M>
struct InDomain {
  static constexpr detail::Evaluation evaluation = detail::evaluation_of<F>; ///< that of the integrand

  F f;   ///< the integrand
  M map; ///< the domain

  /// f at the place of u, times the Jacobian; summed over all pieces.
  template <class Real>
  KOKKOS_FUNCTION auto operator()(Point<Real, M::variables> const& u) const {
    Real at[M::variables], to[M::coordinates];
    detail::copy_coordinates(u, at);
    auto sum = weighted(0, at, to);
    for (int k = 1; k < detail::pieces_of(map); ++k)
      detail::add_scaled(sum, weighted(k, at, to), Real(1));
    return sum;
  }

  /// The same at several points side by side, for an integrand that evaluates these.
  template <class Real, int W>
    requires(detail::EvaluatesSideBySide<F, Real, M::coordinates, W> && !detail::HasPieces<M>)
  KOKKOS_FUNCTION void batch(Point<Real, M::variables> const (&u)[W], Real (&value)[W]) const {
    Point<Real, M::coordinates> x[W];
    Real jacobian[W];
    for (int w = 0; w < W; ++w) {
      Real at[M::variables], to[M::coordinates];
      detail::copy_coordinates(u[w], at);
      jacobian[w] = map(at, to);
      for (int i = 0; i < M::coordinates; ++i)
        x[w][i] = to[i];
    }
    f.batch(x, value);
    for (int w = 0; w < W; ++w)
      value[w] *= jacobian[w];
  }

  /// The form on the device of an integrand that has one.
  template <class Space>
  auto on(Space const& exec) const
    requires requires(F const& g) { g.on(exec); }
  {
    return InDomain<decltype(f.on(exec)), M>{f.on(exec), map};
  }
  /// The number of variables, of such an integrand.
  int dimension() const
    requires requires(F const& g) { g.dimension(); }
  {
    return M::variables + (f.dimension() - M::coordinates); // another number of coordinates is refused
  }

private:
  template <class Real>
  KOKKOS_FUNCTION auto weighted(int k, Real const* at, Real* to) const {
    Real const jacobian = detail::map_piece(map, k, at, to);
    Point<Real, M::coordinates> x;
    for (int i = 0; i < M::coordinates; ++i)
      x[i] = to[i];
    auto value = f(x);
    using Value = decltype(value);
    Value result{};
    detail::add_scaled(result, value, jacobian);
    return result;
  }
};

/// The same for a function of batches: its points are mapped before it is called, and its values multiplied afterwards.
template <class F, Domain M, int C>
struct BatchesInDomain {
  F f;   ///< the caller's function: f(exec, points, values)
  M map; ///< the domain

  /// See batched().
  template <class Space>
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    auto const n = points.extent(0);
    Kokkos::View<double**, Kokkos::LayoutLeft, Space> const x(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::domain::points"), n, M::coordinates);
    Kokkos::View<double*, Space> const jacobian(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "kubature::domain::jacobian"), n);
    Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> const all(exec, 0, static_cast<std::int64_t>(n));
    auto const own = map;
    Kokkos::parallel_for(
        "kubature::domain::map", all, KOKKOS_LAMBDA(std::int64_t k) {
          double at[M::variables], to[M::coordinates];
          for (int i = 0; i < M::variables; ++i)
            at[i] = points(k, i);
          jacobian(k) = own(at, to);
          for (int i = 0; i < M::coordinates; ++i)
            x(k, i) = to[i];
        });
    f(exec, BatchPoints<Space>(x), values);
    Kokkos::parallel_for(
        "kubature::domain::weigh", all, KOKKOS_LAMBDA(std::int64_t k) {
          for (int c = 0; c < C; ++c)
            values(k, c) *= jacobian(k);
        });
    exec.fence("kubature::domain::weigh"); // the memory of the points is released
  }
};

/// The integrand of f over a domain, as one over the unit cube: integrate(method, in(domain, f), Box<M::variables>{}).
/// integrate(method, f, domain) does the same, and reports places in the domain's coordinates.
template <Domain M, class F>
auto in(M const& domain, F const& f) {
  return InDomain<F, M>{f, domain};
}
/// The same for a function of batches, over a domain of one piece.
template <Domain M, class F, int C>
  requires(!detail::HasPieces<M>)
auto in(M const& domain, Batched<F, C> const& f) {
  return batched<C>(BatchesInDomain<F, M, C>{f.f, domain});
}

namespace detail {

/// A point of the unit cube in the coordinates of a domain, of its first piece; empty if there is none.
template <Domain M>
std::vector<double> in_coordinates(M const& domain, std::vector<double> const& u) {
  if (u.empty())
    return u;
  std::vector<double> x(static_cast<std::size_t>(M::coordinates));
  map_piece(domain, 0, u.data(), x.data());
  return x;
}

} // namespace detail
} // namespace kubature
