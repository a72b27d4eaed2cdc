#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// By what PAGANI and two-phase cubature decide.
struct CubaturePolicy {
  // The first grid (docs/methods/pagani.md#what-it-does).

  /// Up to how many variables it has four intervals along each axis, and two.
  int most_in_four = 4, most_in_two = 10;

  // Errors of regions (docs/cubature.md#errors-that-can-be-trusted).

  /// Those of the first grid are multiplied by this many times the norm of the rule: its regions are coarse, and no
  /// parent of its own checks each of them.
  double start_caution = 4;
  /// In lists of fewer regions errors are not lowered.
  std::uint64_t least_list_to_lower = 1024;

  // Which regions are bisected (docs/cubature.md#which-regions-are-bisected).

  /// The largest error, in units of what is allowed, with which a call goes on from a coarse grid in three and in four
  /// variables: in three it may be refined, in four it has to meet the tolerance by far.
  double coarse_error_3 = 64, coarse_error_4 = 0.25;
  /// The part of the allowed error that may be left to regions that are not bisected, and that regions which the
  /// relative-error filter settles may have where the threshold spares others as well.
  double unrefined_part = 0.9, settled_part = 0.25;
  /// Errors that could be refined and are below this part of those that are settled are not worth it.
  double worth_refining = 1.0 / 16;
  /// The search of the threshold below which regions are given up begins with this part of the error that is left, and
  /// takes so many steps of this size.
  double given_up_part = 0.25, given_up_step = 0.1;
  int given_up_steps = 8;

  // Zero (docs/guide/errors.md#zero).

  /// The error of a sum whose parts cancel, in units of their magnitude, at most.
  double cancelled = 1e-8;

  // Second opinions (docs/cubature.md#second-opinions).

  /// The part of the allowed error that all regions together may leave out of account.
  double neglected_part = 0.25;
  /// Lists up to this length look across all faces; up to that length one region in so many does, and in longer ones
  /// one in so many, as long as none was ever doubted.
  std::uint64_t all_look = 1 << 13, many_look = 1 << 15;
  int one_in_many = 4, one_in_long = 16;

  // Poles (docs/cubature.md#poles).

  /// Lists from which poles are looked for before the tolerance is met, and by which factor a list grows until they are
  /// again.
  std::uint64_t first_look = 4096, look_again_after = 16;
  /// In one variable rules are dense enough; in many, no list of regions resolves a pole.
  int least_dimension_of_poles = 2, most_dimension_of_poles = 4;
  /// Points of each round along one axis, and for each axis over several, up to so many.
  int pole_points_along = 16, pole_points_per_axis = 6, most_pole_points = 256;
  /// How much closer together those of the next round are.
  double pole_step = 0.4;
  /// The first round ends a search where |f| is nowhere this many times its mean.
  double uneven = 1.5;
  /// A search ends where the median of |f| grows by less than the distance to this power in two rounds, or is as close
  /// as rounding lets it be; and where rounding begins.
  double pole_growth = 0.2, pole_closest = 0x1p-46, pole_rounded = 0x1p-40;
  /// The smallest reach with which searches begin, so that rounding leaves enough rounds.
  double least_pole_reach = 0x1p-30;
  /// What has grown for so many rounds is a pole, or for so many where rounding begins; and rounds at most.
  int pole_rounds = 12, rounded_pole_rounds = 6, most_pole_rounds = 30;
  /// Of a ball of the radius 2^-octaves, which the nodes of a region may all miss, in units of half a side.
  double pole_octaves = 3;
  /// Other places along a plane at which |f| has to grow as well.
  int pole_places = 4;

  // A close look (docs/cubature.md#a-close-look).

  /// Seconds that it may take, and how many evaluations take a GPU as long as one.
  double look_seconds = 0.01, look_launch = 1 << 20;
  /// It may take so many times the evaluations of its grid and of the call.
  double look_limit = 4;

  // Threads (docs/cubature.md#regions).

  /// What going through a list takes one thread of a host, a region, in seconds.
  double seconds_in_list = 1e-7;

  // Time and memory (docs/cubature.md#few-and-many-regions).

  /// Evaluations that a GPU does in some milliseconds.
  std::uint64_t slice_evaluations = 1 << 24;
  /// Batches get one byte in so many.
  std::uint64_t batch_part = 4;
  /// Seconds by which the first grid may exceed a time limit.
  double start_grace = 0.2;
};

template <>
CubaturePolicy const& policy<CubaturePolicy>();

} // namespace kubature::detail
