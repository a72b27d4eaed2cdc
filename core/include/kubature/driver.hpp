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
    "Of several components: the number, from 1, of the one that trains map and strata; first, or all of them (sum)";

} // namespace detail
} // namespace kubature
