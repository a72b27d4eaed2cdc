#pragma once

#include <kubature/detail/channel.hpp>
#include <kubature/detail/interior.hpp>
#include <kubature/detail/transform.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>
#include <kubature/side.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <source_location>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace kubature {

namespace detail {

/// The sides with these bounds. Throws InvalidArgument if their numbers differ.
inline std::vector<Side> sides_between(std::span<double const> lower, std::span<double const> upper,
                                       std::source_location where) {
  require(lower.size() == upper.size(), "number of upper bounds", upper.size(),
          "give one for each lower bound, of which there are " + std::to_string(lower.size()), where);
  std::vector<Side> sides;
  for (std::size_t i = 0; i < lower.size(); ++i)
    sides.push_back({lower[i], upper[i]});
  return sides;
}

} // namespace detail

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
/// run time is not in 1..20 (dynamic) or 1..1024 (dynamic_many).
template <int D = dynamic>
class Box {
public:
  static constexpr int capacity = Point<double, D>::capacity; ///< the largest dimension of a box of this type

  /// The unit cube.
  Box()
    requires(!detail::is_dynamic<D>)
  {
    for (auto& side : sides_)
      side = {};
  }

  /// The same side along every axis: Box<3>(0.0, 2.0).
  Box(double lower, double upper, std::source_location where = std::source_location::current())
    requires(!detail::is_dynamic<D>)
      : Box(std::initializer_list<Side>{{lower, upper}}, where) {}

  /// The box with these bounds, one lower and one upper bound per axis: Box<>(lower, upper), of two vectors.
  Box(std::span<double const> lower, std::span<double const> upper,
      std::source_location where = std::source_location::current())
      : Box(detail::sides_between(lower, upper, where), detail::is_dynamic<D> ? static_cast<int>(lower.size()) : D,
            where) {}

  /// One side per axis, as in Box<2>{{0, 1}, {0, kubature::infinity}}, or one side for all axes.
  Box(std::initializer_list<Side> sides, std::source_location where = std::source_location::current())
      : Box(std::span<Side const>(sides.begin(), sides.size()),
            detail::is_dynamic<D> ? static_cast<int>(sides.size()) : D, where) {}

  /// As above, from a list known at run time; a single side serves all `dimension` axes.
  explicit Box(std::span<Side const> sides, int dimension = D,
               std::source_location where = std::source_location::current())
      : dimension_(dimension) {
    require(!detail::is_dynamic<D> || (dimension >= 1 && dimension <= capacity), "dimension", dimension,
            "a box has between 1 and " + std::to_string(capacity) + " sides", where);
    require(detail::is_dynamic<D> || dimension == D, "dimension", dimension,
            "the box's type fixes the dimension at " + std::to_string(D), where);
    require(sides.size() == 1 || static_cast<int>(sides.size()) == dimension, "number of sides", sides.size(),
            "give one side, or one for each of the " + std::to_string(dimension) + " axes", where);
    make_room();
    for (int i = 0; i < std::min(dimension, capacity); ++i) {
      at(i) = sides[sides.size() == 1 ? 0 : static_cast<std::size_t>(i)];
      check(i, where);
    }
  }

  /// The box `other`, whose dimension is known only at run time and must be one of this type.
  template <int Any>
    requires(detail::is_dynamic<Any> && Any != D && D != dynamic_many)
  explicit Box(Box<Any> const& other, std::source_location where = std::source_location::current())
      : dimension_(other.dimension()) {
    require(D != dynamic || dimension_ <= max_dimension, "dimension", dimension_,
            "a box of this type has between 1 and 20 sides", where);
    require(D == dynamic || dimension_ == D, "dimension", dimension_,
            "the box's type fixes the dimension at " + std::to_string(D), where);
    take(other);
  }
  /// The box `other`, of any type.
  template <int Any>
    requires(D == dynamic_many && Any != D)
  Box(Box<Any> const& other) : dimension_(other.dimension()) {
    take(other);
  }

  /// The part of integrals over this box that a channel has: for the background this box, otherwise the unit cube, from
  /// which the channel maps.
  Box through(detail::Channel const& channel) const {
    Box result = *this;
    result.channel_ = channel;
    for (int i = 0; channel.of_peak() && i < dimension(); ++i)
      result.at(i) = {};
    return result;
  }
  /// The channel, if it has one.
  detail::Channel const& channel() const { return channel_; }

  KOKKOS_FUNCTION constexpr int dimension() const {
    return detail::is_dynamic<D> ? dimension_ : D;
  } ///< the number of variables
  Side const& operator[](int axis) const {
    return sides_[static_cast<std::size_t>(axis)];
  } ///< the side along an axis, from 0
  /// Whether all sides are the same.
  bool is_cube() const {
    return std::all_of(sides_.data(), sides_.data() + dimension(), [this](Side const& side) {
      return side.lower == (*this)[0].lower && side.upper == (*this)[0].upper;
    });
  }

private:
  Side& at(int axis) { return sides_[static_cast<std::size_t>(axis)]; }
  void make_room() {
    if constexpr (D == dynamic_many)
      sides_.resize(static_cast<std::size_t>(dimension_));
  }
  template <int Any>
  void take(Box<Any> const& other) {
    make_room();
    channel_ = other.channel();
    for (int i = 0; i < other.dimension(); ++i)
      at(i) = other[i];
  }

  void check(int axis, std::source_location where) const {
    auto const [lower, upper] = (*this)[axis];
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

  /// Kernels for dynamic_many run on hosts.
  std::conditional_t<D == dynamic_many, std::vector<Side>, Kokkos::Array<Side, capacity>> sides_;
  int dimension_ = D;
  detail::Channel channel_;
};

/// A list of sides gives a box whose dimension is known at run time.
Box(std::initializer_list<Side>) -> Box<dynamic>;

} // namespace kubature
