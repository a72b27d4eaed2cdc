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

  /// A top is improved by one where log |f| is larger by more than this.
  double better = 1e-3;

  // Covariances (docs/design/peaks.md#covariances).

  /// Differences are taken over the distance at which |f| falls to between these fractions of the top.
  double least_fall = 0.4, most_fall = 0.8;
  /// Maximum number of points in search of that distance.
  int most_tried = 60;

  // The second look (docs/design/channels.md#the-second-look).

  /// The first round of its search makes this share of the call's evaluations, between these numbers. Those of
  /// cubature, which evaluates points side by side, are divided by `side_by_side` first.
  /// The second number limits later rounds, too, which are four at most of that size.
  double share = 0.01, side_by_side = 5;
  std::uint64_t least_searched = 512, most_searched = 1 << 21;
  /// On a GPU all of these numbers of evaluations are larger by this factor.
  std::uint64_t times_on_gpu = 16;
  /// A peak is narrow if even points would have fewer than this many within it, and a part of the box smaller than
  /// this.
  double seen = 30, narrow = 1e-3, rather_narrow = 0.05;
  /// If a peak is narrow, rounds follow as long as they find new ones, or the search has made fewer evaluations than
  /// this share of the call's or this number; larger ones if there are several peaks.
  double share_if_narrow = 0.05, share_if_several = 0.5;
  std::uint64_t least_if_narrow = 1 << 14, least_if_several = 1 << 16;
  /// If peaks are rather narrow, there are up to twice the evaluations of the first round, or this maximum.
  std::uint64_t most_if_rather_narrow = 1 << 13;
  /// Peaks matter whose estimated integrals exceed this fraction of the error. A sum whose error is at most this part
  /// of such an integral shows whether it was missed.
  double least_part = 0.1, resolved = 0.5;
  /// The weight of the background, of the lowest peak's height: this times the tolerance, and at most that of a peak
  /// this many widths beyond sqrt(d) from its centre.
  double background = 1e-3, background_begins = 5;
  /// Evaluations of each part at first, as a share of the call's, and their minimum.
  double part_share = 0.25;
  std::uint64_t least_of_part = 1 << 14;
  /// A search makes up to this many times the first evaluations of all parts before they are integrated.
  std::uint64_t times_of_parts = 4;
  /// The results contradict each other if they differ by this many errors. Beyond this number of evaluations of each
  /// part only a contradiction is a reason for more.
  double contradiction = 3;
  std::uint64_t enough_of_part = 1 << 18;

  // Channels from the start (docs/design/channels.md#channels-from-the-start).

  /// Evaluations of the search for peaks, and the share of a limited time after which no round begins; chains that
  /// start from each known point.
  std::uint64_t searched_first = 1'200'000;
  double time_of_search = 0.1;
  std::uint64_t chains_of_known = 64;
  /// The share of the work in the calls that tell how much each part scatters; that of the variance which is divided
  /// evenly among the parts. Parts are nothing below this fraction of an error of the sum.
  double pilot_share = 0.1, even_shares = 0.1, negligible = 0.01;

  // The evidence (docs/design/evidence.md#the-mixture).

  /// Maximum number of peaks in the mixture, and the logarithm of the ratio of the largest estimate to that of others
  /// that enter it.
  std::uint64_t most_components = 32;
  double least_mass = 25;
  /// The mixture is adapted this many times, by samples fewer by this factor than those of an iteration.
  std::uint64_t adaptations = 6, adapted_by = 2;
  /// A component is adapted if the effective number of samples in it, per number that describes it, exceeds this.
  double enough_per_number = 2;
  /// Shares of the mixture: the first of the uniform density, its minimum, and that of all others together.
  double first_uniform = 0.1, least_uniform = 0.02, least_component = 0.02;
};

template <>
PeaksPolicy const& policy<PeaksPolicy>();

} // namespace kubature::detail
