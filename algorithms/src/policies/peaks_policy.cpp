#include "policies/policy_table.hpp"

#include <kubature/detail/policies/peaks_policy.hpp>

namespace kubature::detail {

DescribedPolicy<PeaksPolicy> describe_peaks() {
  using P = PeaksPolicy;
  constexpr Origin ascents{"docs/design/peaks.md#ascents", "peaks"};
  constexpr Origin modes{"docs/design/peaks.md#modes", "peaks"};
  constexpr Origin covariances{"docs/design/peaks.md#covariances", "peaks"};
  static constexpr DescribedConstant<P> constants[] = {
      {"steps", &P::steps, ascents, positive},
      {"first_step", &P::first_step, ascents},
      {"longer", &P::longer, ascents, {1}},
      {"shorter", &P::shorter, ascents, {0, 1}},
      {"longest", &P::longest, ascents},
      {"cells", &P::cells, modes, positive},
      {"most_compared", &P::most_compared, modes, positive},
      {"most_modes", &P::most_modes, modes, positive},
      {"segment_points", &P::segment_points, modes, positive},
      {"dip", &P::dip, modes, {0, 1}},
      {"least_height", &P::least_height, modes},
      {"least_fall", &P::least_fall, covariances, {0, 1}},
      {"most_fall", &P::most_fall, covariances, {0, 1}},
      {"most_tried", &P::most_tried, covariances, positive},
  };
  static_assert(std::size(constants) == members<P>(), "every constant is described");
  return {"peaks", {}, constants};
}

} // namespace kubature::detail
