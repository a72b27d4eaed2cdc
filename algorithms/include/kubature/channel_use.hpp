#pragma once

#include <string_view>

/// \file
/// The values of the option `channels` that methods have.

namespace kubature {

/// When a method searches for peaks (find_peaks()) and integrates by channels, one for each narrow peak and one for
/// what is left. In double precision and up to 20 variables.
enum class Channels {
  never,     ///< not at all
  automatic, ///< when a call has converged: if it has missed peaks
  always     ///< before anything else
};

namespace detail {

inline constexpr std::string_view channels_summary =
    "Integration by channels, one for each narrow peak that a search finds: never, if a converged call has missed some "
    "(automatic), or always";
inline constexpr std::string_view known_summary =
    "Points near peaks, the coordinates of each in turn: the integral is computed by channels about these peaks";

} // namespace detail
} // namespace kubature
