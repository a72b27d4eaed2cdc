#include "policies/policy_table.hpp"

#include <kubature/detail/policies/auto_policy.hpp>

namespace kubature::detail {

DescribedPolicy<AutoPolicy> describe_auto() {
  using P = AutoPolicy;
  constexpr Origin rounds{"docs/design/auto.md#how-it-chooses", "choice"};
  constexpr Origin confirmation{"docs/design/auto.md#how-it-chooses", "wrong-converged --method auto"};
  static constexpr DescribedConstant<P> constants[] = {
      {"first", &P::first, rounds, positive},
      {"first_points", &P::first_points, rounds, positive},
      {"first_samples", &P::first_samples, rounds, positive},
      {"first_grids", &P::first_grids, rounds, positive},
      {"most_first", &P::most_first, rounds, positive},
      {"least", &P::least, rounds, positive},
      {"longest", &P::longest, rounds, positive},
      {"parts", &P::parts, rounds, positive},
      {"first_parts", &P::first_parts, rounds, positive},
      {"least_iterations", &P::least_iterations, rounds, positive},
      {"growth", &P::growth, rounds, {1.1}},
      {"rest", &P::rest, rounds, {0.1}},
      {"weight", &P::weight, rounds, {0.1}},
      {"cost_of_lattices", &P::cost_of_lattices, rounds, {0.001}},
      {"redistributes_at_first", &P::redistributes_at_first, rounds},
      {"unlimited", &P::unlimited, rounds, positive},
      {"most_turns", &P::most_turns, rounds},
      {"scatter", &P::scatter, rounds},
      {"least_seen", &P::least_seen, rounds},
      {"launches", &P::launches, rounds},
      {"cancels", &P::cancels, rounds},
      {"samples_before_lattices", &P::samples_before_lattices, rounds},
      {"cubature_before_lattices", &P::cubature_before_lattices, rounds},
      {"at_once", &P::at_once, rounds},
      {"beyond_prediction", &P::beyond_prediction, rounds},
      {"cubature_first", &P::cubature_first, rounds},
      {"least_power_of_cubature", &P::least_power_of_cubature, rounds, {0.001}},
      {"most_power_of_cubature", &P::most_power_of_cubature, rounds, {0.001}},
      {"least_power_of_lattices", &P::least_power_of_lattices, rounds, {0.001}},
      {"most_power_of_lattices", &P::most_power_of_lattices, rounds, {0.001}},
      {"compared_part", &P::compared_part, rounds, {0.1}},
      {"begun_anew", &P::begun_anew, rounds},
      {"worth_samples", &P::worth_samples, confirmation},
      {"worth_points", &P::worth_points, confirmation},
      {"confirmation_part", &P::confirmation_part, confirmation, positive},
      {"contradiction", &P::contradiction, confirmation},
      {"vague", &P::vague, confirmation},
      {"errors_from_zero", &P::errors_from_zero, confirmation},
  };
  static_assert(std::size(constants) == members<P>() - 1, "every constant is described");
  return {"auto", {"auto"}, constants};
}

} // namespace kubature::detail
