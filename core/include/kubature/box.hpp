#pragma once

#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_NumericTraits.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>

namespace kubature {

/// An infinite bound of a side, as in Side{0, kubature::infinity}.
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// One side of a box, lower < upper. Either bound may be infinite.
struct Side {
  double lower = 0;                             ///< where the side begins; may be -infinity
  double upper = 1;                             ///< where it ends; may be infinity
  bool operator==(Side const&) const = default; ///< whether both ends are equal
};

/// The domain of an integral: the product of D sides. Box<4>{} is the unit cube.
///
/// An infinite side is mapped from the unit interval, t in (0, 1), by a change of variables x(t) whose derivative
/// multiplies the integrand:
///   [a, inf)      x = a + t / (1 - t)              dx/dt = 1 / (1 - t)^2
///   (-inf, b]     x = b - (1 - t) / t              dx/dt = 1 / t^2
///   (-inf, inf)   x = s / (1 - s^2), s = 2 t - 1   dx/dt = 2 (1 + s^2) / (1 - s^2)^2
/// These suit integrands whose scale is about 1; rescale the variable where it is not.
///
/// Throws InvalidArgument if bounds are reversed, equal, NaN or infinite on the wrong side, or if the dimension is not
/// in 1..20.
template <int D = dynamic>
class Box {
public:
  static constexpr int capacity = Point<double, D>::capacity; ///< the largest dimension of a box of this type

  /// The unit cube.
  Box()
    requires(D != dynamic)
  {
    for (auto& side : sides_)
      side = {};
  }

  /// The same side along every axis: Box<3>(0.0, 2.0).
  Box(double lower, double upper, std::source_location where = std::source_location::current())
    requires(D != dynamic)
      : Box(std::initializer_list<Side>{{lower, upper}}, where) {}

  /// One side per axis, as in Box<2>{{0, 1}, {0, kubature::infinity}}, or one side for all axes.
  Box(std::initializer_list<Side> sides, std::source_location where = std::source_location::current())
      : Box(std::span<Side const>(sides.begin(), sides.size()), D == dynamic ? static_cast<int>(sides.size()) : D,
            where) {}

  /// As above, from a list known at run time; a single side serves all `dimension` axes.
  explicit Box(std::span<Side const> sides, int dimension = D,
               std::source_location where = std::source_location::current())
      : dimension_(dimension) {
    require(dimension >= 1 && dimension <= max_dimension, "dimension", dimension, "a box has between 1 and 20 sides",
            where);
    require(D == dynamic || dimension == D, "dimension", dimension,
            "the box's type fixes the dimension at " + std::to_string(D), where);
    require(sides.size() == 1 || static_cast<int>(sides.size()) == dimension, "number of sides", sides.size(),
            "give one side, or one for each of the " + std::to_string(dimension) + " axes", where);
    for (int i = 0; i < std::min(dimension, capacity); ++i) {
      sides_[i] = sides[sides.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      check(i, where);
    }
  }

  /// The same box as one whose dimension is known at run time and has to be D.
  template <int Any>
    requires(Any == dynamic && D != dynamic)
  explicit Box(Box<Any> const& other, std::source_location where = std::source_location::current()) {
    require(other.dimension() == D, "dimension", other.dimension(),
            "the box's type fixes the dimension at " + std::to_string(D), where);
    for (int i = 0; i < D; ++i)
      sides_[i] = other[i];
  }

  KOKKOS_FUNCTION constexpr int dimension() const { return D == dynamic ? dimension_ : D; } ///< the number of variables
  Side const& operator[](int axis) const { return sides_[axis]; } ///< the side along an axis, from 0
  /// Whether all sides are the same.
  bool is_cube() const {
    return std::all_of(sides_.data(), sides_.data() + dimension(), [this](Side const& side) {
      return side.lower == sides_[0].lower && side.upper == sides_[0].upper;
    });
  }

private:
  void check(int axis, std::source_location where) const {
    auto const [lower, upper] = sides_[axis];
    auto const name = "Box side " + std::to_string(axis + 1);
    std::ostringstream text;
    text.precision(17);
    text << lower << ':' << upper;
    require(!std::isnan(lower) && !std::isnan(upper), name, text.str(), "a bound is not a number", where);
    require(lower < upper, name, text.str(), "the lower bound must be below the upper bound", where);
    require(lower < infinity && upper > -infinity &&
                (std::isinf(lower) || std::isinf(upper) || std::isfinite(upper - lower)),
            name, text.str(), "the side has no usable length", where);
  }

  Kokkos::Array<Side, capacity> sides_;
  int dimension_ = D;
};

/// A list of sides gives a box whose dimension is known at run time.
Box(std::initializer_list<Side>) -> Box<dynamic>;

namespace detail {

/// Which ends of a side are infinite.
enum class SideKind : int { finite, upper_half, lower_half, line };

/// The format that coordinates are rounded to.
struct CoordinateFormat {
  double epsilon; ///< relative spacing of its numbers
  double least;   ///< the smallest positive number whose inverse is finite, too
  double most;    ///< the largest number

