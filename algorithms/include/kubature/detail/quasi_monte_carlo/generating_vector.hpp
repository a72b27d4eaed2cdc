#pragma once

#include <kubature/point.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace kubature::detail {

/// The generating vector of an embedded lattice sequence in base 2: for every m the points {k z / 2^m + shift}, k = 0
/// ... 2^m - 1, where {} is the fractional part; those of m - 1 are among them. Computed and explained by
/// perf/generating_vector.py.
struct GeneratingVector {
  /// Odd numbers: modulo 2^24 by fast component-by-component construction. Of the first 20 the bits up to 2^40 are such
  /// that short dual vectors disappear with each doubling; all others are random.
  static std::array<std::uint64_t, most_variables> const components;
  /// The weight of variable j = 1, 2, ..., 20 in the figure of merit.
  static double weight(int j);
  /// The squared worst-case errors of all components, 20 variables, for 2^10 ... 2^24 points: in the Korobov space of
  /// smoothness 2 with product weights (Cools, Kuo and Nuyens, "Constructing embedded lattice rules for multivariate
  /// integration", SIAM J. Sci. Comput. 28 (2006) 2162, sec. 2).
  static std::span<double const> merits();
};

} // namespace kubature::detail
