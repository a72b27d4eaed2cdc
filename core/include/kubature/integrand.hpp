#pragma once

#include <kubature/detail/evaluation.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace kubature {
namespace detail {

template <class Value>
struct ValueTraits;

template <class Real>
  requires(std::is_floating_point_v<Real> || std::same_as<Real, Kokkos::Experimental::half_t>)
struct ValueTraits<Real> {
  static constexpr int components = 1;
  using host_type = double;
  template <class V>
  KOKKOS_FUNCTION static constexpr V& get(V& value, int /*component*/) {
    return value;
  }
};

template <class Real, std::size_t C>
struct ValueTraits<Kokkos::Array<Real, C>> {
  static constexpr int components = static_cast<int>(C);
  using host_type = Kokkos::Array<double, C>;
  template <class V>
  KOKKOS_FUNCTION static constexpr auto& get(V& value, int component) {
    return value[component];
  }
};

template <class F, class Real, int D>
using IntegrandValue = std::remove_cvref_t<decltype(std::declval<F const&>()(std::declval<Point<Real, D> const&>()))>;

} // namespace detail

/// What the library integrates: a copyable function object, callable on the device, that takes a Point<Real, D> const&
/// and returns a real number, or a Kokkos::Array<Real, C> of C numbers. One that is generic in Real works in
/// every precision; one that takes Point<double, D> works in fp64 only.
///
/// It may also have a member `batch(Point<Real, D> const (&x)[W], Real (&value)[W]) const` for every W, which sampling
/// kernels call instead when they have W points. A type with a different form on the device, such as
/// Expression, provides that form through a member `on(exec)`, and its number of variables through `dimension()`.
template <class F, class Real, int D>
concept Integrand = std::copy_constructible<F> && requires(F const& f, Point<Real, D> const& x) {
  { detail::ValueTraits<std::remove_cvref_t<decltype(f(x))>>::components } -> std::convertible_to<int>;
};

/// The value type of the Result of such an integrand: double, or Kokkos::Array<double, C>.
template <class F, class Real, int D>
using ResultValue = typename detail::ValueTraits<detail::IntegrandValue<F, Real, D>>::host_type;

namespace detail {

/// Whether F takes as many separate arguments.
template <class F, class Real, int... I>
constexpr bool takes_arguments(std::integer_sequence<int, I...>) {
  return std::is_invocable_v<F const&, decltype(static_cast<void>(I), std::declval<Real const&>())...>;
}

} // namespace detail

/// The integrand that calls f(x_1, ..., x_D) with separate arguments; see unpack().
template <class F>
struct Unpacked {
  F f; ///< the function of separate arguments

  /// f of the coordinates, each an argument.
  template <class Real, int D>
    requires(D >= 1 && detail::takes_arguments<F, Real>(std::make_integer_sequence<int, D>{}))
  KOKKOS_FUNCTION auto operator()(Point<Real, D> const& x) const {
    return call(x, std::make_integer_sequence<int, D>{});
  }

private:
  template <class Real, int D, int... I>
  KOKKOS_FUNCTION auto call(Point<Real, D> const& x, std::integer_sequence<int, I...>) const {
    return f(x[I]...);
  }
};

/// Makes an integrand of a function with separate arguments: unpack(f) calls f(x, y, z) for a Box<3>.
template <class F>
Unpacked<F> unpack(F f) {
  return {f};
}

/// The number of terms of an integrand on the device: its member `terms`, a constant as in sum_of() or a function; 1
/// for an integrand that is not a sum.
template <class F>
KOKKOS_FUNCTION constexpr int term_count(F const& f) {
  if constexpr (detail::HasTermsAtRunTime<F>)
    return f.terms();
  else if constexpr (requires { F::terms; })
    return F::terms;
  else
    return 1;
}

/// Term k of the integrand at x, 0 <= k < term_count(f); the integrand itself if it is not a sum.
template <class Real, class F, int D>
KOKKOS_FUNCTION auto term_value(F const& f, [[maybe_unused]] int k, Point<Real, D> const& x) {
  if constexpr (requires { f.term(k, x); })
    return f.term(k, x);
  else
    return f(x);
}

/// The display name of term k, on the host: its text if the terms are formulas, otherwise "term 3" for k = 2.
template <class F>
std::string term_name([[maybe_unused]] F const& f, int k) {
  if constexpr (requires { f.terms().at(0).text(); })
    return f.terms().at(static_cast<std::size_t>(k)).text();
  else
    return "term " + std::to_string(k + 1);
}

/// The sum of terms, each an integrand with one value; see sum_of(). A nested sum contributes its own terms.
template <class First, class... Rest>
struct SumOf {
  First first;         ///< the first term
  SumOf<Rest...> rest; ///< the sum of the others
  /// The number of terms, including those of nested sums.
  static constexpr int terms = SumOf<First>::terms + SumOf<Rest...>::terms;

  /// The sum of all terms at x.
  template <class Real, int D>
  KOKKOS_FUNCTION auto operator()(Point<Real, D> const& x) const {
    return first(x) + rest(x);
  }

  /// The value of term k at x.
  template <class Real, int D>
  KOKKOS_FUNCTION auto term(int k, Point<Real, D> const& x) const -> decltype(first(x) + rest(x)) {
    constexpr int own = SumOf<First>::terms;
    return k < own ? term_value(first, k, x) : rest.term(k - own, x);
  }
};

template <class Last>
struct SumOf<Last> {
  Last first;
  static constexpr int terms = [] {
    if constexpr (requires { Last::terms + 0; })
      return Last::terms;
    else
      return 1;
  }();

  template <class Real, int D>
  KOKKOS_FUNCTION auto operator()(Point<Real, D> const& x) const {
    return first(x);
  }

  /// The value of term k at x.
  template <class Real, int D>
  KOKKOS_FUNCTION auto term(int k, Point<Real, D> const& x) const -> decltype(first(x)) {
    return term_value(first, k, x);
  }
};

/// Makes the integrand t1(x) + t2(x) + ..., whose terms remain separate so that a method can treat each one
/// differently.
template <class First, class... Rest>
SumOf<First, Rest...> sum_of(First first, Rest... rest) {
  if constexpr (sizeof...(Rest) > 0)
    return {first, sum_of(rest...)};
  else
    return {first};
}

/// Several integrands with one value each, over the same samples; see components_of().
template <class First, class... Rest>
struct ComponentsOf {
  First first;                ///< the first component
  ComponentsOf<Rest...> rest; ///< the components that follow

  /// All components at x.
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 1 + sizeof...(Rest)> operator()(Point<Real, D> const& x) const {
    Kokkos::Array<Real, 1 + sizeof...(Rest)> values;
    fill(x, values.data());
    return values;
  }
  /// Writes all components at x to consecutive elements of values.
  template <class Real, int D>
  KOKKOS_FUNCTION void fill(Point<Real, D> const& x, Real* values) const {
    *values = first(x);
    rest.fill(x, values + 1);
  }
};

template <class Last>
struct ComponentsOf<Last> {
  Last first;

  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 1> operator()(Point<Real, D> const& x) const {
    return {first(x)};
  }
  template <class Real, int D>
  KOKKOS_FUNCTION void fill(Point<Real, D> const& x, Real* values) const {
    *values = first(x);
  }
};

/// Makes the integrand with components f1(x), f2(x), ..., whose integrals are estimated from the same samples.
template <class First, class... Rest>
ComponentsOf<First, Rest...> components_of(First first, Rest... rest) {
  if constexpr (sizeof...(Rest) > 0)
    return {first, components_of(rest...)};
  else
    return {first};
}

} // namespace kubature
