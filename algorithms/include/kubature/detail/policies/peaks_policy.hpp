#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// Constants of the search for peaks and of the second look (docs/design/peaks.md).
struct PeaksPolicy {
  // Ascents (docs/design/peaks.md#ascents). Lengths are in units of the sides.

  /// Steps of a chain, of which the first is a uniform point.
  std::uint64_t steps = 60;
  /// The first standard deviation of a step; its factors after a success and a failure; and its maximum.
  double first_step = 0.03, longer = 1.6, shorter = 0.85, longest = 0.3;

  // Rounds (docs/design/peaks.md#rounds).

  /// Rounds of find_peaks(), and the share of the evaluations of a later round that searches for starts of chains.
  std::uint64_t rounds = 4;
  double candidates = 0.9;

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

  // The second look (docs/design/channels.md#the-second-look).

  /// The evaluations of the first round of its search: this share of the call's, and at least so many; on a GPU, so
  /// many times as many. Evaluations of cubature, which evaluates points side by side, count as so many fewer.
  double share = 0.01, side_by_side = 5;
  std::uint64_t least_searched = 512, times_on_gpu = 16, most_searched = 1 << 21;
  /// A peak is narrow if even points would have fewer than this many within it, and a part of the box smaller than
  /// this.
  double seen = 30, narrow = 1e-3, rather_narrow = 0.05;
  /// If peaks are narrow, further rounds as long as new ones are found, or the search has made fewer evaluations than
  /// this share of the call's, or than so many; if they are rather narrow, up to the smaller of so many and twice the
  /// first share.
  double share_if_narrow = 0.05;
  std::uint64_t least_if_narrow = 1 << 14, most_if_rather_narrow = 1 << 13;
  /// Peaks matter whose estimated integrals exceed this fraction of the error. A sum whose error is at most this part
  /// of such an integral shows whether it was missed.
  double least_part = 0.1, resolved = 0.5;
  /// The weight of the background: this times the tolerance, of the lowest peak's height.
  double background = 1e-3;
  /// Evaluations of each part, as a share of the call's and at least so many; and before more are made only if the
  /// results contradict each other, by so many errors.
  double part_share = 0.25, contradiction = 3;
  std::uint64_t least_of_part = 1 << 14, enough_of_part = 1 << 18;
};

template <>
PeaksPolicy const& policy<PeaksPolicy>();

} // namespace kubature::detail
