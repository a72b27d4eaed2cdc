#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cstddef>
#include <cstdint>

namespace kubature::detail {

/// The place of a region on one axis of the unit cube, as the number of a node in the tree of bisections: 1 is the
/// whole side, 2c and 2c + 1 are the halves of c. So one integer holds where a region begins and how long it is.
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

/// The error of a child from those of both and from what the bisection changed (Berntsen, "Practical error estimation
/// in adaptive multidimensional quadrature routines", J. Comput. Appl. Math. 25 (1989) 327).
/// @param change |child + sibling - parent|. Berntsen takes a quarter of it. A bisection along one of many axes leaves
///        most of the parent's error where it was, so from five variables on more is taken: dimension / 16.
KOKKOS_INLINE_FUNCTION double two_level_error(double own, double sibling, double change, int dimension) {
  double const part = (dimension <= 4 ? 0.25 : dimension / 16.0) * change;
  double const both = own + sibling;
  return (both > 0 ? own * (1 + 2 * part / both) : own) + part;
}

/// Regions as structure of arrays in one piece of memory; a handle that kernels copy. With 8 variables and one
/// component a region takes 89 bytes. (Intervals of 4 bytes do not go deep enough: where a discontinuity crosses an
/// axis the error falls with its length only, and 2^-31 is reached at a tolerance of 5e-10.)
struct Regions {
  int dimension = 0;
  int components = 0;
  std::uint64_t capacity = 0;
  Interval* intervals = nullptr;  ///< [axis][region]
  double* values = nullptr;       ///< estimates, [component][region]
  double* errors = nullptr;       ///< [component][region]
  double* parents = nullptr;      ///< estimates of the parents of the newest children, [component][pair]
  std::uint32_t* moves = nullptr; ///< scratch of a partition, in the memory of the parents
  std::uint32_t* nodes = nullptr; ///< in the tree of bisections, where there is one, [region]
  unsigned char* marks = nullptr; ///< the axis to split, and what a second opinion left, [region]

  /// Deeper than this no interval is bisected; a region of which no interval can be has no axis to split.
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
  KOKKOS_FUNCTION double& parent(int component, std::uint64_t pair) const {
    return parents[static_cast<std::uint64_t>(component) * (capacity / 2) + pair];
  }
  KOKKOS_FUNCTION int axis(std::uint64_t i) const { return marks[i] & no_axis; }
  /// Of a region that has just been evaluated, on which nobody has looked again.
  KOKKOS_FUNCTION void set_axis(std::uint64_t i, int axis) const { marks[i] = static_cast<unsigned char>(axis); }
  /// Whether it was looked at again, and whether it then told a neighbour something.
  KOKKOS_FUNCTION bool seen_again(std::uint64_t i) const { return (marks[i] & seen) != 0; }
  KOKKOS_FUNCTION bool teller(std::uint64_t i) const { return (marks[i] & tells) != 0; }
  KOKKOS_FUNCTION void mark_seen_again(std::uint64_t i) const { marks[i] |= seen; }
  KOKKOS_FUNCTION void mark_teller(std::uint64_t i, bool is) const {
    marks[i] = static_cast<unsigned char>(is ? marks[i] | tells : marks[i] & ~tells);
  }

  /// Of a region's estimate, by the component that is largest in units of 1 / weights[component].
  KOKKOS_FUNCTION double size(std::uint64_t i, double const* weights) const {
    double largest = 0;
    for (int c = 0; c < components; ++c)
      largest = Kokkos::fmax(largest, Kokkos::abs(value(c, i)) * weights[c]);
    return largest;
  }

  /// Makes regions i and sibling of region i, which are still to be evaluated.
  KOKKOS_FUNCTION void bisect(std::uint64_t i, std::uint64_t sibling) const {
    for (int k = 0; k < dimension; ++k) {
      auto const whole = interval(k, i);
      interval(k, i) = k == axis(i) ? whole.half(0) : whole;
      interval(k, sibling) = k == axis(i) ? whole.half(1) : whole;
    }
  }

  /// two_level_error() of siblings.
  KOKKOS_FUNCTION void improve_errors(int c, std::uint64_t i, std::uint64_t sibling, double parent_value) const {
    double const change = Kokkos::abs(value(c, i) + value(c, sibling) - parent_value);
    double const own = error(c, i), other = error(c, sibling);
    error(c, i) = two_level_error(own, other, change, dimension);
    error(c, sibling) = two_level_error(other, own, change, dimension);
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
  static constexpr unsigned char seen = 64, tells = 128;
};

/// Lays out the arrays of `capacity` regions from `data` on; returns how many bytes they take. Null: only that.
std::size_t lay_out(Regions& regions, std::byte* data, int dimension, int components, std::uint64_t capacity);

} // namespace kubature::detail
