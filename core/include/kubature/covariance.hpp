#pragma once

#include <Kokkos_Macros.hpp>

#include <ostream>
#include <string_view>

namespace kubature {

/// Which part of the covariance of the errors of several components a Monte Carlo method estimates.
enum class Covariance {
  diagonal, ///< the error of each component alone: C sums
  full,     ///< their correlations as well: C (C - 1) / 2 more sums, all of them used to combine iterations
  none      ///< the same as diagonal in every respect
};

/// The largest number of components for which a full covariance is available.
inline constexpr int most_correlated = 32;

/// A value with its standard deviation.
struct ValueAndError {
  double value = 0; ///< an estimate
  double error = 0; ///< its error, one standard deviation
};

/// Prints what format(value, error) returns: "0.85131(4)".
std::ostream& operator<<(std::ostream& out, ValueAndError const& number);

namespace detail {

inline constexpr std::string_view covariance_summary =
    "With several components: the error of each alone (none, diagonal), or also their correlations (full)";

/// The number of pairs of C components.
KOKKOS_FUNCTION constexpr int pairs(int components) { return components * (components - 1) / 2; }

/// The position of the pair (i, j), i < j, among all pairs: (0, 1), (0, 2), (1, 2), (0, 3), ...
KOKKOS_FUNCTION constexpr int pair_place(int i, int j) { return pairs(j) + i; }

} // namespace detail
} // namespace kubature
