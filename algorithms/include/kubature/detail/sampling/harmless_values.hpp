#pragma once

#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/integrand.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

/// \file
/// Values that are not finite and do not matter.
///
/// A random point may lie on a pole, above all if a map is dense around it: f is finite next to it. Such a value counts
/// as zero.
///
/// Far out on infinite sides an integrand may overflow in one factor and vanish in another: exp(2 x) exp(-x^2 / 2) is
/// infinity times zero from x = 355 on. Such a value counts as zero if, closer to the finite end of the side or to 0,
/// the next finite value is zero or too small for a normal number.

namespace kubature::detail {

/// Whether a value, or each of several, is zero or nearly so; values that are not finite are ignored.
enum class Size { not_finite, vanishing, ordinary };
template <class Value>
KOKKOS_FUNCTION Size size_of(Value const& value) {
  using Traits = ValueTraits<Value>;
  using Real = std::remove_cvref_t<decltype(Traits::get(value, 0))>;
  auto size = Size::vanishing;
  for (int c = 0; c < Traits::components; ++c) {
    auto const magnitude = Kokkos::abs(Traits::get(value, c));
    if (!Kokkos::isfinite(magnitude))
      return Size::not_finite;
    if (magnitude > Kokkos::Experimental::norm_min_v<Real>)
      size = Size::ordinary;
  }
  return size;
}

/// From the farthest numbers to where exponentials are finite.
inline constexpr int most_halvings = 64;

/// Whether a value, or any of several, is within a few digits of the largest number.
template <class Value>
KOKKOS_FUNCTION bool nearly_overflows(Value const& value) {
  using Traits = ValueTraits<Value>;
  using Real = std::remove_cvref_t<decltype(Traits::get(value, 0))>;
  for (int c = 0; c < Traits::components; ++c)
    if (Kokkos::abs(Traits::get(value, c)) >
        Kokkos::Experimental::finite_max_v<Real> * Kokkos::Experimental::epsilon_v<Real>)
      return true;
  return false;
}

/// Whether f is finite next to x, where it is not: the point lies on a set of measure zero; or whether f overflows
/// around there, and nearly so farther away. It takes copies: a reference to an argument of a kernel, in a call that is
/// not inlined, makes nvcc copy all arguments into local memory at the beginning.
template <class F, class Transform, class Real, int D>
[[gnu::noinline]] KOKKOS_FUNCTION bool on_pole(F f, Transform transform, Point<Real, D> x) {
  for (double way = 0x1p-20; way < 0.5; way *= 4) {
    auto next = x;
    transform.nudge(next, way);
    auto const value = f(next);
    if (size_of(value) != Size::not_finite)
      return way == 0x1p-20 || nearly_overflows(value);
  }
  return false;
}

/// Whether f has died away at x, where it is not finite; of copies, too.
template <class F, class Transform, class Real, int D>
[[gnu::noinline]] KOKKOS_FUNCTION bool died_away(F f, Transform transform, Point<Real, D> x) {
  for (int k = 0; k < most_halvings; ++k) {
    transform.halve_infinite(x);
    auto const size = size_of(f(x));
    if (size != Size::not_finite)
      return size == Size::vanishing;
  }
  return false;
}

/// The cause of a value that is not finite.
enum class NotFinite : unsigned { seriously, died_away, on_pole };

/// The cause of a value that is not finite, at x.
template <class F, class Transform, class Real, int D>
KOKKOS_FUNCTION NotFinite reason(F const& f, Transform const& transform, Point<Real, D> const& x) {
  return on_pole(f, transform, x)                             ? NotFinite::on_pole
         : transform.infinite() && died_away(f, transform, x) ? NotFinite::died_away
                                                              : NotFinite::seriously;
}

/// Counts of sampled values that are not finite: all of them, those on poles, and whether any matters.
struct NonFiniteSamples {
  std::uint64_t packed = 0;

