#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstddef>
#include <cstdint>

namespace kubature::detail {

/// A region's interval on one axis of the unit cube, as the number of a node in the binary tree of bisections: 1 is the
/// whole side, 2c and 2c + 1 are the halves of c. So one integer gives the beginning and the length of the interval.
struct Interval {
  std::uint64_t code = 1;

  KOKKOS_FUNCTION int level() const { return 63 - Kokkos::Experimental::countl_zero_builtin(code); }
  /// 2^-level.
  KOKKOS_FUNCTION double length() const { return 1.0 / static_cast<double>(std::uint64_t{1} << level()); }
  KOKKOS_FUNCTION double centre() const {
    auto const first = std::uint64_t{1} << level();
    return (static_cast<double>(code - first) + 0.5) * length();
  }
  KOKKOS_FUNCTION Interval half(int upper) const { return {2 * code + static_cast<unsigned>(upper)}; }
};

/// The error of a child from the errors of both children and the change of the estimate (Berntsen, "Practical error
/// estimation in adaptive multidimensional quadrature routines", J. Comput. Appl. Math. 25 (1989) 327).
/// @param change |child + sibling - parent|. Berntsen adds a quarter of it. A bisection along one of many axes leaves
///        most of the parent's error unchanged, so from five variables on dimension / 16 of it is added.
KOKKOS_INLINE_FUNCTION double two_level_error(double own, double sibling, double change, int dimension) {
  double const part = (dimension <= 4 ? 0.25 : dimension / 16.0) * change;
  double const both = own + sibling;
  return (both > 0 ? own * (1 + 2 * part / both) : own) + part;
}

/// The factor by which the error of a child may be lowered, in quarters of an octave: down to `least`, if that is
/// smaller.
KOKKOS_INLINE_FUNCTION unsigned char leeway_between(double least, double error) {
  if (!(least > 0 && least < error && Kokkos::isfinite(error)))
    return 0;
  auto const steps = (Kokkos::bit_cast<std::uint64_t>(error) - Kokkos::bit_cast<std::uint64_t>(least)) >> 50;
  return static_cast<unsigned char>(steps < 255 ? steps : 255);
}

/// The error of a child, lowered to eight times the change of the estimate by the bisection, within its leeway: where
/// null rules of low degree are large, their estimate may be a hundred times the error that halving the parent reveals.
KOKKOS_INLINE_FUNCTION double lowered_error(double error, unsigned char leeway, double change) {
  double const bound = 8 * change;
  if (leeway == 0 || !(bound < error))
    return error;
  double const least =
      Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(error) - (static_cast<std::uint64_t>(leeway) << 50));
  return bound > least ? bound : least;
}

/// What the estimate of a parent changes in the errors of its halves: two_level_error(), also of lowered errors; the
/// same with a quarter of the change in any number of variables, as published; or nothing.
enum class HalfErrors : unsigned char { raised, lowered, published, kept };

/// In fewer variables errors are not lowered.
inline constexpr int least_dimension_to_lower = 4;

/// The minimum error of the sum over a grid of two intervals along each axis, judged by the rule's estimate for the
/// whole box. Where an integrand is smooth, halving all sides squares the relative error, or nearly so; the power 3/2
/// holds for corner peaks as well (docs/design/cubature-errors.md).
/// @param change    |sum over the grid - estimate for the box|
/// @param magnitude of the values over the grid
KOKKOS_INLINE_FUNCTION double least_grid_error(double change, double magnitude) {
  return 0.25 * change * Kokkos::sqrt(Kokkos::fmin(1.0, change / magnitude));
}

/// Regions as a structure of arrays in one block of memory; a handle that kernels copy. With 8 variables and one
/// component a region takes 90 bytes. (Intervals of 4 bytes are not deep enough: where a discontinuity crosses an axis
/// the error is only proportional to the interval's length, and 2^-31 is reached at a tolerance of 5e-10.)
struct Regions {
  int dimension = 0;
  int components = 0;
  std::uint64_t capacity = 0;
  Interval* intervals = nullptr;    ///< [axis][region]
  double* values = nullptr;         ///< estimates, [component][region]
  double* errors = nullptr;         ///< [component][region]
  double* parents = nullptr;        ///< estimates of the parents of the newest children, [component][pair]
  std::uint32_t* moves = nullptr;   ///< scratch for a partition, in the memory of the parents
  std::uint32_t* nodes = nullptr;   ///< leaves of the BisectionTree if it is known, [region]
  unsigned char* leeways = nullptr; ///< leeway_between() of new children, [component][region]
  unsigned char* marks = nullptr;   ///< the axis to split, and flags of second opinions, [region]

  /// No interval is bisected beyond this level; a region of which no interval can be bisected has no axis to split.
  static constexpr int deepest = 60;
  static constexpr int no_axis = 63;

  KOKKOS_FUNCTION Interval& interval(int axis, std::uint64_t i) const {
    return intervals[static_cast<std::uint64_t>(axis) * capacity + i];
  }
  KOKKOS_FUNCTION double& value(int component, std::uint64_t i) const {
    return values[static_cast<std::uint64_t>(component) * capacity + i];
  }
  KOKKOS_FUNCTION double& error(int component, std::uint64_t i) const {
    return errors[static_cast<std::uint64_t>(component) * capacity + i];
  }
  KOKKOS_FUNCTION unsigned char& leeway(int component, std::uint64_t i) const {
    return leeways[static_cast<std::uint64_t>(component) * capacity + i];
  }
  KOKKOS_FUNCTION double& parent(int component, std::uint64_t pair) const {
    return parents[static_cast<std::uint64_t>(component) * (capacity / 2) + pair];
  }
  KOKKOS_FUNCTION int axis(std::uint64_t i) const { return marks[i] & no_axis; }
  /// Sets the axis and clears the flags: the region has just been evaluated.
  KOKKOS_FUNCTION void set_axis(std::uint64_t i, int axis) const { marks[i] = static_cast<unsigned char>(axis); }
  /// Whether a second opinion was taken on the region, and whether the region then warned a neighbour.
  KOKKOS_FUNCTION bool seen_again(std::uint64_t i) const { return (marks[i] & seen) != 0; }
  KOKKOS_FUNCTION bool warner(std::uint64_t i) const { return (marks[i] & warned_others) != 0; }
  KOKKOS_FUNCTION void mark_seen_again(std::uint64_t i) const { marks[i] |= seen; }
  KOKKOS_FUNCTION void mark_warner(std::uint64_t i, bool is) const {
    marks[i] = static_cast<unsigned char>(is ? marks[i] | warned_others : marks[i] & ~warned_others);
  }

