#pragma once

#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/detail/sampling/products.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Sums over strata of the magnitudes of the means of C components; empty if there is only one.
template <class Acc, int C>
struct MagnitudeSums {
  Acc magnitudes[C] = {};

  KOKKOS_FUNCTION void add_magnitude(int c, Acc mean) { magnitudes[c] += Kokkos::abs(mean); }
  KOKKOS_FUNCTION void add_magnitudes(MagnitudeSums const& other) {
    for (int c = 0; c < C; ++c)
      magnitudes[c] += other.magnitudes[c];
  }
};
template <class Acc>
struct MagnitudeSums<Acc, 1> {
  KOKKOS_FUNCTION void add_magnitude(int, Acc) {}
  KOKKOS_FUNCTION void add_magnitudes(MagnitudeSums const&) {}
};

/// Sums over strata of C components: of the strata's means, and of their spreads, which are the variances of these
/// means up to a common factor; and, where wanted, of the covariances of these means, up to the same factor.
template <class Acc, int C, bool with_products = false>
struct StratumSums : ProductSums<Acc, C, with_products>, MagnitudeSums<Acc, C> {
  std::uint64_t count = 0;                                 ///< of samples
  std::uint64_t non_finite = 0, on_poles = 0, serious = 0; ///< see NonFiniteSamples
  double largest = 0;                                      ///< |J f| of the recorded samples
  double weights = 0; ///< of the strata, which allocate the samples of the next iteration
  Acc means[C] = {};
  Acc spreads[C] = {};

  KOKKOS_FUNCTION void join(StratumSums const& other) {
    count += other.count;
    non_finite += other.non_finite;
    on_poles += other.on_poles;
    serious += other.serious;
    largest = largest < other.largest ? other.largest : largest;
    weights += other.weights;
    for (int c = 0; c < C; ++c) {
      means[c] += other.means[c];
      spreads[c] += other.spreads[c];
    }
    this->add_magnitudes(other);
    if constexpr (with_products)
      this->add(other);
  }

  /// Copies all but products from sums without these.
  KOKKOS_FUNCTION void take(StratumSums<Acc, C> const& other) {
    count = other.count;
    non_finite = other.non_finite;
    on_poles = other.on_poles;
    serious = other.serious;
    largest = other.largest;
    weights = other.weights;
    for (int c = 0; c < C; ++c) {
      means[c] = other.means[c];
      spreads[c] = other.spreads[c];
    }
    static_cast<MagnitudeSums<Acc, C>&>(*this) = other;
  }

  /// For each component the sum of the magnitudes of the strata's means: an estimate of the integral of |f|, up to a
  /// factor, if f keeps its sign within strata.
  std::vector<double> all_magnitudes() const {
    if constexpr (C > 1)
      return std::vector<double>(this->magnitudes, this->magnitudes + C);
    else
      return std::vector<double>(1, std::abs(static_cast<double>(means[0])));
  }

  /// Called when segments have ended, of which `drawn` samples were drawn, and `bad` had values that are not finite.
  KOKKOS_FUNCTION void finish(std::uint64_t drawn, NonFiniteSamples const& bad) {
    count += drawn;
    non_finite += bad.all();
    on_poles += bad.on_poles();
    serious += bad.serious();
  }

  /// Integral and error from all strata, which are of one size: the mean of their means (Lepage 2021, eq. 22-23, with
  /// n - 1).
  /// @param divisor by which a spread is divided to give the variance of a stratum's mean
  template <class Value>
  Iteration<Value> estimate(std::uint64_t strata, double divisor = 1) const {
    Iteration<Value> result;
    result.evaluations = count;
    auto const m = static_cast<double>(strata);
    for (int c = 0; c < C; ++c) {
      ValueTraits<Value>::get(result.value, c) = means[c] / m;
      ValueTraits<Value>::get(result.error, c) = std::sqrt(static_cast<double>(spreads[c]) / divisor) / m;
    }
    if constexpr (with_products)
      result.correlations = this->correlations(spreads);
    return result;
  }
};

} // namespace kubature::detail
