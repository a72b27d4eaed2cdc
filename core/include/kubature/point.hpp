#pragma once

#include <Kokkos_Macros.hpp>

namespace kubature {

/// The largest number of variables for `dynamic`, and the largest for cubature, mixed precision and GPUs.
inline constexpr int max_dimension = 20;

/// The largest number of variables for the sampling methods: PlainMonteCarlo, MCubes, VegasPlus and QuasiMonteCarlo,
/// which Auto then calls.
inline constexpr int most_variables = 1024;

/// Stands for a number of variables, at most max_dimension, that is known only at run time.
inline constexpr int dynamic = -1;

/// Stands for a number of variables, at most most_variables, that is known only at run time: of integrals on hosts by
/// the sampling methods. With up to max_dimension variables kernels for `dynamic` take less time.
inline constexpr int dynamic_many = -2;

/// A point in a D-dimensional box, the argument of every integrand.
///
/// D is the number of variables; Point<Real, dynamic> and Point<Real, dynamic_many> carry it at run time.
template <class Real, int D>
class Point {
public:
  static_assert(D >= 1 && D <= most_variables, "a Point has between 1 and 1024 coordinates, or kubature::dynamic, or "
                                               "kubature::dynamic_many");
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

/// Of as many numbers as there are coordinates, whatever the capacity: others are neither set nor copied.
template <class Real>
class Point<Real, dynamic_many> {
public:
  using value_type = Real;
  static constexpr int capacity = most_variables;

  KOKKOS_FUNCTION Point() {} // NOLINT: coordinates are set one by one
  KOKKOS_FUNCTION Point(Point const& other) { *this = other; }
  KOKKOS_FUNCTION Point& operator=(Point const& other) {
    size_ = other.size_;
    for (int i = 0; i < size_; ++i)
      x_[i] = other.x_[i];
    return *this;
  }

  KOKKOS_FUNCTION Real operator[](int i) const { return x_[i]; }
  KOKKOS_FUNCTION Real& operator[](int i) { return x_[i]; }
  KOKKOS_FUNCTION int size() const { return size_; }
  KOKKOS_FUNCTION void set_size(int dimension) { size_ = dimension; }

private:
  Real x_[most_variables + 8]; ///< see above
  int size_ = 0;
};

namespace detail {

/// Whether the number of variables is known only at run time.
template <int D>
inline constexpr bool is_dynamic = D == dynamic || D == dynamic_many;

/// Whether there may be more than max_dimension variables.
template <int D>
inline constexpr bool many_variables = Point<double, D>::capacity > max_dimension;

/// Refuses them where only few are supported.
template <int D>
constexpr void require_few_variables() {
  static_assert(!many_variables<D>,
                "Pagani, TwoPhase, MixedPrecision, integrate_many and the policy `adaptive` take up to 20 "
                "variables: for more, name PlainMonteCarlo, MCubes, VegasPlus or QuasiMonteCarlo, and fp64 or fp32");
}

} // namespace detail
} // namespace kubature
