#pragma once

#include <string_view>

namespace kubature {

/// The components that train the map and the strata, or choose the regions of MixedPrecision: one of the values named
/// here, or a single component; see component().
enum class Driver : int {
  /// All components, in equal shares: each is normalised by the integral of its magnitude. Samples drawn from the mean
  /// of C densities are at least 1/C as efficient for each component as samples drawn for that component alone.
  balanced = -2,
  sum_of_magnitudes = -1, ///< the map by the sum of the components' magnitudes, the strata by that of their variances
  first = 0
};

/// Component i, counted from 0.
constexpr Driver component(int i) { return static_cast<Driver>(i); }

namespace detail {

inline constexpr std::string_view driver_summary =
    "With several components, what trains map and strata: all of them in equal shares (balanced), their sum (sum), or "
    "the one of this number from 1 (first)";

} // namespace detail
} // namespace kubature
