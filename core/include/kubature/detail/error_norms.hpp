#pragma once

#include <kubature/error_norm.hpp>

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

namespace kubature::detail {

/// The components first ... last - 1, whose errors are bounded together.
struct ComponentGroup {
  int first, last;

  /// The group of component c.
  KOKKOS_FUNCTION static ComponentGroup of(ErrorNorm norm, int c, int components) {
    if (norm == ErrorNorm::individual)
      return {c, c + 1};
    if (norm == ErrorNorm::paired)
      return {c - c % 2, c - c % 2 + 2 < components ? c - c % 2 + 2 : components};
    return {0, components};
  }
};

/// The norm of one number per component, which add() takes in their order. If several groups have their own bounds, the
/// numbers are in units of these, and the norm is the largest of the groups'.
struct Norm {
  ErrorNorm kind;
  double value = 0;
  double first_of_pair = 0;
  bool second = false;

  KOKKOS_FUNCTION void add(double x) {
    if (kind == ErrorNorm::l1) {
      value += x;
    } else if (kind == ErrorNorm::l2) {
      value = Kokkos::hypot(value, x);
    } else {
      double const size = kind == ErrorNorm::paired && second ? Kokkos::hypot(first_of_pair, x) : x;
      value = size > value || Kokkos::isnan(size) ? size : value;
      first_of_pair = x;
      second = !second;
    }
  }
};

} // namespace kubature::detail
