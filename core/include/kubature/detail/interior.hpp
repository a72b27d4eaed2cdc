#pragma once

#include <kubature/detail/transform.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>
#include <kubature/side.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_NumericTraits.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace kubature::detail {

/// The Transform of a method that subdivides the box instead of drawing points, with the range of coordinates that lie
/// strictly inside, in the format of the points.
template <class Real, int D>
class Interior : public Transform<Real, D> {
public:
  /// Throws InvalidArgument if a side contains none.
  explicit Interior(Box<D> const& box, CoordinateFormat const& format = CoordinateFormat::of<Real>())
      : Transform<Real, D>(box) {
    for (int i = 0; i < box.dimension(); ++i) {
      auto const inside = limits(box[i], format);
      require(inside.first < inside.reached, "Box side " + std::to_string(i + 1), box[i].upper - box[i].lower,
              "no number of this precision lies on the side, or it is too long");
      first_[i] = static_cast<Real>(inside.first);
      last_[i] = static_cast<Real>(inside.last);
      reached_[i] = static_cast<Real>(inside.reached);
      narrow_[i] = static_cast<Real>(2 / close * inside.spacing);
    }
  }

  /// The interior `other`, whose dimension is known only at run time and must be D.
  template <int Any>
    requires(Any == dynamic && D != dynamic)
  explicit Interior(Interior<Real, Any> const& other) : Transform<Real, D>(other) {
    for (int i = 0; i < D; ++i) {
      first_[i] = other.first_[i];
      last_[i] = other.last_[i];
      reached_[i] = other.reached_[i];
      narrow_[i] = other.narrow_[i];
    }
  }

  /// Whether a coordinate lies inside, before map().
  KOKKOS_FUNCTION bool contains(int i, Real x) const { return x >= first_[i] && x <= last_[i]; }

  /// How close to the ends of an interval points may be, in units of the gap; and how close where the interval is so
  /// short that rounding matters (see close_to_face).
  static constexpr double close = 0x1p-10, less_close = 0x1p-2;
  KOKKOS_FUNCTION static Real closeness(Real gap, Real centre, Real side) {
    bool const fine = side * gap > Real(0x1p14) * Kokkos::Experimental::epsilon_v<Real> * Kokkos::abs(centre);
    return static_cast<Real>(fine ? close : less_close);
  }

  /// Keeps the points of an interval inside: if it is so short that rounding might move one to an end, it is shortened
  /// as far as necessary.
  /// @param gap the distance between an end of the interval and the nearest point of the rule, in units of the side
  KOKKOS_FUNCTION void keep_inside(int i, Real gap, Real& centre, Real& side) const {
    if (!(side * gap < narrow_[i]))
      return;
    Real const reach = side * (Real(0.5) - gap * closeness(gap, centre, side) / 2);
    if (centre - reach >= first_[i] && centre + reach <= last_[i])
      return;
    centre = Kokkos::fmax(first_[i], Kokkos::fmin(centre, reached_[i]));
    side = 2 * Kokkos::fmin(side / 2, Kokkos::fmin(centre - first_[i], reached_[i] - centre));
  }

private:
  template <class, int>
  friend class Interior;

  /// The first and the last coordinate inside, as place() computes them; the last that it resolves; and the largest
  /// rounding error.
  struct Limits {
    double first, last, reached, spacing;
  };
  static Limits limits(Side side, CoordinateFormat const& format) {
    PlacedSide const all(side);
    auto const [epsilon, least, most] = format;
    auto const [lower, upper] = side;
    if (all.finite()) { // numbers are dense near an end at zero, but place() is exact there only if the side begins
                        // there
      auto const spacing = [&](double x) { return epsilon * std::max(std::abs(x), least); };
      double const largest = std::max(std::abs(lower), std::abs(upper));
      double const first = lower == 0 ? least : lower + spacing(lower);
      double const last = upper == 0 ? -least : upper - spacing(upper);
      return {largest > most ? infinity : first, last, std::min(last, upper - epsilon * largest), epsilon * largest};
    }
    // x is about t or 1 - t away from a finite end, and the inverse of that from 0 at an infinite one.
    double const own = CoordinateFormat::of<Real>().epsilon, far = 4 / most;
    double const bound = all.kind == SideKind::line ? 0 : std::abs(std::isinf(lower) ? upper : lower);
    double const first = std::max(least, all.kind == SideKind::upper_half ? epsilon * bound : far);
    double const last = 1 - std::max(own / 2, all.kind == SideKind::lower_half ? epsilon * bound : far);
    return {bound > most ? infinity : first, last, last, std::max(own, epsilon * bound)};
  }

  Kokkos::Array<Real, Box<D>::capacity> first_{}, last_{}, reached_{}, narrow_{};
};

/// The numbers of a format that lie strictly inside a box, for points that are rounded to it.
template <class Real, int D>
class Inside {
public:
  explicit Inside(Box<D> const& box) {
    auto const format = CoordinateFormat::of<Real>();
    auto const [epsilon, least, most] = format;
    for (int i = 0; i < box.dimension(); ++i) {
      auto const [lower, upper] = box[i];
      double const first = lower == 0 ? least : std::isinf(lower) ? -most : lower + epsilon * std::abs(lower);
      double const last = upper == 0 ? -least : std::isinf(upper) ? most : upper - epsilon * std::abs(upper);
      any_ = any_ && PlacedSide(box[i], format).exists(format);
      first_[i] = static_cast<Real>(first);
      last_[i] = static_cast<Real>(last);
    }
  }

  /// Whether there are such numbers on every side.
  KOKKOS_FUNCTION bool any() const { return any_; }
  /// The nearest such point to x.
  template <class Point>
  KOKKOS_FUNCTION Point nearest(Point x) const {
    for (int i = 0; i < x.size(); ++i)
      x[i] = x[i] < first_[i] ? first_[i] : x[i] > last_[i] ? last_[i] : x[i];
    return x;
  }

private:
  Kokkos::Array<Real, Box<D>::capacity> first_{}, last_{};
  bool any_ = true;
};

} // namespace kubature::detail
