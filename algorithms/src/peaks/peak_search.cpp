#include <kubature/detail/peaks/peak_search.hpp>

#include <kubature/detail/policies/peaks_policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kubature::detail {

Candidates PeakSearch::points() const {
  return {static_cast<int>(dimension_),
          {static_cast<std::uint32_t>(seed_), ~static_cast<std::uint32_t>(seed_ >> 32)},
          rounds_};
}

std::vector<double> PeakSearch::drawn(std::vector<std::uint64_t> const& which) const {
  std::vector<double> at(which.size() * dimension_);
  for (std::size_t k = 0; k < which.size(); ++k)
    points().draw(which[k], &at[k * dimension_]);
  return at;
}

/// The uniform points where |f| exceeds the modes, or those of them that do so most and as many others.
std::vector<std::uint64_t> PeakSearch::unexplained(std::uint64_t candidates, std::uint64_t most) {
  climber_.try_points(points(), candidates, modes_.gaussians());
  evaluations_ += candidates;
  return climber_.above(-std::log(policy<PeaksPolicy>().dip), most);
}

void PeakSearch::round(std::uint64_t evaluations) {
  auto const& by = policy<PeaksPolicy>();
  auto const candidates =
      modes().empty() ? 0 : static_cast<std::uint64_t>(by.candidates * static_cast<double>(evaluations));
  auto const chains = (evaluations - candidates) / by.steps + 1;
  std::vector<std::uint64_t> starts(chains);
  std::iota(starts.begin(), starts.end(), std::uint64_t{0});
  if (candidates > 0)
    starts = unexplained(candidates, chains);
  ascend(drawn(starts), evaluations);
}

void PeakSearch::climb_from(std::vector<double> const& points, std::uint64_t most) {
  auto const& by = policy<PeaksPolicy>();
  auto const chains = std::min(by.chains_of_known, most / (points.size() / dimension_ * by.steps));
  std::vector<double> starts;
  for (std::uint64_t k = 0; k < chains; ++k)
    starts.insert(starts.end(), points.begin(), points.end());
  if (chains > 0)
    ascend(starts, starts.size() / dimension_ * by.steps);
}

/// Climbs, and adds the modes of the ends.
/// @param evaluations to tell modes apart, about
void PeakSearch::ascend(std::vector<double> const& starts, std::uint64_t evaluations) {
  auto const& by = policy<PeaksPolicy>();
  auto const ends = climber_.ascend(starts, by.steps, seed_ + rounds_);
  evaluations_ += ends.height.size() * by.steps;
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
