#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

namespace kubature::detail {

/// A sum with the rounding errors of its additions (Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen", ZAMM 54 (1974) 39): as exact as if it were kept in twice the precision.
struct Compensated {
  double sum = 0;
  double rest = 0;

  KOKKOS_FUNCTION void add(double term) {
    double const next = sum + term;
    rest += Kokkos::abs(sum) >= Kokkos::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  KOKKOS_FUNCTION void join(Compensated const& other) {
    add(other.sum);
    rest += other.rest;
  }
  KOKKOS_FUNCTION double value() const { return sum + rest; }
};

} // namespace kubature::detail