  KOKKOS_FUNCTION void add(NotFinite why) {
    packed += why == NotFinite::on_pole ? (std::uint64_t{1} << 32) + 1 : 1;
    packed |= why == NotFinite::seriously ? std::uint64_t{1} << 63 : 0;
  }
  KOKKOS_FUNCTION std::uint32_t all() const { return static_cast<std::uint32_t>(packed); }
  KOKKOS_FUNCTION std::uint32_t on_poles() const { return static_cast<std::uint32_t>(packed >> 32) & ~(1u << 31); }
  KOKKOS_FUNCTION std::uint32_t serious() const { return static_cast<std::uint32_t>(packed >> 63); }
};

/// Counts of values of cubature: all of them, and, in the upper half, those that do not matter.
struct NonFiniteCount {
  std::uint64_t packed = 0;

  /// Those that matter.
  KOKKOS_FUNCTION std::uint32_t serious() const { return all() - harmless(); }
  KOKKOS_FUNCTION void add(bool harmless) { packed += harmless ? (std::uint64_t{1} << 32) + 1 : 1; }
  KOKKOS_FUNCTION std::uint32_t all() const { return static_cast<std::uint32_t>(packed); }
  KOKKOS_FUNCTION std::uint32_t harmless() const { return static_cast<std::uint32_t>(packed >> 32); }
};

/// Markers among the values of a batch: NaNs with payloads of their own.
KOKKOS_INLINE_FUNCTION double harmless_value(NotFinite why) {
  return Kokkos::bit_cast<double>(std::uint64_t{0x7ff8dead'a3a70000} | static_cast<unsigned>(why));
}
/// The cause that a marker encodes; `seriously` for any other value.
KOKKOS_INLINE_FUNCTION NotFinite reason_of(double value) {
  for (auto const why : {NotFinite::died_away, NotFinite::on_pole})
    if (Kokkos::bit_cast<std::uint64_t>(value) == Kokkos::bit_cast<std::uint64_t>(harmless_value(why)))
      return why;
  return NotFinite::seriously;
}
KOKKOS_INLINE_FUNCTION bool is_harmless(double value) { return reason_of(value) != NotFinite::seriously; }

/// A point that a Transform moves.
template <class Transform>
struct MovedPoint {
  using type = Point<double, dynamic>;
};
template <class Real, int D>
  requires(many_variables<D>)
struct MovedPoint<Transform<Real, D>> {
  using type = Point<double, D>;
};

/// Scans the values of a batch, of C components. A point whose values are not finite goes into a list, unless it is
/// known whether f has died away there; at half its distance, and so on, f is evaluated again.
template <class Space, int C, class Transform>
struct FindHarmless {
  Transform transform;
  BatchPoints<Space> points;
  BatchValues<Space> values;
  StoredPoints<Space> closer;
  BatchValues<Space> values_closer;
  Kokkos::View<std::uint64_t*, Space> place; ///< of the points in the list; ~0 where nothing is left to find
  bool nudging = false;                      ///< whether points are moved to a neighbour, not half of the way inwards

  struct Count {};
  struct List {};
  struct Move {};
  struct Judge {};

  KOKKOS_FUNCTION bool bad(std::uint64_t k) const { return size_of(stored_value<C>(values, k)) == Size::not_finite; }
  KOKKOS_FUNCTION void operator()(Count, std::uint64_t k, std::uint64_t& sum) const { sum += bad(k) ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(List, std::uint64_t k, std::uint64_t& number, bool last) const {
    if (!bad(k))
      return;
    if (last) {
      place(number) = k;
      for (int i = 0; i < static_cast<int>(points.extent(1)); ++i)
        closer(number, i) = points(k, i);
    }
    ++number;
  }
  KOKKOS_FUNCTION void operator()(Move, std::uint64_t k) const {
    typename MovedPoint<Transform>::type x;
    x.set_size(static_cast<int>(points.extent(1)));
    for (int i = 0; i < x.size(); ++i)
      x[i] = closer(k, i);
    if (nudging)
      transform.nudge(x);
    else if (place(k) != ~std::uint64_t{0})
      transform.halve_infinite(x);
    for (int i = 0; i < x.size(); ++i)
      closer(k, i) = x[i];
  }
  KOKKOS_FUNCTION void operator()(Judge, std::uint64_t k, std::uint64_t& left) const {
    if (place(k) == ~std::uint64_t{0})
      return;
    auto const size = size_of(stored_value<C>(values_closer, k));
    if (size == Size::not_finite) {
      ++left;
      return;
    }
    if (nudging || size == Size::vanishing)
      for (int c = 0; c < C; ++c)
        values(place(k), c) = harmless_value(nudging ? NotFinite::on_pole : NotFinite::died_away);
    place(k) = ~std::uint64_t{0};
  }
};

/// Marks the values of a batch that do not matter.
/// @param poles whether to search for those on poles, too
/// @param call  call(points, values) evaluates f
template <int C, class Space, class Transform, class Call>
void mark_harmless(Space const& exec, Transform const& transform, BatchPoints<Space> const& points,
                   BatchValues<Space> const& values, bool poles, Call const& call) {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  using Find = FindHarmless<Space, C, Transform>;
  if (!poles && !transform.infinite())
    return;
  auto const over = [&]<class Tag>(Tag, std::uint64_t count) {
    return as_argument(Kokkos::RangePolicy<Space, Tag, Kokkos::IndexType<std::uint64_t>>(exec, 0, count));
  };
  Find find{transform, points, values, {}, {}, {}};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce("kubature::harmless::count", over(typename Find::Count(), values.extent(0)), find, count);
  if (count == 0)
    return;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const closer(
      view_alloc(exec, WithoutInitializing, "kubature::harmless::points"), count, points.extent(1)),
      of_these(view_alloc(exec, WithoutInitializing, "kubature::harmless::values"), count, C);
  find.closer = closer;
  find.values_closer = of_these;
  find.place =
      Kokkos::View<std::uint64_t*, Space>(view_alloc(exec, WithoutInitializing, "kubature::harmless::place"), count);
  Kokkos::parallel_scan("kubature::harmless::list", over(typename Find::List(), values.extent(0)), find);
  std::uint64_t left = count;
  for (int k = poles ? -1 : 0; k < (transform.infinite() ? most_halvings : 0) && left > 0; ++k) {
    find.nudging = k < 0;
    Kokkos::parallel_for("kubature::harmless::move", over(typename Find::Move(), count), find);
    call(BatchPoints<Space>(closer), BatchValues<Space>(of_these));
    Kokkos::parallel_reduce("kubature::harmless::judge", over(typename Find::Judge(), count), find, left);
  }
}

/// The same by a thread of a host: call(points, values) for one point at a time.
template <int C, class Space, class Transform, class Call>
void mark_harmless_in_thread(Transform const& transform, BatchPoints<Space> const& points,
                             BatchValues<Space> const& values, Call const& call) {
  for (std::size_t k = 0; k < values.extent(0); ++k) {
    if (size_of(stored_value<C>(values, k)) != Size::not_finite)
      continue;
    using Moved = typename MovedPoint<Transform>::type;
    auto const f = [&](Moved const& x) {
      double at[Moved::capacity], value[C];
      for (int i = 0; i < x.size(); ++i)
        at[i] = x[i];
      BatchValues<Space> const there(value, 1, C);
      call(BatchPoints<Space>(at, 1, points.extent(1)), there);
      return stored_value<C>(there, 0);
    };
    Moved x;
    x.set_size(static_cast<int>(points.extent(1)));
    for (int i = 0; i < x.size(); ++i)
      x[i] = points(k, i);
    if (auto const why = reason(f, transform, x); why != NotFinite::seriously)
      for (int c = 0; c < C; ++c)
        values(k, c) = harmless_value(why);
  }
}

} // namespace kubature::detail
