#include <kubature/detail/peaks/peak_search.hpp>

#include <kubature/detail/policies/peaks_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kubature::detail {

Candidates PeakSearch::points() const {
  return {static_cast<int>(dimension_),
          {static_cast<std::uint32_t>(seed_), ~static_cast<std::uint32_t>(seed_ >> 32)},
          rounds_};
}

/// Climbs from the uniform points where |f| exceeds the modes, or from those of them that do so most and as many
/// others.
EndsOfAscents PeakSearch::from_unexplained(std::uint64_t candidates, std::uint64_t most) {
  climber_.try_points(points(), candidates, modes_.gaussians());
  evaluations_ += candidates;
  return climber_.ascend_from_above(-std::log(policy<PeaksPolicy>().dip), most, seed_of_ascents());
}

void PeakSearch::round(std::uint64_t evaluations) {
  auto const& by = policy<PeaksPolicy>();
  auto const candidates =
      modes().empty() ? 0 : static_cast<std::uint64_t>(by.candidates * static_cast<double>(evaluations));
  auto const chains = (evaluations - candidates) / by.steps + 1;
  add(candidates > 0 ? from_unexplained(candidates, chains)
                     : climber_.ascend_from_first(points(), chains, seed_of_ascents()),
      evaluations);
}

void PeakSearch::climb_from(std::vector<double> const& points, std::uint64_t most) {
  auto const& by = policy<PeaksPolicy>();
  auto const chains = std::min(by.chains_of_known, most / (points.size() / dimension_ * by.steps));
  std::vector<double> starts;
  for (std::uint64_t k = 0; k < chains; ++k)
    starts.insert(starts.end(), points.begin(), points.end());
  if (chains > 0)
    add(climber_.ascend(starts, seed_of_ascents()), starts.size() / dimension_ * by.steps);
}

/// Adds the modes of the ends.
/// @param evaluations to tell modes apart, about
void PeakSearch::add(EndsOfAscents const& ends, std::uint64_t evaluations) {
  evaluations_ += ends.height.size() * policy<PeaksPolicy>().steps;
  modes_.add(
      ends,
      [&](std::vector<double> const& at) {
        evaluations_ += at.size() / dimension_;
        return climber_.heights(at);
      },
      evaluations);
  ++rounds_;
}

} // namespace kubature::detail
