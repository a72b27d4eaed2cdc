#include "policies/policy_table.hpp"

#include <kubature/detail/policies/peaks_policy.hpp>

namespace kubature::detail {

DescribedPolicy<PeaksPolicy> describe_peaks() {
  using P = PeaksPolicy;
  constexpr Origin ascents{"docs/design/peaks.md#ascents", "peaks"};
  constexpr Origin rounds{"docs/design/peaks.md#rounds", "peaks"};
  constexpr Origin look{"docs/design/channels.md#the-second-look", "channels"};
  constexpr Origin start{"docs/design/channels.md#channels-from-the-start", "channels"};
  constexpr Origin evidence{"docs/design/evidence.md#the-mixture", "evidence"};
  constexpr Origin modes{"docs/design/peaks.md#modes", "peaks"};
  constexpr Origin covariances{"docs/design/peaks.md#covariances", "peaks"};
  static constexpr DescribedConstant<P> constants[] = {
      {"steps", &P::steps, ascents, positive},
      {"first_step", &P::first_step, ascents},
      {"longer", &P::longer, ascents, {1}},
      {"shorter", &P::shorter, ascents, {0, 1}},
      {"longest", &P::longest, ascents},
      {"rounds", &P::rounds, rounds, positive},
      {"candidates", &P::candidates, rounds, {0, 1}},
      {"cells", &P::cells, modes, positive},
      {"most_compared", &P::most_compared, modes, positive},
      {"most_modes", &P::most_modes, modes, positive},
      {"segment_points", &P::segment_points, modes, positive},
      {"dip", &P::dip, modes, {0, 1}},
      {"least_height", &P::least_height, modes},
      {"better", &P::better, modes},
      {"least_fall", &P::least_fall, covariances, {0, 1}},
      {"most_fall", &P::most_fall, covariances, {0, 1}},
      {"most_tried", &P::most_tried, covariances, positive},
      {"share", &P::share, look, {0, 1}},
      {"side_by_side", &P::side_by_side, look, {1}},
      {"least_searched", &P::least_searched, look, positive},
      {"times_on_gpu", &P::times_on_gpu, look, positive},
      {"most_searched", &P::most_searched, look, positive},
      {"seen", &P::seen, look},
      {"narrow", &P::narrow, look, {0, 1}},
      {"rather_narrow", &P::rather_narrow, look, {0, 1}},
      {"share_if_narrow", &P::share_if_narrow, look},
      {"share_if_several", &P::share_if_several, look},
      {"least_if_narrow", &P::least_if_narrow, look, positive},
      {"least_if_several", &P::least_if_several, look, positive},
      {"most_if_rather_narrow", &P::most_if_rather_narrow, look, positive},
      {"least_part", &P::least_part, look},
      {"resolved", &P::resolved, look},
      {"background", &P::background, look},
      {"background_begins", &P::background_begins, look},
      {"part_share", &P::part_share, look},
      {"contradiction", &P::contradiction, look},
      {"least_of_part", &P::least_of_part, look, positive},
      {"times_of_parts", &P::times_of_parts, look, positive},
      {"enough_of_part", &P::enough_of_part, look, positive},
      {"searched_first", &P::searched_first, start, positive},
      {"time_of_search", &P::time_of_search, start, {0, 1}},
      {"chains_of_known", &P::chains_of_known, start, positive},
      {"pilot_share", &P::pilot_share, start, {0, 1}},
      {"even_shares", &P::even_shares, start, {0, 1}},
      {"negligible", &P::negligible, start},
      {"most_components", &P::most_components, evidence, positive},
      {"least_mass", &P::least_mass, evidence},
      {"adaptations", &P::adaptations, evidence},
      {"adapted_by", &P::adapted_by, evidence, positive},
      {"enough_per_number", &P::enough_per_number, evidence},
      {"first_uniform", &P::first_uniform, evidence, {0, 1}},
      {"least_uniform", &P::least_uniform, evidence, {0, 1}},
      {"least_component", &P::least_component, evidence, {0, 1}},
  };
  static_assert(std::size(constants) == members<P>(), "every constant is described");
  return {"peaks", {}, constants};
}

} // namespace kubature::detail
