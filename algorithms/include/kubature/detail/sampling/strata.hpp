#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace kubature::detail {

/// The axes that strata may cut: the first 20. No affordable number of samples cuts more axes into two parts each.
constexpr int cut_axes(int dimension) { return std::min(dimension, max_dimension); }

/// The places of axes in lists: one for each, and one for all that are not cut.
template <int D>
inline constexpr int axis_places = many_variables<D> ? max_dimension + 1 : Point<double, D>::capacity;
template <int D>
KOKKOS_FUNCTION constexpr int axis_place(int axis) {
  return many_variables<D> && axis > max_dimension ? max_dimension : axis;
}

template <int D>
struct Strata;

/// The cubes into which stratified sampling divides the unit cube, counts[i] equal parts along axis i of cut_axes(),
/// numbered with the first axis fastest, and the same number of samples in each.
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
  /// 6.4, restratify); equal numbers if there are no weights. Weights of axes that are not cut have no effect.
  Strata(int dimension, std::uint64_t evaluations, std::span<double const> weights);

  /// All samples, the same number in each cube.
  std::uint64_t all() const { return cubes * samples; }
  /// The largest number of parts along any axis.
  int most(int dimension) const { return *std::max_element(counts.data(), counts.data() + cut_axes(dimension)); }
};

/// The same in the form of kernels for D axes.
template <int D>
struct Strata {
  Kokkos::Array<int, axis_places<D>> counts{}; ///< by axis_place()
  std::uint64_t cubes = 1;
  std::uint64_t samples = 2; ///< per cube

  explicit Strata(Strata<dynamic> const& any) : cubes(any.cubes), samples(any.samples) {
    std::copy_n(any.counts.data(), cut_axes(Point<double, D>::capacity), counts.data());
    if constexpr (many_variables<D>)
      counts[max_dimension] = 1;
  }
  /// See Strata<dynamic>.
  Strata(int dimension, std::uint64_t evaluations, std::span<double const> weights = {})
      : Strata(Strata<dynamic>(dimension, evaluations, weights)) {}
};

} // namespace kubature::detail
