#include "policies/policy_table.hpp"

#include <kubature/detail/policies/vegas_policy.hpp>

namespace kubature::detail {

DescribedPolicy<VegasPolicy> describe_vegas() {
  using P = VegasPolicy;
  constexpr Origin training{"docs/design/vegas-adaptation.md#training", "vegas-plus"};
  constexpr Origin many{"docs/design/many-variables.md#maps", "many-variables"};
  constexpr Origin cubes{"docs/design/vegas-adaptation.md#cubes-or-samples", "vegas-plus"};
  constexpr Origin strata{"docs/design/vegas-adaptation.md#strata-where-they-matter", "vegas-plus"};
  constexpr Origin growth{"docs/methods/vegas-plus.md#what-it-does", "vegas-plus --section requested_achieved"};
  static constexpr DescribedConstant<P> constants[] = {
      {"samples_to_learn_fast", &P::samples_to_learn_fast, training},
      {"samples_per_bin", &P::samples_per_bin, training, positive},
      {"scale_part", &P::scale_part, training, positive},
      {"most_for_scale", &P::most_for_scale, training, {2}},
      {"resolved", &P::resolved, training},
      {"few_bins", &P::few_bins, training, {2, 4000}},
      {"many_bins", &P::many_bins, training, {2, 4000}},
      {"bins_of_many_axes", &P::bins_of_many_axes, many, {2, 4000}},
      {"known_by_many_axes", &P::known_by_many_axes, many},
      {"cautious_alpha", &P::cautious_alpha, training, {0, 10}},
      {"fast_alpha", &P::fast_alpha, training, {0, 10}},
      {"least_alpha", &P::least_alpha, training, {0, 10}},
      {"fast_iterations", &P::fast_iterations, training, positive},
      {"reach_in_two", &P::reach_in_two, training, {0, 100}},
      {"reach_in_three", &P::reach_in_three, training, {0, 100}},
      {"reach_in_more", &P::reach_in_more, training, {0, 100}},
      {"part_by_weight", &P::part_by_weight, cubes, {0, 1}},
      {"few_variables", &P::few_variables, cubes},
      {"first_measured", &P::first_measured, cubes, {0, 1000}},
      {"last_measured", &P::last_measured, cubes, {0, 1000}},
      {"finer_power", &P::finer_power, cubes},
      {"least_settled", &P::least_settled, cubes},
      {"most_settled", &P::most_settled, cubes},
      {"outgrown", &P::outgrown, cubes, positive},
      {"trial_after", &P::trial_after, strata, {1, 1000}},
      {"least_ahead", &P::least_ahead, strata},
      {"may_pay", &P::may_pay, strata},
      {"pays", &P::pays, strata},
      {"consistent", &P::consistent, strata},
      {"iterations", &P::iterations, growth, {1, 1000}},
      {"most_iterations", &P::most_iterations, growth, {1, 100000}},
      {"mcubes_least_iterations", &P::mcubes_least_iterations, growth, {1, 1000}},
      {"grow_from", &P::grow_from, growth},
      {"grow_by", &P::grow_by, growth, {1}},
      {"missing_part", &P::missing_part, growth, {0.1}},
  };
  static_assert(std::size(constants) == members<P>(), "every constant is described");
  return {"vegas", {"vegas+", "mcubes"}, constants};
}

} // namespace kubature::detail
