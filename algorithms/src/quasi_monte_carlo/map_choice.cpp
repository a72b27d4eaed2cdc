#include <kubature/detail/quasi_monte_carlo/map_choice.hpp>

#include <kubature/detail/policies/qmc_policy.hpp>

#include <algorithm>
#include <cmath>

namespace kubature::detail {

bool MapTrial::exceeds(MapTrial const& other, double times) const {
  return error > std::max(times * other.error, std::abs(other.value - value) / policy<QmcPolicy>().distance_part);
}

bool MapTrial::overlooks(MapTrial const& other) const {
  return std::abs(other.value) > policy<QmcPolicy>().overlooked * std::max(std::abs(value) + error, other.error);
}

bool MapTrial::yields(MapTrial const& other) const {
  auto const& by = policy<QmcPolicy>();
  double const more = std::abs(other.value) - std::abs(value);
  if (more > 0)
    return error > by.worth_moving * other.error || more > by.overlooked * (error + other.error);
  return other.unsure <= std::max(unsure, by.most_unsure) && exceeds(other, by.worth_moving);
}

MapChoice::Form MapChoice::best() const {
  auto const& by = policy<QmcPolicy>();
  Form const smooth = trusted(refined) < trusted(trained) ? refined : trained;
  double const least = std::min({trusted(trained), trusted(refined), trusted(by_bins), scatter(none)});
  if (tried(none) && !(scatter(none) > by.prefer_none * least))
    return none;
  double const factor = trials[smooth].gains ? by.prefer_smooth : by.prefer_smooth_without_gain;
  return trusted(smooth) <= factor * least ? smooth : by_bins;
}

MapChoice::Form MapChoice::best_unreliable() const {
  Form result = trained;
  for (Form const map : {trained, refined, by_bins}) {
    if (trusted(map) < never)
      return none;
    if (scatter(map) < scatter(result))
      result = map;
  }
  return scatter(none) > policy<QmcPolicy>().prefer_none * scatter(result) ? result : none;
}

MapChoice::Form MapChoice::peaked(Form best) const {
  if (best == none)
    best = best_unreliable() == none && unsure(none) ? trained : best_unreliable();
  return best == refined && !unsure(refined) ? none : best;
}

bool MapChoice::unsure(Form form) const { return trials[form].unsure > policy<QmcPolicy>().most_unsure; }

/// The smooth map from which estimates should not be far: the trained one, unless it is less certain than the other.
MapChoice::Form MapChoice::reference() const {
  return tried(refined) && unsure(trained) && !unsure(refined) ? refined : trained;
}

double MapChoice::scatter(Form form) const {
  if (!tried(form) || (form == none && missed()))
    return never;
  double const distance = std::abs(trials[form].value - trials[reference()].value);
  return std::max(trials[form].error, distance / policy<QmcPolicy>().distance_part);
}

/// The root mean square through the better one of the smooth maps.
double MapChoice::magnitude() const {
  return trials[scatter(refined) < scatter(trained) ? refined : trained].magnitude;
}

/// Whether points without a map have missed a peak.
bool MapChoice::missed() const {
  return trials[none].magnitude < magnitude() / policy<QmcPolicy>().overlooked_magnitude ||
         trials[none].overlooks(trials[reference()]);
}

/// Whether a map is better than none even if it is unreliable.
bool MapChoice::necessary() const { return trials[none].magnitude >= policy<QmcPolicy>().necessary * magnitude(); }

} // namespace kubature::detail
