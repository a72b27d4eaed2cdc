#pragma once

#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

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

/// The device's form of a Box: maps t in the unit cube to x in the box (see Box for the formulas).
template <class Real, int D>
class Transform {
public:
  /// @param parts   place() takes t in units of 1 / parts
  /// @param epsilon of the format that points are rounded to: place() stays a few epsilon away from the ends of a side,
  ///                so that no point is rounded to an end; 0 if it need not
  /// Throws InvalidArgument if that leaves nothing of a side.
  explicit Transform(Box<D> const& box, double parts = 1, double epsilon = 0) : dimension_(box.dimension()) {
    for (int i = 0; i < box.dimension(); ++i) {
      auto const [lower, upper] = box[i];
      bool const below = std::isinf(lower), above = std::isinf(upper);
      kind_[i] = below && above ? SideKind::line
                 : below        ? SideKind::lower_half
                 : above        ? SideKind::upper_half
                                : SideKind::finite;
      bool const finite = kind_[i] == SideKind::finite;
      double const begin = finite ? lower + epsilon * std::abs(lower) : 2 * epsilon;
      double const end = finite ? upper - 3 * epsilon * std::abs(upper) : 1 - 4 * epsilon;
      require(begin < end, "Box side " + std::to_string(i + 1), upper - lower,
              "the side is too short at its position for this precision");
      origin_[i] = static_cast<Real>(begin);
      length_[i] = static_cast<Real>((end - begin) / parts);
      inner_ *= (end - begin) / (finite ? upper - lower : 1);
      bound_[i] = static_cast<Real>(below ? (above ? 0 : upper) : lower);
      middle_[i] = static_cast<Real>(finite ? lower + (upper - lower) / 2 : 0);
      infinite_ = infinite_ || !finite;
      volume_ *= finite ? upper - lower : 1;
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

  /// Moves a point in the box by about a millionth of the way to the middle of each side, or away from there if it is in
  /// the middle; by a different part along each axis.
  template <class Point>
  KOKKOS_FUNCTION void nudge(Point& x) const {
    for (int i = 0; i < (D == dynamic ? dimension_ : D); ++i) {
      using T = std::remove_reference_t<decltype(x[i])>;
      bool const finite = kind_[i] == SideKind::finite;
      T const middle = kind_[i] == SideKind::upper_half   ? static_cast<T>(bound_[i]) + 1
                       : kind_[i] == SideKind::lower_half ? static_cast<T>(bound_[i]) - 1
                       : finite                           ? static_cast<T>(middle_[i])
                                                          : T(0);
      T const side = finite ? 2 * (middle - static_cast<T>(bound_[i])) : T(1), off = middle - x[i];
      T const part = T(0x1p-20) * static_cast<T>(i + 2) / static_cast<T>(i + 3);
      x[i] += part * (Kokkos::abs(off) < side / 64 ? side : off);
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

} // namespace detail
} // namespace kubature
