#include "policies/policy_table.hpp"

#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_stream_id.hpp>

namespace kubature::detail {

DescribedPolicy<QmcPolicy> describe_qmc() {
  using P = QmcPolicy;
  constexpr Origin maps{"docs/design/quasi-monte-carlo-maps.md#maps", "qmc"};
  constexpr Origin transforms{"docs/design/quasi-monte-carlo.md#change-of-variables", "qmc"};
  constexpr Origin rotations{"docs/design/quasi-monte-carlo-maps.md#rotated-points", "calibration --method qmc"};
  constexpr Origin peaks{"docs/design/quasi-monte-carlo-maps.md#peaks-across-the-axes",
                         "calibration --method qmc --group correlated"};
  constexpr Origin errors{"docs/design/quasi-monte-carlo-errors.md#errors", "calibration --method qmc"};
  constexpr Origin on_the_way{"docs/design/quasi-monte-carlo-errors.md#a-better-map-on-the-way", "qmc"};
  static constexpr DescribedConstant<P> constants[] = {
      {"training_iterations", &P::training_iterations, maps, positive},
      {"averaged_iterations", &P::averaged_iterations, maps, positive},
      {"training_bins", &P::training_bins, maps, positive},
      {"training_alpha", &P::training_alpha, maps},
      {"training_part", &P::training_part, maps, positive},
      {"most_training", &P::most_training, maps, positive},
      {"trained_pieces", &P::trained_pieces, maps, {3, 1000}},
      {"slab_rounds", &P::slab_rounds, maps, positive},
      {"slab_part", &P::slab_part, maps, positive},
      {"single_part", &P::single_part, maps, positive},
      {"most_slab_power", &P::most_slab_power, maps, {0, 30}},
      {"slab_octaves", &P::slab_octaves, maps, {0, 44}},
      {"most_mismatch", &P::most_mismatch, maps},
      {"empty_points", &P::empty_points, maps},
      {"empty_density", &P::empty_density, maps},
      {"least_empty_width", &P::least_empty_width, maps},
      {"least_density", &P::least_density, maps, {0, 1}},
      {"least_of_neighbour", &P::least_of_neighbour, maps, {0, 1}},
      {"trial_part", &P::trial_part, maps, {0, 40}},
      {"most_trial_power", &P::most_trial_power, maps, {0, 40}},
      {"least_trial_power", &P::least_trial_power, maps, {0, 40}},
      {"distance_part", &P::distance_part, maps, {0.1}},
      {"overlooked", &P::overlooked, maps},
      {"overlooked_magnitude", &P::overlooked_magnitude, maps},
      {"worth_moving", &P::worth_moving, maps},
      {"most_unsure", &P::most_unsure, maps},
      {"necessary", &P::necessary, maps},
      {"prefer_none", &P::prefer_none, maps},
      {"prefer_smooth", &P::prefer_smooth, maps},
      {"prefer_smooth_without_gain", &P::prefer_smooth_without_gain, maps},
      {"least_gain", &P::least_gain, maps},
      {"transform_part", &P::transform_part, transforms, {0, 40}},
      {"most_timed_power", &P::most_timed_power, transforms, {0, 40}},
      {"least_transformed_power", &P::least_transformed_power, transforms, {0, 40}},
      {"most_transformed", &P::most_transformed, transforms, {0, 20}},
      {"higher_order", &P::higher_order, transforms, {0.01, 1}},
      {"again_part", &P::again_part, transforms, {0, 40}},
      {"again_after", &P::again_after, transforms, {0, 40}},
      {"many_for_transform", &P::many_for_transform, transforms},
      {"difference_part", &P::difference_part, rotations, positive},
      {"least_differences", &P::least_differences, rotations, positive},
      {"most_differences", &P::most_differences, rotations, positive},
      {"least_rotated", &P::least_rotated, rotations},
      {"outlier_part", &P::outlier_part, rotations, positive},
      {"effective_differences", &P::effective_differences, rotations},
      {"few_directions", &P::few_directions, rotations, positive},
      {"most_left", &P::most_left, rotations},
      {"least_left_by_axes", &P::least_left_by_axes, rotations},
      {"peak_rounds", &P::peak_rounds, peaks, positive},
      {"peak_part", &P::peak_part, peaks, positive},
      {"most_peak_power", &P::most_peak_power, peaks, {0, 30}},
      {"effective_per_variable", &P::effective_per_variable, peaks},
      {"effective_part", &P::effective_part, peaks, {0.1}},
      {"peak_reach", &P::peak_reach, peaks},
      {"rounding", &P::rounding, errors},
      {"rounding_range", &P::rounding_range, errors},
      {"least_shifts_for_jumps", &P::least_shifts_for_jumps, errors, positive},
      {"remembered_jumps", &P::remembered_jumps, errors},
      {"widest_gap", &P::widest_gap, errors},
      {"gap_within", &P::gap_within, errors},
      {"gap_between", &P::gap_between, errors},
      {"least_within", &P::least_within, errors},
      {"groups_apart", &P::groups_apart, errors, {0.1}},
      {"doublings", &P::doublings, on_the_way, {0, 40}},
      {"least_first_power", &P::least_first_power, on_the_way, {0, 40}},
      {"most_first_power", &P::most_first_power, on_the_way, {0, 40}},
      {"most_retrained", &P::most_retrained, on_the_way, {0, QmcStreamId::most_map}},
      {"many_for_map", &P::many_for_map, on_the_way},
      {"retraining_part", &P::retraining_part, on_the_way, {0.1}},
      {"most_retraining", &P::most_retraining, on_the_way, positive},
      {"least_known", &P::least_known, on_the_way, positive},
      {"least_power", &P::least_power, on_the_way, {0.1}},
      {"most_power", &P::most_power, on_the_way, {0.1}},
      {"rest_of_time", &P::rest_of_time, on_the_way, positive},
  };
  static_assert(std::size(constants) == members<P>(), "every constant is described");
  return {"qmc", {"qmc"}, constants};
}

} // namespace kubature::detail
