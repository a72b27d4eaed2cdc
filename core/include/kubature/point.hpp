#pragma once

#include <Kokkos_Macros.hpp>

namespace kubature {

/// The largest number of variables that the library integrates over.
inline constexpr int max_dimension = 20;

/// Stands for a number of variables, at most max_dimension, that is known only at run time.
inline constexpr int dynamic = -1;

/// A point in a D-dimensional box, the argument of every integrand.
///
/// D is the number of variables; Point<Real, dynamic> carries it at run time.
template <class Real, int D>
class Point {
public:
  static_assert(D >= 1 && D <= max_dimension, "a Point has between 1 and 20 coordinates, or kubature::dynamic");
  using value_type = Real;           ///< the number type of coordinates
  static constexpr int capacity = D; ///< the largest number of coordinates in a point of this type

  /// Coordinate i, counted from 0.
  KOKKOS_FUNCTION constexpr Real operator[](int i) const { return x_[i]; }
  KOKKOS_FUNCTION constexpr Real& operator[](int i) { return x_[i]; } ///< coordinate i, from 0
  KOKKOS_FUNCTION static constexpr int size() { return D; }           ///< the number of coordinates
  /// Sets the number of coordinates if that is known only at run time; does nothing otherwise.
  KOKKOS_FUNCTION constexpr void set_size(int /*dimension*/) {}

private:
  Real x_[D];
};

template <class Real>
class Point<Real, dynamic> {
public:
  using value_type = Real;
  static constexpr int capacity = max_dimension;

  KOKKOS_FUNCTION constexpr Real operator[](int i) const { return x_[i]; }
  KOKKOS_FUNCTION constexpr Real& operator[](int i) { return x_[i]; }
  KOKKOS_FUNCTION constexpr int size() const { return size_; }
  KOKKOS_FUNCTION constexpr void set_size(int dimension) { size_ = dimension; }

private:
  Real x_[max_dimension];
  int size_ = 0;
};

} // namespace kubature
