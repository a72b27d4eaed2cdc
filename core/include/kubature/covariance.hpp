#pragma once

#include <Kokkos_Macros.hpp>

#include <ostream>
#include <string_view>

namespace kubature {

/// What a Monte Carlo method estimates of how the errors of several components vary together.
enum class Covariance {
  diagonal, ///< the error of each component alone: C sums
  full,     ///< their correlations as well: C (C - 1) / 2 sums more, and iterations combined with all of it
  none      ///< of nothing but each component alone: in everything the same as diagonal
};

/// Components at most whose full covariance can be had.
inline constexpr int most_correlated = 32;

/// A number with one standard deviation.
struct ValueAndError {
  double value = 0; ///< an estimate
  double error = 0; ///< its error, one standard deviation
};

/// As format(value, error) writes it, "0.85131(4)".
std::ostream& operator<<(std::ostream& out, ValueAndError const& number);

namespace detail {

inline constexpr std::string_view covariance_summary =
    "Of several components: the error of each alone (none, diagonal), or their correlations as well (full)";

/// How many pairs of C components there are.
KOKKOS_FUNCTION constexpr int pairs(int components) { return components * (components - 1) / 2; }

/// The place of the pair (i, j), i < j, among all pairs: (0, 1), (0, 2), (1, 2), (0, 3), ...
KOKKOS_FUNCTION constexpr int pair_place(int i, int j) { return pairs(j) + i; }

} // namespace detail
} // namespace kubature
