#pragma once

#include <Kokkos_Macros.hpp>

namespace kubature::detail {

/// The sums that give means and variances of C components of W samples side by side: of the values less the first one,
/// so that nothing cancels, and of their squares.
template <class Acc, int C, int W>
struct ShiftedSums {
  Acc shift[C][W], s1[C][W], s2[C][W];

  KOKKOS_FUNCTION void clear(int w) {
    for (int c = 0; c < C; ++c)
      shift[c][w] = s1[c][w] = s2[c][w] = 0;
  }
  KOKKOS_FUNCTION void add(Acc const (&values)[C][W], int w, bool first) {
    for (int c = 0; c < C; ++c) {
      if (first)
        shift[c][w] = values[c][w];
      Acc const v = values[c][w] - shift[c][w];
      s1[c][w] += v;
      s2[c][w] += v * v;
    }
  }
  /// The mean of n values.
  KOKKOS_FUNCTION Acc mean(int c, int w, Acc over_n) const { return shift[c][w] + s1[c][w] * over_n; }
  /// The sum of the squared deviations of n values from their mean.
  KOKKOS_FUNCTION Acc squares(int c, int w, Acc over_n) const {
    Acc const squares = s2[c][w] - s1[c][w] * s1[c][w] * over_n;
    return squares < 0 ? Acc(0) : squares;
  }
};

} // namespace kubature::detail
