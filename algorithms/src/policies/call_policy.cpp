#include "policies/policy_table.hpp"

#include <kubature/detail/policies/call_policy.hpp>

namespace kubature::detail {

DescribedPolicy<CallPolicy> describe_call() {
  using P = CallPolicy;
  constexpr Origin time{"docs/design/monte-carlo.md#time", "vegas-plus --section requested_achieved"};
  constexpr Origin agreement{"docs/design/iterations.md#combining-iterations",
                             "wrong-converged --method mcubes vegas+"};
  constexpr Origin no_variance{"docs/design/iterations.md#values-without-variance-and-iterations-that-disagree",
                               "wrong-converged --method mcubes vegas+"};
  constexpr Origin not_finite{"docs/guide/errors.md#values-that-are-not-finite",
                              "real_integrals/run.py --methods mc,mcubes,vegas+,qmc --kinds divergent"};
  constexpr Origin several{"docs/design/components.md#what-trains-the-map", "components"};
  constexpr Origin audits{"docs/design/audits.md#audits", "real_integrals/run.py --methods vegas+,mcubes,mc,qmc"};
  static constexpr DescribedConstant<P> constants[] = {
      {"iteration_part", &P::iteration_part, time},
      {"iterations_that_fit", &P::iterations_that_fit, time, positive},
      {"pilot_part", &P::pilot_part, time},
      {"least_pilot", &P::least_pilot, time, positive},
      {"pilot_growth", &P::pilot_growth, time, {2}},
      {"launch_seconds", &P::launch_seconds, time},
      {"filled_seconds", &P::filled_seconds, time},
      {"least_q", &P::least_q, agreement, {0, 1}},
      {"immaterial", &P::immaterial, agreement},
      {"early_part", &P::early_part, agreement},
      {"alike", &P::alike, no_variance},
      {"disagree_by_chance", &P::disagree_by_chance, no_variance, {0, 1}},
      {"points_for_non_finite", &P::points_for_non_finite, not_finite, positive},
      {"dominant", &P::dominant, several},
      {"audit_part", &P::audit_part, audits, positive},
      {"most_audited", &P::most_audited, audits, positive},
      {"most_for_poles", &P::most_for_poles, audits, positive},
      {"audit_again", &P::audit_again, audits, positive},
      {"most_lines", &P::most_lines, audits, positive},
      {"least_end_power", &P::least_end_power, audits, {1e-6, 1}},
      {"weight_on_pole", &P::weight_on_pole, audits},
      {"worth_a_remark", &P::worth_a_remark, audits},
      {"without_variance", &P::without_variance, audits},
      {"enough_weights", &P::enough_weights, audits},
      {"part_of_largest", &P::part_of_largest, audits},
      {"no_integral", &P::no_integral, audits},
      {"top_weights", &P::top_weights, audits, positive},
      {"pole_lines", &P::pole_lines, audits, positive},
      {"least_scan", &P::least_scan, audits, positive},
      {"most_scan", &P::most_scan, audits, positive},
      {"later_scan", &P::later_scan, audits, positive},
      {"least_pole_growth", &P::least_pole_growth, audits},
  };
  static_assert(std::size(constants) == members<P>(), "every constant is described");
  return {"call", {"mc", "mcubes", "mcubes-1d"}, constants};
}

} // namespace kubature::detail
