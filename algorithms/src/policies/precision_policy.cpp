#include "policies/policy_table.hpp"

#include <kubature/detail/policies/precision_policy.hpp>

namespace kubature::detail {

DescribedPolicy<PrecisionPolicy> describe_precision() {
  using P = PrecisionPolicy;
  constexpr Origin formats{"docs/design/mixed-precision.md#how-a-format-is-chosen", "mixed-precision"};
  constexpr Origin cost{"docs/design/mixed-precision.md#what-mixing-costs", "mixed-precision"};
  constexpr Origin strategy{"docs/design/mixed-precision.md#the-automatic-strategy", "mixed-precision"};
  constexpr Origin regions{"docs/design/mixed-precision.md#regions", "mixed-precision"};
  static constexpr DescribedConstant<P> constants[] = {
      {"points", &P::points, formats, {2}},
      {"rounding_part", &P::rounding_part, formats, {0, 1}},
      {"usual_relative", &P::usual_relative, formats},
      {"usual_operations", &P::usual_operations, formats, positive},
      {"by_prediction", &P::by_prediction, formats, {0, 1}},
      {"least_gain", &P::least_gain, cost, {0, 1}},
      {"samples_per_probe", &P::samples_per_probe, strategy},
      {"most_variance_left", &P::most_variance_left, strategy, {0, 1}},
      {"small_variance", &P::small_variance, regions},
      {"small_gradient", &P::small_gradient, regions},
      {"even_part", &P::even_part, regions, {0, 1}},
      {"samples_per_region", &P::samples_per_region, regions, positive},
      {"most_probes", &P::most_probes, regions, positive},
      {"probes_part", &P::probes_part, regions, positive},
  };
  static_assert(std::size(constants) == members<P>(), "every constant is described");
  return {"precision", {"mixed"}, constants};
}

} // namespace kubature::detail
