#pragma once

#include <kubature/detail/policies/policy.hpp>

#include <cstdint>

namespace kubature::detail {

/// The numbers of evaluations by which Auto proceeds (docs/methods/auto.md). On a GPU short calls take as long as
/// longer ones that fill it, because of the cost per launch; calls of lattices, which first train and try maps, cost as
/// much as many evaluations of the other methods.
struct AutoPolicy {
  bool on_gpu = false;

  // Rounds (docs/design/auto.md#how-it-chooses).

  /// Evaluations of the first round, and the smallest calls of lattices and of VEGAS+.
  double first = on_gpu ? 1 << 20 : 1 << 17, first_points = on_gpu ? 1 << 26 : 1 << 17,
         first_samples = on_gpu ? 1 << 23 : 1 << 15;
  /// Maximum size of cubature's first call, in first grids and in evaluations.
  std::uint64_t first_grids = 8, most_first = 1 << 22;
  /// The smallest call of any method; and, for the first iteration of a call of samples or lattices, its maximum size,
  /// and its fraction of the call's evaluations.
  std::uint64_t least = 1 << 10, longest = 1 << 26, parts = 8, first_parts = on_gpu ? 64 : 8;
  /// Minimum number of iterations of cubature's first call, since a single one does not show how fast the error falls;
  /// on a host these may take longer than lattices.
  std::uint64_t least_iterations = on_gpu ? 2 : 1;
  /// Calls grow by this factor from round to round, as long as they need at most 1 / rest of the evaluations predicted
  /// for VEGAS+; one of its evaluations has the weight of two of cubature or lattices.
  double growth = 4, rest = 4, weight = 2;
  /// The number of cubature's evaluations that take as long as one of lattices.
  double cost_of_lattices = on_gpu ? 0.3 : 2;
  /// Whether VEGAS+ redistributes samples in its first call: not on a GPU, as in m-Cubes, since redistribution needs as
  /// many launches as everything else.
  bool redistributes_at_first = !on_gpu;
  /// Evaluations of a call without any limit: some minutes on a laptop, or seconds on a GPU.
  std::uint64_t unlimited = on_gpu ? std::uint64_t{1} << 37 : std::uint64_t{1} << 32;

  // Which method continues (docs/design/auto.md#how-it-chooses).

  /// The first call of VEGAS+ waits while it is predicted to need more than `most_turns` of its turns, for values whose
  /// scatter in its map and strata is `scatter` times the integral.
  double most_turns = 16, scatter = 0.1;
  /// Cubature may leave the rest to samples after this fraction of its first call, where each iteration costs
  /// `launches` extra evaluations, and if its first error is at most `cancels` times the value.
  double least_seen = 1.0 / 16, launches = on_gpu ? 1 << 14 : 0, cancels = 10;
  /// Before the first call of lattices, VEGAS+ continues if it is predicted to need at most `samples_before_lattices`,
  /// and cubature makes a call of twice the next round's size if it is predicted to need at most
  /// `cubature_before_lattices` times that.
  double samples_before_lattices = on_gpu ? 1 << 26 : 0, cubature_before_lattices = on_gpu ? 1024 : 0;
  /// A method continues out of turn if it is predicted to need no more than the next round would give it, or than
  /// `at_once`, which a GPU does in some milliseconds; for up to `beyond_prediction` times the prediction.
  double at_once = on_gpu ? 1 << 26 : 0, beyond_prediction = on_gpu ? 4 : 1;
  /// Whether lattices wait for cubature's turn before they continue out of turn: predictions of them for discontinuous
  /// integrands are often too low.
  bool cubature_first = !on_gpu;

  // Predictions (docs/design/auto.md#how-it-chooses).

  /// The powers of 1/N with which the errors of cubature and of lattices may be expected to fall.
  double least_power_of_cubature = 0.02, most_power_of_cubature = 6, least_power_of_lattices = 0.5,
         most_power_of_lattices = 1.5;
  /// Errors are compared with those after a fraction 1 / compared_part of the evaluations.
  double compared_part = 4;
  /// An error that has grown by more than this factor has started afresh.
  double begun_anew = 4;

  // Confirmation (docs/design/auto.md#how-it-chooses).

  /// Results from fewer evaluations than this need no confirmation: of samples, and of lattices.
  std::uint64_t worth_samples = 1 << 20, worth_points = on_gpu ? 1 << 25 : 1 << 20;
  /// The first confirmation uses a fraction 1 / confirmation_part of the evaluations.
  int confirmation_part = 8;
  /// Results that differ by this many of their errors contradict each other, unless one has found less, with an error
  /// of more than `vague` times its value, or is within this many errors of zero.
  double contradiction = 6, vague = 0.05, errors_from_zero = 2;
};

/// The policy of calls on a GPU, or on a host.
AutoPolicy const& auto_policy(bool on_gpu);

} // namespace kubature::detail
