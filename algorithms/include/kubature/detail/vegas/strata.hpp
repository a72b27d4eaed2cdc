#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Array.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace kubature::detail {

/// Strata of any number of variables, on the host.
struct CountedStrata {
  std::vector<int> counts;
  std::uint64_t cubes = 1, samples = 2;
};
/// See Strata.
CountedStrata even_strata(int dimension, std::uint64_t evaluations);
CountedStrata shaped_strata(int dimension, std::uint64_t evaluations, std::span<double const> weights);

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
  Strata(int dimension, std::uint64_t evaluations) : Strata(even_strata(dimension, evaluations)) {}

  /// At most the same number of cubes, but along each axis a number in proportion to its weight, at least one (vegas
  /// 6.4, restratify); equal numbers if there are no weights.
  Strata(int dimension, std::uint64_t evaluations, std::span<double const> weights)
      : Strata(shaped_strata(dimension, evaluations, weights)) {}

private:
  explicit Strata(CountedStrata const& of) : cubes(of.cubes), samples(of.samples) {
    std::copy(of.counts.begin(), of.counts.end(), counts.data());
  }
};

} // namespace kubature::detail
