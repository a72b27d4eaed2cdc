#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// Constants of PAGANI and two-phase cubature.
struct CubaturePolicy {
  // The first grid (docs/methods/pagani.md#what-it-does).

  /// Maximum number of variables for four intervals along each axis, and for two.
  int most_in_four = 4, most_in_two = 10;

  // Errors of regions (docs/design/cubature-errors.md#errors-that-can-be-trusted).

  /// Those of the first grid are multiplied by this many times the norm of the rule: its regions are coarse, and no
  /// parent checks each of them.
  double start_caution = 4;
  /// In lists of fewer regions errors are not lowered.
  std::uint64_t least_list_to_lower = 1024;

  // Which regions are bisected (docs/design/cubature.md#which-regions-are-bisected).

  /// The largest error, in units of the allowed error, with which a call continues from a coarse grid in three and in
  /// four variables: in three it may be refined, in four it has to meet the tolerance by a wide margin.
  double coarse_error_3 = 64, coarse_error_4 = 0.25;
  /// The fraction of the allowed error for regions that are not bisected, and for regions settled by the relative-error
  /// filter where the threshold spares others as well.
  double unrefined_part = 0.9, settled_part = 0.25;
  /// Refinable errors below this fraction of the settled ones are not worth refining.
  double worth_refining = 1.0 / 16;
  /// The search for the threshold below which regions are committed begins with this fraction of the remaining error,
  /// and makes this many steps of this size.
  double given_up_part = 0.25, given_up_step = 0.1;
  int given_up_steps = 8;

  // Zero (docs/guide/errors.md#zero).

  /// Maximum error of a sum whose parts cancel, in units of their magnitude.
  double cancelled = 1e-8;

  // Second opinions (docs/design/cubature-errors.md#verification-of-regions).

  /// The fraction of the allowed error that all regions together may neglect.
  double neglected_part = 0.25;
  /// In lists up to `all_look` regions all look across their faces, in those up to `many_look` one in one_in_many, and
  /// in longer ones one in one_in_long, unless there was ever a suspect region.
  std::uint64_t all_look = 1 << 13, many_look = 1 << 15;
  int one_in_many = 4, one_in_long = 16;

  // Poles (docs/design/cubature-errors.md#poles).

  /// List size from which on poles are searched for before the tolerance is met, and the factor by which a list grows
  /// until the next search.
  std::uint64_t first_look = 4096, look_again_after = 16;
  /// In one variable rules are dense enough; in many, no list of regions resolves a pole.
  int least_dimension_of_poles = 2, most_dimension_of_poles = 4;
  /// Points of each round along one axis, and for each axis over several, with their maximum number.
  int pole_points_along = 16, pole_points_per_axis = 6, most_pole_points = 256;
  /// The factor by which the points of the next round are closer together.
  double pole_step = 0.4;
  /// The first round ends a search if |f| is nowhere this many times its mean.
  double uneven = 1.5;
  /// A search ends if the median of |f| grows by less than the distance to this power in two rounds, or at the limit of
  /// rounding; and where rounding begins.
  double pole_growth = 0.2, pole_closest = 0x1p-46, pole_rounded = 0x1p-40;
  /// The smallest reach with which searches begin, so that rounding leaves enough rounds.
  double least_pole_reach = 0x1p-30;
  /// Growth over this many rounds shows a pole, or over this many where rounding begins; and the maximum number of
  /// rounds.
  int pole_rounds = 12, rounded_pole_rounds = 6, most_pole_rounds = 30;
  /// A ball of radius 2^-octaves, in units of half a side, may lie between the nodes of a region.
  double pole_octaves = 3;
  /// Other places along a plane at which |f| has to grow as well.
  int pole_places = 4;

  // A close look (docs/design/cubature-errors.md#a-close-look).

  /// Maximum duration of a grid in seconds; where launching takes a host longer than on a quiet machine, a multiple of
  /// what exceeds that, up to a maximum.
  double look_seconds = 0.01, quiet_launch = 0.001, look_share = 32, most_look_seconds = 1;
  /// The number of evaluations that take a host or a GPU no longer than launching their kernels.
  double host_launch = 1 << 10, device_launch = 1 << 20;
  /// Its maximum number of evaluations, in units of those of its grid and of the call.
  double look_limit = 4;

  // As published (docs/design/cubature.md#as-published).

  /// Whether errors are those of the null rules, raised by a quarter of what a bisection changes and by nothing else;
  /// whether PAGANI applies its threshold only when the digits that are asked for stand still, or memory is short; and
  /// whether two-phase cubature is the published one: its first grid, errors without parents and an absolute tolerance
  /// in the first phase, and no second opinions.
  bool published_errors = false, published_threshold = false, published_two_phase = false;

  // Threads (docs/design/cubature.md#regions).

  /// Seconds per region of one host thread for a pass over a list.
  double seconds_in_list = 1e-7;

  // Time and memory (docs/design/cubature.md#few-and-many-regions).

  /// Evaluations that a GPU does in some milliseconds.
  std::uint64_t slice_evaluations = 1 << 24;
  /// Batches get 1 / batch_part of the bytes.
  std::uint64_t batch_part = 4;
  /// Seconds by which the first grid may exceed a time limit.
  double start_grace = 0.2;
};

template <>
CubaturePolicy const& policy<CubaturePolicy>();

} // namespace kubature::detail
