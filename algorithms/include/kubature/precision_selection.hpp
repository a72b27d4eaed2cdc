#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/probing/prober.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_choice.hpp>
#include <kubature/tuning.hpp>

namespace kubature {

/// The options of select_precision.
struct SelectionOptions {
  /// Points at which the formats are compared, at least 2.
  int points = 100;
  std::uint64_t seed = 0; ///< of the points
  /// Operations per evaluation, for predicted_error(); 0: what an Expression counts, 20 for a compiled integrand.
  int operations = 0;
  /// The cost of an operation in fp16, fp32 and fp64, in any unit; zeros: as measured for the backend.
  std::array<double, format_count> costs = {};
  /// The lowest format that may be chosen.
  Format lowest = Format::binary16;
};

/// The cheapest format in which the integrand's values differ from those in fp64, on average over the box, by no more
/// than the tolerance, with the numbers behind the choice. See PrecisionChoice for the rule.
///
/// @param integrand of one value, generic in Real; called with half_t on a backend that computes in half precision
/// @param tolerance for the average of |f_p - f| over the box (times dx/dt on infinite sides), absolute
template <class Space, class F, int D>
PrecisionChoice select_precision(Space const& exec, F const& integrand, Box<D> const& box, double tolerance,
                                 SelectionOptions const& options = {},
                                 std::source_location where = std::source_location::current()) {
  require(tolerance >= 0, "tolerance", tolerance, "a tolerance must not be negative", where);
  require(options.points >= 2, "SelectionOptions.points", options.points, "a spread needs at least 2", where);
  auto const f = detail::on_device<Fp64, D>(exec, integrand, box, where);
  using Parts = detail::ComponentsOfIntegrand<std::remove_const_t<decltype(f)>, 1>;
  constexpr bool half = Tuning<Space>::half_in_hardware;
  detail::Prober<Space> prober(options.points, options.seed);
  std::vector<detail::SubBox> const whole(1);
  auto const seen = prober.template probe<detail::half_if<half>>(exec, Parts{f}, box, whole);
  std::vector<PrecisionChoice> choices{seen[0].describe(detail::operations_of(integrand, options.operations))};
  choices[0].name = "integrand";
  detail::choose_formats(choices, tolerance, detail::costs_of<Space>(options.costs, options.lowest));
  return choices[0];
}

} // namespace kubature
