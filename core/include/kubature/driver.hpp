#pragma once

#include <string_view>

namespace kubature {

/// What trains the map and the strata, or chooses the regions of MixedPrecision: one of the values named here, or a
/// component of the integrand; see component().
enum class Driver : int {
  sum_of_magnitudes = -1, ///< the map by the sum of the components' magnitudes, the strata by that of their variances
  first = 0
};

/// Component i, counted from 0.
constexpr Driver component(int i) { return static_cast<Driver>(i); }

namespace detail {

inline constexpr std::string_view driver_summary =
    "With several components, which one trains map and strata: its number from 1, first, or sum for all of them";

} // namespace detail
} // namespace kubature
