#include "policies/policy_table.hpp"

#include <kubature/detail/policies/cubature_policy.hpp>

namespace kubature::detail {

DescribedPolicy<CubaturePolicy> describe_cubature() {
  using P = CubaturePolicy;
  constexpr Origin first_grid{"docs/methods/pagani.md#what-it-does", "cubature-ladder"};
  constexpr Origin errors{"docs/design/cubature-errors.md#errors-that-can-be-trusted",
                          "wrong-converged --method pagani two-phase"};
  constexpr Origin zero{"docs/guide/errors.md#zero", "real_integrals/run.py --methods pagani --kinds zero"};
  constexpr Origin threads{"docs/design/cubature.md#regions", "cubature-ladder"};
  constexpr Origin bisection{"docs/design/cubature.md#which-regions-are-bisected", "cubature-ladder"};
  constexpr Origin opinions{"docs/design/cubature-errors.md#verification-of-regions",
                            "wrong-converged --method pagani two-phase"};
  constexpr Origin poles{"docs/design/cubature-errors.md#poles",
                         "real_integrals/run.py --methods pagani --kinds point,heavy --set 21"};
  constexpr Origin close_look{"docs/design/cubature-errors.md#a-close-look",
                              "real_integrals/run.py --methods pagani --kinds narrow --set 21"};
  constexpr Origin published{"docs/design/cubature.md#as-published", "cubature-ladder"};
  constexpr Origin time{"docs/design/cubature.md#few-and-many-regions", "cubature-ladder"};
  static constexpr DescribedConstant<P> constants[] = {
      {"most_in_four", &P::most_in_four, first_grid, {0, 20}},
      {"most_in_two", &P::most_in_two, first_grid, {0, 20}},
      {"start_caution", &P::start_caution, errors},
      {"least_list_to_lower", &P::least_list_to_lower, errors},
      {"coarse_error_3", &P::coarse_error_3, bisection},
      {"coarse_error_4", &P::coarse_error_4, bisection},
      {"unrefined_part", &P::unrefined_part, bisection, {0, 1}},
      {"settled_part", &P::settled_part, bisection, {0, 1}},
      {"worth_refining", &P::worth_refining, bisection},
      {"given_up_part", &P::given_up_part, bisection},
      {"given_up_step", &P::given_up_step, bisection},
      {"given_up_steps", &P::given_up_steps, bisection, positive},
      {"cancelled", &P::cancelled, zero},
      {"neglected_part", &P::neglected_part, opinions},
      {"all_look", &P::all_look, opinions},
      {"many_look", &P::many_look, opinions},
      {"one_in_many", &P::one_in_many, opinions, positive},
      {"one_in_long", &P::one_in_long, opinions, positive},
      {"first_look", &P::first_look, poles},
      {"look_again_after", &P::look_again_after, poles, positive},
      {"least_dimension_of_poles", &P::least_dimension_of_poles, poles, positive},
      {"most_dimension_of_poles", &P::most_dimension_of_poles, poles, {0, 8}},
      {"pole_points_along", &P::pole_points_along, poles, positive},
      {"pole_points_per_axis", &P::pole_points_per_axis, poles, positive},
      {"most_pole_points", &P::most_pole_points, poles, positive},
      {"pole_step", &P::pole_step, poles, {0.01, 0.9}},
      {"uneven", &P::uneven, poles},
      {"pole_growth", &P::pole_growth, poles, {0, 1}},
      {"pole_closest", &P::pole_closest, poles},
      {"pole_rounded", &P::pole_rounded, poles},
      {"least_pole_reach", &P::least_pole_reach, poles},
      {"pole_rounds", &P::pole_rounds, poles, positive},
      {"rounded_pole_rounds", &P::rounded_pole_rounds, poles, positive},
      {"most_pole_rounds", &P::most_pole_rounds, poles, positive},
      {"pole_octaves", &P::pole_octaves, poles},
      {"pole_places", &P::pole_places, poles, positive},
      {"look_seconds", &P::look_seconds, close_look},
      {"quiet_launch", &P::quiet_launch, close_look},
      {"look_share", &P::look_share, close_look},
      {"most_look_seconds", &P::most_look_seconds, close_look},
      {"host_launch", &P::host_launch, close_look, positive},
      {"device_launch", &P::device_launch, close_look, positive},
      {"look_limit", &P::look_limit, close_look},
      {"published_errors", &P::published_errors, published, {0, 1}},
      {"published_threshold", &P::published_threshold, published, {0, 1}},
      {"published_two_phase", &P::published_two_phase, published, {0, 1}},
      {"seconds_in_list", &P::seconds_in_list, threads},
      {"slice_evaluations", &P::slice_evaluations, time, positive},
      {"batch_part", &P::batch_part, time, positive},
      {"start_grace", &P::start_grace, time},
  };
  static_assert(std::size(constants) == members<P>(), "every constant is described");
  return {"cubature", {"pagani", "two-phase"}, constants};
}

} // namespace kubature::detail
