#pragma once

#include <string_view>

namespace kubature {

/// Which component of an integrand trains map and strata, or chooses the regions of MixedPrecision, besides those that
/// are named here: see component().
enum class Driver : int {
  sum_of_magnitudes = -1, ///< the map by the sum of the components' magnitudes, the strata by that of their variances
  first = 0
};

/// The component i, counted from 0.
constexpr Driver component(int i) { return static_cast<Driver>(i); }

namespace detail {

inline constexpr std::string_view driver_summary =
    "Of several components: the number, from 1, of the one that trains map and strata; first, or all of them (sum)";

} // namespace detail
} // namespace kubature
