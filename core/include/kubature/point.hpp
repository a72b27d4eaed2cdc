#pragma once

#include <Kokkos_Macros.hpp>

namespace kubature {

/// The largest number of variables that is known only at run time, and the largest for cubature, automatic choices and
/// mixed precision.
inline constexpr int max_dimension = 20;

/// The largest number of variables that is known at compile time, for the sampling methods: PlainMonteCarlo, MCubes,
/// VegasPlus and QuasiMonteCarlo.
inline constexpr int most_variables = 1024;

/// Stands for a number of variables, at most max_dimension, that is known only at run time.
inline constexpr int dynamic = -1;

/// A point in a D-dimensional box, the argument of every integrand.
///
/// D is the number of variables; Point<Real, dynamic> carries it at run time.
template <class Real, int D>
class Point {
public:
  static_assert(D >= 1 && D <= most_variables, "a Point has between 1 and 1024 coordinates, or kubature::dynamic");
  using value_type = Real;           ///< the number type of coordinates
  static constexpr int capacity = D; ///< the largest number of coordinates in a point of this type

  /// Coordinate i, counted from 0.
  KOKKOS_FUNCTION constexpr Real operator[](int i) const { return x_[i]; }
  KOKKOS_FUNCTION constexpr Real& operator[](int i) { return x_[i]; } ///< coordinate i, from 0
  KOKKOS_FUNCTION static constexpr int size() { return D; }           ///< the number of coordinates
  /// Sets the number of coordinates if that is known only at run time; does nothing otherwise.
  KOKKOS_FUNCTION constexpr void set_size(int /*dimension*/) {}

private:
  /// At strides of 4 KiB points side by side would take the same lines of a cache.
  Real x_[D % 512 == 0 ? D + 8 : D];
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

namespace detail {

/// Whether there are more than max_dimension variables.
template <int D>
inline constexpr bool many_variables = Point<double, D>::capacity > max_dimension;

/// Refuses them where only few are supported.
template <int D>
constexpr void require_few_variables() {
  static_assert(!many_variables<D>,
                "Pagani, TwoPhase, MixedPrecision, Auto, integrate_many and the policy `adaptive` take up to 20 "
                "variables: for more, name PlainMonteCarlo, MCubes, VegasPlus or QuasiMonteCarlo, and fp64 or fp32");
}

} // namespace detail
} // namespace kubature