  template <class Real>
  static CoordinateFormat of() {
    using namespace Kokkos::Experimental;
    if constexpr (sizeof(Real) == 2) // binary16, whose traits are not numbers everywhere
      return {0x1p-10, 0x1p-14, 65504};
    else
      return {static_cast<double>(epsilon_v<Real>), static_cast<double>(norm_min_v<Real>),
              static_cast<double>(finite_max_v<Real>)};
  }
  /// Of a Precision, whose points are rounded to what the integrand is evaluated in.
  template <class P>
  static CoordinateFormat of_arguments() {
    auto const drawn = of<typename P::sample_type>(), given = of<typename P::eval_type>();
    return drawn.epsilon < given.epsilon ? given : drawn;
  }
};

/// Where place() begins and ends on a side: x on a finite one, t on an infinite one.
struct PlacedSide {
  SideKind kind;
  double begin, end;

  /// All of a side.
  explicit PlacedSide(Side side) {
    bool const below = std::isinf(side.lower), above = std::isinf(side.upper);
    kind = below && above ? SideKind::line
           : below        ? SideKind::lower_half
           : above        ? SideKind::upper_half
                          : SideKind::finite;
    begin = finite() ? side.lower : 0;
    end = finite() ? side.upper : 1;
  }
  /// What is left of it a few spacings of the format away from its ends, so that no point is rounded to one of these.
  PlacedSide(Side side, CoordinateFormat const& format) : PlacedSide(side) {
    auto const [epsilon, least, most] = format;
    if (finite()) {
      auto const spacing = [&](double x) { return epsilon * std::max(std::abs(x), least); };
      begin = side.lower == 0 ? least : side.lower + spacing(side.lower);
      end = side.upper == 0 ? -least : side.upper - 3 * spacing(side.upper);
    } else { // x is about t or 1 - t away from a finite end
      begin = std::max(2.0, kind == SideKind::upper_half ? std::abs(side.lower) : 0.0) * epsilon;
      end = 1 - std::max(4.0, kind == SideKind::lower_half ? std::abs(side.upper) : 0.0) * epsilon;
    }
  }

  bool finite() const { return kind == SideKind::finite; }
  /// Whether anything is left, in numbers that the format has.
  bool exists(CoordinateFormat const& format) const {
    return begin < end && std::max(std::abs(begin), std::abs(end)) <= format.most;
  }
};

/// The device's form of a Box: maps t in the unit cube to x in the box (see Box for the formulas).
template <class Real, int D>
class Transform {
public:
  /// All of the box: t = 0 and t = 1 are its ends.
  explicit Transform(Box<D> const& box) : dimension_(box.dimension()) {
    for (int i = 0; i < box.dimension(); ++i)
      set(i, box[i], PlacedSide(box[i]), 1);
  }

