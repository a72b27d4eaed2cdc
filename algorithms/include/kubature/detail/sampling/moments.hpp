#pragma once

#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/detail/sampling/products.hpp>
#include <kubature/detail/sampling/shifted_sums.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstdint>

namespace kubature::detail {

/// Count, mean and sum of squared deviations of C components, joined by the update of Chan, Golub and LeVeque
/// ("Algorithms for computing the sample variance", 1983, eq. 2.1); products of deviations likewise.
template <class Acc, int C, bool with_products = false>
struct Moments : ProductSums<Acc, C, with_products> {
  std::uint64_t count = 0;
  std::uint64_t non_finite = 0, on_poles = 0, serious = 0; ///< see NonFiniteSamples
  Acc mean[C] = {};
  Acc squares[C] = {};

  KOKKOS_FUNCTION void join(Moments const& other) {
    if (other.count == 0)
      return;
    auto const n = static_cast<Acc>(count), m = static_cast<Acc>(other.count);
    Acc const share = m / (n + m);
    if constexpr (with_products) {
      Acc steps[C];
      for (int c = 0; c < C; ++c)
        steps[c] = other.mean[c] - mean[c];
      this->add(other);
      this->add(steps, n * share);
    }
    for (int c = 0; c < C; ++c) {
      Acc const step = other.mean[c] - mean[c];
      squares[c] += other.squares[c] + step * step * n * share;
      mean[c] += step * share;
    }
    count += other.count;
    non_finite += other.non_finite;
    on_poles += other.on_poles;
    serious += other.serious;
  }

  /// Called when segments have ended; their samples were counted as they were joined.
  KOKKOS_FUNCTION void finish(std::uint64_t, NonFiniteSamples const& bad) {
    non_finite += bad.all();
    on_poles += bad.on_poles();
    serious += bad.serious();
  }

  template <class Value>
  Iteration<Value> estimate() const {
    Iteration<Value> result;
    result.evaluations = count;
    auto const n = static_cast<double>(count);
    for (int c = 0; c < C; ++c) {
      ValueTraits<Value>::get(result.value, c) = mean[c];
      ValueTraits<Value>::get(result.error, c) = std::sqrt(squares[c] / (n - 1) / n);
    }
    if constexpr (with_products)
      result.correlations = this->correlations(squares);
    return result;
  }
};

/// Sums the moments of values that are independent and identically distributed.
template <class Acc, int C, bool with_products = false>
struct KeepMoments {
  static constexpr int components = C;
  static constexpr bool products = with_products;
  using Sums = Moments<Acc, C, with_products>;

  /// Joins `count` values of lane w.
  template <int W>
  KOKKOS_FUNCTION void close(ShiftedSums<Acc, C, W, with_products> const& values, int w, std::uint64_t count,
                             Sums& sum) const {
    Sums lane;
    lane.count = count;
    auto const n = static_cast<Acc>(count);
    for (int c = 0; c < C; ++c) {
      lane.mean[c] = values.shift[c][w] + values.s1[c][w] / n;
      Acc const squares = values.s2[c][w] - values.s1[c][w] * values.s1[c][w] / n;
      lane.squares[c] = squares < 0 ? Acc(0) : squares;
    }
    if constexpr (with_products)
      values.add_products_to(lane, w, Acc(1) / n, Acc(1));
    sum.join(lane);
  }
};

} // namespace kubature::detail
