#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace kubature::detail {

/// The cubes into which stratified sampling divides the unit cube, counts[i] equal parts along axis i, numbered with
/// the first axis fastest, and the same number of samples in each.
template <int D>
struct Strata {
  Kokkos::Array<int, Point<double, D>::capacity> counts{};
  std::uint64_t cubes = 1;
  std::uint64_t samples = 2; ///< per cube

  /// The same strata, if the number of axes was known only at run time.
  template <int Any>
    requires(Any == dynamic && D != dynamic)
  explicit Strata(Strata<Any> const& other) : cubes(other.cubes), samples(other.samples) {
    std::copy_n(other.counts.data(), D, counts.data());
  }

  /// The unit cube as a whole.
  static Strata one(int dimension) { return Strata(dimension, 2); }

  /// As many cubes as two samples each of `evaluations` allow: g = floor((evaluations / 2)^(1/d)) parts per axis
  /// (Sakiotis et al., m-Cubes, 2021, algorithm 2), and g + 1 along as many axes as still fit.
  Strata(int dimension, std::uint64_t evaluations) {
    std::uint64_t const most = std::max<std::uint64_t>(1, evaluations / 2);
    auto const power = [&](std::uint64_t g) {
      long double product = 1;
      for (int i = 0; i < dimension; ++i)
        product *= static_cast<long double>(g);
      return product;
    };
    auto g = static_cast<std::uint64_t>(std::pow(static_cast<double>(most), 1.0 / dimension));
    while (g > 1 && power(g) > static_cast<long double>(most))
      --g;
    while (power(g + 1) <= static_cast<long double>(most))
      ++g;
    g = std::min<std::uint64_t>(g, std::uint64_t{1} << 30);
    for (int i = 0; i < dimension; ++i) {
      counts[i] = static_cast<int>(g);
      cubes *= g;
    }
    for (int i = 0; i < dimension && cubes / g * (g + 1) <= most && g < (std::uint64_t{1} << 30); ++i) {
      cubes = cubes / g * (g + 1);
      ++counts[i];
    }
    samples = std::max<std::uint64_t>(2, evaluations / cubes);
  }

  /// At most the same number of cubes, but along each axis a number in proportion to its weight, at least one (vegas
  /// 6.4, restratify); equal numbers if there are no weights.
  Strata(int dimension, std::uint64_t evaluations, std::span<double const> weights) : Strata(dimension, evaluations) {
    double const most = static_cast<double>(std::max<std::uint64_t>(1, evaluations / 2));
    double const largest = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
    if (!(largest > 0))
      return;
    auto const along = [&](int i, double scale) {
      return std::max(1.0, std::floor(scale * (weights[static_cast<std::size_t>(i)] / largest)));
    };
    double low = 1, high = std::min(most, 0x1p30) + 1; // the largest integer scale that does not give too many cubes
    while (high - low > 1) {
      double const middle = std::floor((low + high) / 2);
      double product = 1;
      for (int i = 0; i < dimension; ++i)
        product *= along(i, middle);
      (product <= most ? low : high) = middle;
    }
    cubes = 1;
    for (int i = 0; i < dimension; ++i) {
      counts[i] = static_cast<int>(along(i, low));
      cubes *= static_cast<std::uint64_t>(counts[i]);
    }
    samples = std::max<std::uint64_t>(2, evaluations / cubes);
  }
};

} // namespace kubature::detail