  /// As much of the box as place() reaches without being rounded to an end, for all t from 0 to `parts`.
  /// @param format of the points
  /// @param parts  place() takes t in units of 1 / parts
  /// Throws InvalidArgument if that leaves nothing of a side.
  Transform(Box<D> const& box, CoordinateFormat const& format, double parts = 1) : dimension_(box.dimension()) {
    for (int i = 0; i < box.dimension(); ++i) {
      PlacedSide const placed(box[i], format);
      require(placed.exists(format), "Box side " + std::to_string(i + 1), box[i].upper - box[i].lower,
              "the side is too short at its position for this precision");
      set(i, box[i], placed, parts);
      // Rounding may take the last point farther than the end, if that is near zero.
      double const last =
          placed.finite() && box[i].upper == 0 ? -format.least : placed.end + format.epsilon * std::abs(placed.end);
      auto const t = static_cast<Real>(parts);
      while (static_cast<double>(std::max(origin_[i] + length_[i] * t, std::fma(length_[i], t, origin_[i]))) > last)
        length_[i] = std::nextafter(length_[i], Real(0));
    }
  }

  /// The same transform as one whose dimension is known at run time and has to be D.
  template <int Any>
    requires(Any == dynamic && D != dynamic)
  explicit Transform(Transform<Real, Any> const& other)
      : inner_(other.inner_), volume_(other.volume_), infinite_(other.infinite_), dimension_(D) {
    for (int i = 0; i < D; ++i) {
      origin_[i] = other.origin_[i];
      length_[i] = other.length_[i];
      bound_[i] = other.bound_[i];
      middle_[i] = other.middle_[i];
      kind_[i] = other.kind_[i];
    }
  }

  /// Coordinate i of a point: x on a finite side; on an infinite one t, which map_infinite() has yet to map.
  template <class T>
  KOKKOS_FUNCTION Real place(int i, T t) const {
    return origin_[i] + length_[i] * static_cast<Real>(t);
  }
  KOKKOS_FUNCTION Real stretch(int i, double dt) const { return length_[i] * static_cast<Real>(dt); }
  /// The product of the lengths of the finite sides.
  KOKKOS_FUNCTION double volume() const { return volume_; }
  /// The fraction of the box that place() reaches: 1 except for the ends that it stays away from.
  KOKKOS_FUNCTION double inner() const { return inner_; }
  /// Whether any side is left to map_infinite().
  KOKKOS_FUNCTION bool infinite() const { return infinite_; }
  /// Maps the infinite sides of a point; returns the product of their dx/dt.
  template <class Jacobian, class Point>
  KOKKOS_FUNCTION Jacobian map_infinite(Point& x) const {
    Jacobian jacobian = 1;
    for (int i = 0; i < (D == dynamic ? dimension_ : D); ++i)
      if (kind_[i] != SideKind::finite)
        x[i] = infinite(kind_[i], static_cast<std::remove_reference_t<decltype(x[i])>>(bound_[i]), x[i], jacobian);
    return jacobian;
  }

  /// Moves a point in the box by about a part of the way to the middle of each side, by default a millionth, or away
  /// from there if it is in the middle; by a different part along each axis.
  template <class Point>
  KOKKOS_FUNCTION void nudge(Point& x, double way = 0x1p-20) const {
    for (int i = 0; i < (D == dynamic ? dimension_ : D); ++i) {
      using T = std::remove_reference_t<decltype(x[i])>;
      bool const finite = kind_[i] == SideKind::finite;
      T const middle = kind_[i] == SideKind::upper_half   ? static_cast<T>(bound_[i]) + 1
                       : kind_[i] == SideKind::lower_half ? static_cast<T>(bound_[i]) - 1
                       : finite                           ? static_cast<T>(middle_[i])
                                                          : T(0);
      T const side = finite ? 2 * (middle - static_cast<T>(bound_[i])) : T(1), off = middle - x[i];
      T const part = static_cast<T>(way) * static_cast<T>(i + 2) / static_cast<T>(i + 3);
      x[i] += part * (off < side / 64 && -off < side / 64 ? side : off);
    }
  }
  /// Halves the distance of a point in the box from the finite end of each infinite side, or from 0.
  template <class Point>
  KOKKOS_FUNCTION void halve_infinite(Point& x) const {
    for (int i = 0; i < (D == dynamic ? dimension_ : D); ++i)
      if (kind_[i] != SideKind::finite) {
        auto const bound = static_cast<std::remove_reference_t<decltype(x[i])>>(bound_[i]);
        x[i] = bound + (x[i] - bound) / 2;
      }
  }

private:
  template <class, int>
  friend class Transform;