  /// |estimate| of the component that is largest in units of 1 / weights[component].
  KOKKOS_FUNCTION double size(std::uint64_t i, double const* weights) const {
    double largest = 0;
    for (int c = 0; c < components; ++c)
      largest = Kokkos::fmax(largest, Kokkos::abs(value(c, i)) * weights[c]);
    return largest;
  }

  /// Splits region i along its axis: the lower half stays at i, the upper one goes to `sibling`. Both have yet to be
  /// evaluated.
  KOKKOS_FUNCTION void bisect(std::uint64_t i, std::uint64_t sibling) const {
    for (int k = 0; k < dimension; ++k) {
      auto const whole = interval(k, i);
      interval(k, i) = k == axis(i) ? whole.half(0) : whole;
      interval(k, sibling) = k == axis(i) ? whole.half(1) : whole;
    }
  }

  /// Replaces the errors of siblings by two_level_error().
  KOKKOS_FUNCTION void improve_errors(int c, std::uint64_t i, std::uint64_t sibling, double parent_value,
                                      HalfErrors how = HalfErrors::raised) const {
    double const change = Kokkos::abs(value(c, i) + value(c, sibling) - parent_value);
    double own = error(c, i), other = error(c, sibling);
    if (how == HalfErrors::lowered) {
      own = lowered_error(own, leeway(c, i), change);
      other = lowered_error(other, leeway(c, sibling), change);
    }
    int const d = how == HalfErrors::published ? 1 : dimension;
    error(c, i) = two_level_error(own, other, change, d);
    error(c, sibling) = two_level_error(other, own, change, d);
  }

  /// Raises the error of a region by the factor by which that of the sum over `count` regions has to grow from `error`
  /// to `least`; errors of zero become equal ones.
  KOKKOS_FUNCTION void raise_error(int c, std::uint64_t i, double error, double least, std::uint64_t count) const {
    double const factor = least / error;
    this->error(c, i) = Kokkos::isfinite(factor) ? this->error(c, i) * factor : least / static_cast<double>(count);
  }

  /// Makes region i a copy of a region of another list.
  KOKKOS_FUNCTION void copy(std::uint64_t i, Regions const& from, std::uint64_t k) const {
    for (int a = 0; a < dimension; ++a)
      interval(a, i) = from.interval(a, k);
    for (int c = 0; c < components; ++c) {
      value(c, i) = from.value(c, k);
      error(c, i) = from.error(c, k);
    }
    marks[i] = from.marks[k];
  }

private:
  static constexpr unsigned char seen = 64, warned_others = 128;
};

/// Bytes of the arrays of `capacity` regions.
std::size_t bytes_of_regions(int dimension, int components, std::uint64_t capacity);

/// The number of regions that fit into this many bytes.
std::uint64_t capacity_within(std::size_t bytes, int dimension, int components);

/// The arrays of `capacity` regions in memory of bytes_of_regions() from `data` on.
Regions regions_at(std::byte* data, int dimension, int components, std::uint64_t capacity);

/// A uniform grid of 2^levels[axis] intervals along each axis, or of fewer (see published_grid()).
struct Grid {
  Kokkos::Array<int, max_dimension> levels{};
  std::uint64_t intervals = 0; ///< along each axis, beginning with the first of 2^level; 0: all
  std::uint64_t size = 1;      ///< regions

  /// The length of the sides that 2^levels intervals have, if this grid fills the box.
  double stretch() const {
    return intervals > 0 ? static_cast<double>(std::uint64_t{1} << levels[0]) / static_cast<double>(intervals) : 1;
  }
  /// Whether it halves every side of the box.
  bool halves(int dimension) const { return size > 1 && size == std::uint64_t{1} << dimension; }

  /// Makes region i a cell of the grid; cells are numbered with the first axis fastest.
  KOKKOS_FUNCTION void place(Regions const& regions, std::uint64_t i, std::uint64_t cell) const {
    for (int k = 0; k < regions.dimension; ++k) {
      auto const all = std::uint64_t{1} << levels[k], along = intervals > 0 ? intervals : all;
      regions.interval(k, i) = {all + cell % along};
      cell /= along;
    }
  }
};

/// The grid to start from: 4 intervals along each axis for fewer than 5 variables, 2 for up to 10, 1 for more, as in
/// PAGANI; coarser if only `most` regions can be evaluated, and of size 0 if not even one can.
Grid start_grid(int dimension, std::uint64_t most);

/// A grid of 2^level intervals along each axis.
Grid even_grid(int dimension, int level);

/// The first partition of published two-phase cubature (INIT-PARTITION): l intervals along each axis, with the largest
/// l for which they are no more than `most` regions; of size 0 if that is 0. Since regions are nodes of binary trees,
/// they are the first l of 2^levels intervals of a box that is longer by `stretch()`.
Grid published_grid(int dimension, std::uint64_t most);

} // namespace kubature::detail
