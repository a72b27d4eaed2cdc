#pragma once

#include <kubature/detail/channel.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>
#include <kubature/side.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_NumericTraits.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

namespace kubature::detail {

/// Which ends of a side are infinite.
enum class SideKind : int { finite, upper_half, lower_half, line };

/// The number format to which coordinates are rounded.
struct CoordinateFormat {
  double epsilon; ///< relative spacing of its numbers
  double least;   ///< the smallest positive number with a finite inverse
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
  /// The format of points in a Precision: they are rounded to the format in which the integrand is evaluated.
  template <class P>
  static CoordinateFormat of_arguments() {
    auto const drawn = of<typename P::sample_type>(), given = of<typename P::eval_type>();
    return drawn.epsilon < given.epsilon ? given : drawn;
  }
};

/// The range of place() on a side: of x on a finite side, of t on an infinite one.
struct PlacedSide {
  SideKind kind;
  double begin, end;

  /// The whole side.
  explicit PlacedSide(Side side) {
    bool const below = std::isinf(side.lower), above = std::isinf(side.upper);
    kind = below && above ? SideKind::line
           : below        ? SideKind::lower_half
           : above        ? SideKind::upper_half
                          : SideKind::finite;
    begin = finite() ? side.lower : 0;
    end = finite() ? side.upper : 1;
  }
  /// The part at least a few spacings of the format away from the ends, so that no point is rounded to an end.
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
  /// Whether the range contains numbers of the format.
  bool exists(CoordinateFormat const& format) const {
    return begin < end && std::max(std::abs(begin), std::abs(end)) <= format.most;
  }
};

/// The device's form of a Box: it maps t in the unit cube to x in the box (see Box for the formulas).
template <class Real, int D>
class Transform {
public:
  /// The whole box: t = 0 and t = 1 are its ends.
  explicit Transform(Box<D> const& box) : channel_(box.channel()), dimension_(box.dimension()) {
    for (int i = 0; i < box.dimension(); ++i)
      set(i, box[i], PlacedSide(box[i]), 1);
  }

  /// The part of the box in which place() is not rounded to an end, for all t from 0 to `parts`.
  /// @param format the format of the points
  /// @param parts  the argument of place() is t in units of 1 / parts
  /// Throws InvalidArgument if that part of a side is empty.
  Transform(Box<D> const& box, CoordinateFormat const& format, double parts = 1)
      : channel_(box.channel()), dimension_(box.dimension()) {
    for (int i = 0; i < box.dimension(); ++i) {
      PlacedSide const placed(box[i], format);
      require(placed.exists(format), "Box side " + std::to_string(i + 1), box[i].upper - box[i].lower,
              "the side is too short at its position for this precision");
      set(i, box[i], placed, parts);
      // Rounding may move the last point past an end near zero.
      double const last =
          placed.finite() && box[i].upper == 0 ? -format.least : placed.end + format.epsilon * std::abs(placed.end);
      auto const t = static_cast<Real>(parts);
      while (static_cast<double>(std::max(origin_[i] + length_[i] * t, std::fma(length_[i], t, origin_[i]))) > last)
        length_[i] = std::nextafter(length_[i], Real(0));
    }
  }

  /// The transform `other`, whose dimension is known only at run time and must be D.
  template <int Any>
    requires(Any == dynamic && D != dynamic)
  explicit Transform(Transform<Real, Any> const& other)
      : inner_(other.inner_), volume_(other.volume_), channel_(other.channel_), infinite_(other.infinite_),
        dimension_(D) {
    for (int i = 0; i < D; ++i) {
      origin_[i] = other.origin_[i];
      length_[i] = other.length_[i];
      bound_[i] = other.bound_[i];
      middle_[i] = other.middle_[i];
      kind_[i] = other.kind_[i];
    }
  }