  void set(int i, Side side, PlacedSide const& placed, double parts) {
    double const length = placed.end - placed.begin, all = placed.finite() ? side.upper - side.lower : 1;
    kind_[i] = placed.kind;
    origin_[i] = static_cast<Real>(placed.begin);
    length_[i] = static_cast<Real>(length / parts);
    inner_ *= length / all;
    bound_[i] = static_cast<Real>(std::isinf(side.lower) ? (std::isinf(side.upper) ? 0 : side.upper) : side.lower);
    middle_[i] = static_cast<Real>(placed.finite() ? side.lower + (side.upper - side.lower) / 2 : 0);
    infinite_ = infinite_ || !placed.finite();
    volume_ *= all;
  }

  template <class T, class Jacobian>
  KOKKOS_FUNCTION static T infinite(SideKind kind, T bound, T t, Jacobian& jacobian) {
    T const one = 1;
    if (kind == SideKind::upper_half) {
      T const r = one / (one - t);
      jacobian *= static_cast<Jacobian>(r) * static_cast<Jacobian>(r);
      return bound + t * r;
    }
    if (kind == SideKind::lower_half) {
      T const r = one / t;
      jacobian *= static_cast<Jacobian>(r) * static_cast<Jacobian>(r);
      return bound - (one - t) * r;
    }
    T const s = t + t - one;
    T const r = one / (T(4) * t * (one - t)); // 1 - s^2 = 4 t (1 - t), without cancellation
    jacobian *= static_cast<Jacobian>((one + s * s) * r) * static_cast<Jacobian>(r + r);
    return s * r;
  }

  Kokkos::Array<Real, Box<D>::capacity> origin_{}, length_{}, bound_{}, middle_{};
  Kokkos::Array<SideKind, Box<D>::capacity> kind_{};
  double volume_ = 1, inner_ = 1;
  int dimension_;
  bool infinite_ = false;
};

/// The Transform of a method that does not draw points but divides the box itself: it knows which coordinates lie
/// strictly inside, in the format of the points.
template <class Real, int D>
class Interior : public Transform<Real, D> {
public:
  /// Throws InvalidArgument if there are none on a side.
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

  /// The same as one whose dimension is known at run time and has to be D.
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

  /// Whether a coordinate lies inside, before map_infinite().
  KOKKOS_FUNCTION bool contains(int i, Real x) const { return x >= first_[i] && x <= last_[i]; }

  /// How close to the ends of an interval points may be, in units of the gap, and how close they are where the interval
  /// is so short that rounding matters (see close_to_face).
  static constexpr double close = 0x1p-10, less_close = 0x1p-2;
  KOKKOS_FUNCTION static Real closeness(Real gap, Real centre, Real side) {
    bool const fine = side * gap > Real(0x1p14) * Kokkos::Experimental::epsilon_v<Real> * Kokkos::abs(centre);
    return static_cast<Real>(fine ? close : less_close);
  }

  /// Keeps the points of an interval inside: where it is so short that rounding might take one to an end, it becomes as
  /// much shorter as it has to be.
  /// @param gap between an end of the interval and the nearest point of the rule, in units of the side
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

  /// The first and the last coordinate inside, as place() has them; the last that it resolves; and by how much rounding
  /// moves one at most.
  struct Limits {
    double first, last, reached, spacing;
  };
  static Limits limits(Side side, CoordinateFormat const& format) {
    PlacedSide const all(side);
    auto const [epsilon, least, most] = format;
    auto const [lower, upper] = side;
    if (all.finite()) { // numbers are dense near an end at zero, but place() is exact there only if it begins with it
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
  /// A point as near to x as they are.
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

} // namespace detail
} // namespace kubature
