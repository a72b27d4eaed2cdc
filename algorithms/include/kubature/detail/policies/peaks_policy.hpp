#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// Constants of the search for peaks (docs/design/peaks.md).
struct PeaksPolicy {
  // Ascents (docs/design/peaks.md#ascents). Lengths are in units of the sides.

  /// Steps of a chain, of which the first is a uniform point.
  std::uint64_t steps = 60;
  /// The first standard deviation of a step; its factors after a success and a failure; and its maximum.
  double first_step = 0.1, longer = 1.6, shorter = 0.85, longest = 0.3;

  // Modes (docs/design/peaks.md#modes).

  /// Ends of chains in the same cell of a grid with this many cells per axis are represented by the highest.
  double cells = 256;
  /// Maximum number of ends that are compared with a mode, the highest first, and of modes.
  std::uint64_t most_compared = 4096, most_modes = 64;
  /// Points on the segment between an end and a mode, on which |f| stays above this fraction of its value at the end if
  /// both belong to one mode.
  int segment_points = 7;
  double dip = 0.5;
  /// Ends lower than the highest by more than this, as logarithms of |f|, are left out: they contribute nothing in
  /// double precision, however wide they are.
  double least_height = 100;

  // Covariances (docs/design/peaks.md#covariances).

  /// Differences are taken over the distance at which |f| falls to between these fractions of the top.
  double least_fall = 0.4, most_fall = 0.8;
  /// Maximum number of points in search of that distance.
  int most_tried = 60;
};

template <>
PeaksPolicy const& policy<PeaksPolicy>();

} // namespace kubature::detail
