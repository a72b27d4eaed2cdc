#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace kubature::detail {

template <int D>
struct Strata;

/// The cubes into which stratified sampling divides the unit cube, counts[i] equal parts along axis i, numbered with
/// the first axis fastest, and the same number of samples in each.
template <>
struct Strata<dynamic> {
  Kokkos::Array<int, max_dimension> counts{};
  std::uint64_t cubes = 1;
  std::uint64_t samples = 2; ///< per cube

  Strata() = default;
  /// As many cubes as `evaluations` allow with two samples each: g = floor((evaluations / 2)^(1/d)) parts per axis
  /// (Sakiotis et al., m-Cubes, 2021, algorithm 2), and g + 1 along as many axes as still fit.
  Strata(int dimension, std::uint64_t evaluations);
  /// At most the same number of cubes, but along each axis a number in proportion to its weight, at least one (vegas
  /// 6.4, restratify); equal numbers if there are no weights.
  Strata(int dimension, std::uint64_t evaluations, std::span<double const> weights);

  /// All samples, the same number in each cube.
  std::uint64_t all() const { return cubes * samples; }
  /// The largest number of parts along any axis.
  int most(int dimension) const { return *std::max_element(counts.data(), counts.data() + dimension); }
};

/// The same in the form of kernels for D axes.
template <int D>
struct Strata {
  Kokkos::Array<int, Point<double, D>::capacity> counts{};
  std::uint64_t cubes = 1;
  std::uint64_t samples = 2; ///< per cube

  explicit Strata(Strata<dynamic> const& any) : cubes(any.cubes), samples(any.samples) {
    std::copy_n(any.counts.data(), D, counts.data());
  }
  /// See Strata<dynamic>.
  Strata(int dimension, std::uint64_t evaluations, std::span<double const> weights = {})
      : Strata(Strata<dynamic>(dimension, evaluations, weights)) {}
};

} // namespace kubature::detail
