#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>

namespace kubature::detail {

/// A part of a domain as a box in the unit cube, which Transform maps to the domain. SubBox{} is all of it.
struct SubBox {
  Kokkos::Array<double, max_dimension> origin{}, length = ones();

  /// The lower or the upper half along an axis.
  SubBox half(int axis, bool upper) const {
    SubBox result = *this;
    result.length[axis] *= 0.5;
    if (upper)
      result.origin[axis] += result.length[axis];
    return result;
  }

  double volume(int dimension) const {
    double product = 1;
    for (int i = 0; i < dimension; ++i)
      product *= length[i];
    return product;
  }

private:
  static constexpr Kokkos::Array<double, max_dimension> ones() {
    Kokkos::Array<double, max_dimension> all{};
    for (int i = 0; i < max_dimension; ++i)
      all[i] = 1;
    return all;
  }
};

} // namespace kubature::detail
