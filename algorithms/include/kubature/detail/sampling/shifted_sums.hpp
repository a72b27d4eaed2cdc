#pragma once

#include <kubature/covariance.hpp>

#include <Kokkos_Macros.hpp>

namespace kubature::detail {

/// The sums of products of W samples side by side; nothing where they are not wanted.
template <class Acc, int C, int W, bool wanted>
struct ShiftedProducts {};

template <class Acc, int C, int W>
struct ShiftedProducts<Acc, C, W, true> {
  Acc products[pairs(C)][W];
};

/// The sums that give means and variances of C components of W samples side by side: of the values less the first one,
/// so that nothing cancels, and of their squares; and, where they are wanted, of the products of each two components.
template <class Acc, int C, int W, bool with_products = false>
struct ShiftedSums : ShiftedProducts<Acc, C, W, with_products> {
  Acc shift[C][W], s1[C][W], s2[C][W];

  KOKKOS_FUNCTION void clear(int w) {
    for (int c = 0; c < C; ++c)
      shift[c][w] = s1[c][w] = s2[c][w] = 0;
    if constexpr (with_products)
      for (int p = 0; p < pairs(C); ++p)
        this->products[p][w] = 0;
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
  /// Adds the products of values that have been added.
  /// @param live live(w) says whether sample w counts
  template <class Live>
  KOKKOS_FUNCTION void add_products(Acc const (&values)[C][W], Live const& live) {
    Acc deviation[C][W];
    for (int w = 0; w < W; ++w) {
      bool const counts = live(w);
      for (int c = 0; c < C; ++c)
        deviation[c][w] = counts ? values[c][w] - shift[c][w] : Acc(0);
    }
    for (int j = 1; j < C; ++j)
      for (int i = 0; i < j; ++i)
        for (int w = 0; w < W; ++w)
          this->products[pair_place(i, j)][w] += deviation[i][w] * deviation[j][w];
  }
  /// The mean of n values.
  KOKKOS_FUNCTION Acc mean(int c, int w, Acc over_n) const { return shift[c][w] + s1[c][w] * over_n; }
  /// The sum of the squared deviations of n values from their mean.
  KOKKOS_FUNCTION Acc squares(int c, int w, Acc over_n) const {
    Acc const squares = s2[c][w] - s1[c][w] * s1[c][w] * over_n;
    return squares < 0 ? Acc(0) : squares;
  }
  /// The sum of the products of the deviations of n values of two components, i < j, from their means.
  KOKKOS_FUNCTION Acc product(int i, int j, int w, Acc over_n) const {
    return this->products[pair_place(i, j)][w] - s1[i][w] * s1[j][w] * over_n;
  }
};

} // namespace kubature::detail
