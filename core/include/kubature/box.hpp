#pragma once

#include <kubature/detail/interior.hpp>
#include <kubature/detail/transform.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>
#include <kubature/side.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <source_location>
#include <span>
#include <sstream>
#include <string>

namespace kubature {

/// The domain of an integral: the product of D sides. Box<4>{} is the unit cube.
///
/// An infinite side is mapped from the unit interval, t in (0, 1), by a change of variables x(t) whose derivative
/// multiplies the integrand:
///   [a, inf)      x = a + t / (1 - t)              dx/dt = 1 / (1 - t)^2
///   (-inf, b]     x = b - (1 - t) / t              dx/dt = 1 / t^2
///   (-inf, inf)   x = s / (1 - s^2), s = 2 t - 1   dx/dt = 2 (1 + s^2) / (1 - s^2)^2
/// These suit integrands whose scale is about 1; rescale the variable where it is not.
///
/// Throws InvalidArgument if bounds are reversed, equal, NaN or infinite on the wrong side, or if a dimension known at
/// run time is not in 1..20.
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
    require(D != dynamic || (dimension >= 1 && dimension <= max_dimension), "dimension", dimension,
            "a box has between 1 and 20 sides", where);
    require(D == dynamic || dimension == D, "dimension", dimension,
            "the box's type fixes the dimension at " + std::to_string(D), where);
    require(sides.size() == 1 || static_cast<int>(sides.size()) == dimension, "number of sides", sides.size(),
            "give one side, or one for each of the " + std::to_string(dimension) + " axes", where);
    for (int i = 0; i < std::min(dimension, capacity); ++i) {
      sides_[i] = sides[sides.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      check(i, where);
    }
  }

  /// The box `other`, whose dimension is known only at run time and must be D.
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

} // namespace kubature