  /// Coordinate i of a point: x on a finite side; on an infinite one, and in the channel of a peak, t, for map().
  template <class T>
  KOKKOS_FUNCTION Real place(int i, T t) const {
    return origin_[i] + length_[i] * static_cast<Real>(t);
  }
  /// The numbers that place() takes.
  KOKKOS_FUNCTION Real const* origins() const { return origin_.data(); }
  KOKKOS_FUNCTION Real const* lengths() const { return length_.data(); }
  KOKKOS_FUNCTION Real stretch(int i, double dt) const { return length_[i] * static_cast<Real>(dt); }
  /// The product of the lengths of the finite sides.
  KOKKOS_FUNCTION double volume() const { return volume_; }
  /// The fraction of the box that place() reaches: 1 but for the neighbourhoods of the ends.
  KOKKOS_FUNCTION double inner() const { return inner_; }
  /// Whether any side is infinite.
  KOKKOS_FUNCTION bool infinite() const { return infinite_; }
  /// Whether the box is the part of a channel.
  KOKKOS_FUNCTION bool in_channel() const { return channel_.any(); }
  /// Whether points have to be mapped by map().
  template <bool channels = true>
  KOKKOS_FUNCTION bool maps() const {
    return infinite_ || (channels && in_channel());
  }
  /// Maps the infinite sides of a point, and one of a channel.
  /// @tparam channels false: the box is known not to be the part of a channel, which spares a kernel the code for it
  /// @returns the product of their dx/dt, times the channel's share
  template <class Jacobian, bool channels = true, class Point>
  KOKKOS_FUNCTION Jacobian map(Point& x) const {
    Jacobian jacobian = 1;
    for (int i = 0; i < (is_dynamic<D> ? dimension_ : D); ++i)
      if (kind_[i] != SideKind::finite)
        x[i] = infinite(kind_[i], static_cast<std::remove_reference_t<decltype(x[i])>>(bound_[i]), x[i], jacobian);
    if (channels && in_channel()) {
      using T = std::remove_reference_t<decltype(x[0])>;
      constexpr int most = max_dimension; // which nvcc takes no reference to
      int const d = Kokkos::min(is_dynamic<D> ? dimension_ : D, most);
      double at[most]; // so that the point itself may stay in registers
      for (int i = 0; i < d; ++i)
        at[i] = static_cast<double>(x[i]);
      jacobian *= static_cast<Jacobian>(channel_.map(at, d));
      for (int i = 0; i < d; ++i)
        x[i] = static_cast<T>(at[i]);
    }
    return jacobian;
  }

  /// Moves a point along each axis by about the fraction `way`, by default a millionth, of its distance from the middle
  /// of the side, or of the side if it is in the middle; by a different fraction along each axis.
  /// In the channel of a peak the middle is the peak's.
  template <class Point>
  KOKKOS_FUNCTION void nudge(Point& x, double way = 0x1p-20) const {
    double const* const centre = channel_.of_peak() ? channel_.centre(is_dynamic<D> ? dimension_ : D) : nullptr;
    for (int i = 0; i < (is_dynamic<D> ? dimension_ : D); ++i) {
      using T = std::remove_reference_t<decltype(x[i])>;
      bool const finite = kind_[i] == SideKind::finite;
      T const middle = kind_[i] == SideKind::upper_half   ? static_cast<T>(bound_[i]) + 1
                       : kind_[i] == SideKind::lower_half ? static_cast<T>(bound_[i]) - 1
                       : finite                           ? static_cast<T>(middle_[i])
                                                          : T(0);
      T const side = finite ? 2 * (middle - static_cast<T>(bound_[i])) : T(1), off = middle - x[i];
      T const part = static_cast<T>(way) * static_cast<T>(i + 2) / static_cast<T>(i + 3);
      if (centre) {
        x[i] += part * (static_cast<T>(centre[i]) - x[i]);
        continue;
      }
      x[i] += part * (off < side / 64 && -off < side / 64 ? side : off);
    }
  }
  /// Halves the distance of a point in the box from the finite end of each infinite side, or from 0.
  template <class Point>
  KOKKOS_FUNCTION void halve_infinite(Point& x) const {
    for (int i = 0; i < (is_dynamic<D> ? dimension_ : D); ++i)
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
  Channel channel_;
  int dimension_;
  bool infinite_ = false;
};

} // namespace kubature::detail
