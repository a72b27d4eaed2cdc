#pragma once

#include <kubature/covariance.hpp>

#include <Kokkos_Macros.hpp>

namespace kubature::detail {

/// The sums of products of W samples side by side; empty if they are not wanted.
template <class Acc, int C, int W, bool wanted>
struct ShiftedProducts {};

template <class Acc, int C, int W>
struct ShiftedProducts<Acc, C, W, true> {
  Acc products[W][pairs(C)];
};

/// The sums that give means and variances of C components of W samples side by side: of the values less the first one,
/// so that nothing cancels, and of their squares; and, where wanted, of the products of each pair of components.
template <class Acc, int C, int W, bool with_products = false>
struct ShiftedSums : ShiftedProducts<Acc, C, W, with_products> {
  Acc shift[C][W], s1[C][W], s2[C][W];

  KOKKOS_FUNCTION void clear(int w) {
    for (int c = 0; c < C; ++c)
      shift[c][w] = s1[c][w] = s2[c][w] = 0;
    if constexpr (with_products)
      for (int p = 0; p < pairs(C); ++p)
        this->products[w][p] = 0;
  }
  KOKKOS_FUNCTION void add(Acc const (&values)[C][W], int w, bool first) {
    [[maybe_unused]] Acc deviation[C];
    for (int c = 0; c < C; ++c) {
      if (first)
        shift[c][w] = values[c][w];
      Acc const v = values[c][w] - shift[c][w];
      s1[c][w] += v;
      s2[c][w] += v * v;
      if constexpr (with_products)
        deviation[c] = v;
    }
    if constexpr (with_products)
      for (int j = 1; j < C; ++j)
        for (int i = 0; i < j; ++i)
          this->products[w][pair_place(i, j)] += deviation[i] * deviation[j];
  }
  /// The mean of n values.
  KOKKOS_FUNCTION Acc mean(int c, int w, Acc over_n) const { return shift[c][w] + s1[c][w] * over_n; }
  /// The sum of the squared deviations of n values from their mean.
  KOKKOS_FUNCTION Acc squares(int c, int w, Acc over_n) const {
    Acc const squares = s2[c][w] - s1[c][w] * s1[c][w] * over_n;
    return squares < 0 ? Acc(0) : squares;
  }
  /// Adds the sum of the products of the deviations of n values from their means, times a factor, to each pair's place.
  template <class Sums>
  KOKKOS_FUNCTION void add_products_to(Sums& to, int w, Acc over_n, Acc factor) const {
    Acc sums[C];
    for (int c = 0; c < C; ++c)
      sums[c] = s1[c][w];
    for (int j = 1; j < C; ++j)
      for (int i = 0; i < j; ++i) {
        int const p = pair_place(i, j);
        to.products[p] += (this->products[w][p] - sums[i] * sums[j] * over_n) * factor;
      }
  }
};

} // namespace kubature::detail
