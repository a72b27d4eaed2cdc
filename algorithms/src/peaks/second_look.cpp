#include <kubature/detail/peaks/second_look.hpp>

#include <kubature/detail/peaks/channels.hpp>
#include <kubature/detail/policies/peaks_policy.hpp>
#include <kubature/error.hpp>
#include <kubature/peaks.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kubature::detail {
namespace {

double volume(kubature::Peak const& peak) { return std::exp(log_integral(peak) - peak.log_height); }

double least_of(std::vector<double> const& numbers) { return *std::ranges::min_element(numbers); }

Box<dynamic_many> cube_like(Box<dynamic_many> const& box) {
  return Box<dynamic_many>(std::vector<Side>(1), box.dimension());
}

std::string in_words(std::size_t peaks) {
  return std::to_string(peaks) + (peaks == 1 ? " narrow peak" : " narrow peaks");
}

/// The number of evaluations of a call, by the time that they take beside those of a search.
double weight_of(SeveralResult const& found) {
  auto const made = static_cast<double>(found.evaluations);
  return found.regions > 0 ? made / policy<PeaksPolicy>().side_by_side : made;
}

/// Evaluations of the first round of a search.
std::uint64_t first_round(SeveralResult const& found, bool on_gpu) {
  auto const& by = policy<PeaksPolicy>();
  auto const least = (on_gpu ? by.times_on_gpu : 1) * by.least_searched;
  return std::clamp(static_cast<std::uint64_t>(by.share * weight_of(found)), least, std::max(least, by.most_searched));
}

/// Maximum number of evaluations of each part at first.
std::uint64_t first_of_part(SeveralResult const& found) {
  auto const& by = policy<PeaksPolicy>();
  return std::max(static_cast<std::uint64_t>(by.part_share * static_cast<double>(found.evaluations)), by.least_of_part);
}

/// Whether a part of the cube that is not narrow has heights near the largest of uniform points.
bool is_wide(Climber& climber, int dimension, std::uint64_t seed, std::uint64_t points) {
  auto const& by = policy<PeaksPolicy>();
  Candidates const uniform{dimension, {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, 0};
  climber.try_points(uniform, points, {});
  return climber.share_near_largest(-std::log(by.dip)) >= by.rather_narrow;
}

} // namespace

SecondLook::SecondLook(Call const& call) : call_(call), search_(call.climber, call.box.dimension(), call.seed) {}

std::uint64_t SecondLook::left(SeveralResult const& found) const {
  auto const all = call_.request.limits.evaluations, used = found.evaluations + searched();
  return all - std::min(all, used);
}

/// Whether a share of the time is up, on any rank.
bool SecondLook::late(double share) const {
  auto const seconds = call_.request.limits.seconds;
  return std::isfinite(seconds) && call_.ranks.any(call_.timer.seconds() > share * seconds);
}

void SecondLook::count_search(SeveralResult& result) {
  result.evaluations += searched();
  counted_ = search_.evaluations();
}

/// The narrow peaks, if the call may have missed some of them.
std::vector<kubature::Peak> SecondLook::missed(SeveralResult const& found) {
  auto const& by = policy<PeaksPolicy>();
  auto const made = static_cast<double>(found.evaluations);
  auto const cube = cube_like(call_.box);
  auto const times = call_.on_gpu ? by.times_on_gpu : 1;
  double const weight = weight_of(found);
  auto const first = first_round(found, call_.on_gpu), most_of_round = times * by.most_searched;
  double value = 0;
  for (double const component : found.value)
    value += std::abs(component);
  std::vector<kubature::Peak> narrow;
  std::size_t before = 0;
  bool contradicted = false; // the parts of the peaks will be integrated, which takes longer than a larger search
  for (auto evaluations = first; 2 * evaluations <= left(found) && !late(1);) {
    search_.round(evaluations);
    auto const& modes = search_.modes();
    auto const peaks = peaks_in_box(modes, call_.box), in_cube = peaks_in_box(modes, cube);
    narrow.clear();
    double all = 0, least_part = 1;
    least_missed_ = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < modes.size(); ++k) {
      double const part = volume(in_cube[k]), mass = std::exp(log_integral(peaks[k]));
      all += mass;
      least_part = std::min(least_part, part);
      if (part >= by.narrow)
        continue;
      narrow.push_back(peaks[k]);
      if (made / 2 * part < by.seen && mass > by.least_part * least_of(found.error))
        least_missed_ = std::min(least_missed_, mass);
    }
    bool const several = modes.size() > 1;
    // The parts take some times what they take at first.
    auto const if_contradicted =
        std::min(by.searched_first, by.times_of_parts * (narrow.size() + 1) * first_of_part(found));
    auto const if_narrow =
        std::clamp(static_cast<std::uint64_t>((several ? by.share_if_several : by.share_if_narrow) * weight),
                   times * (several ? by.least_if_several : by.least_if_narrow), by.rounds * most_of_round);
    auto const wanted = contradicted     ? std::max(if_narrow, if_contradicted)
                        : narrow.empty() ? std::min(2 * first, times * by.most_if_rather_narrow)
                                         : if_narrow;
    bool const enough = least_part >= by.rather_narrow || searched() > wanted;
    if (modes.size() >= by.most_modes)
      return {}; // an oscillation
    if (enough && narrow.size() == before) {
      // A single peak is in the value if that is as large, whatever its tail contributes.
      double const lacking = modes.size() == 1 ? all - value : std::abs(all - value);
      if (std::isinf(least_missed_) || lacking <= by.resolved * least_missed_)
        return {};
      if (contradicted)
        break;
      contradicted = true;
      evaluations = std::min(if_contradicted / by.rounds, found.evaluations + searched());
      continue;
    }
    before = narrow.size();
    // A round takes a millisecond on a GPU.
    evaluations = std::clamp(wanted / (call_.on_gpu ? 1 : by.rounds), first, most_of_round);
  }
  return std::isinf(least_missed_) ? std::vector<kubature::Peak>() : narrow;
}

/// The peaks that take up less than this part of the box, and matter beside all that were found.
std::vector<kubature::Peak> SecondLook::peaks_below(double part) const {
  auto const in_cube = peaks_in_box(search_.modes(), cube_like(call_.box));
  auto peaks = peaks_in_box(search_.modes(), call_.box);
  double all = 0;
  std::vector<bool> wide;
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    wide.push_back(volume(in_cube[k]) >= part);
    all += std::exp(log_integral(peaks[k]));
  }
  double const least = policy<PeaksPolicy>().least_part * call_.request.tolerance.relative * all;
  std::size_t k = 0;
  std::erase_if(peaks, [&](kubature::Peak const& peak) { return wide[k++] || std::exp(log_integral(peak)) < least; });
  return peaks;
}

/// Climbs from points of the box.
void SecondLook::climb_from(std::vector<double> const& known, std::uint64_t affordable) {
  auto const& where = call_.request.where;
  auto const d = static_cast<std::size_t>(call_.box.dimension());
  require(known.size() % d == 0, "known", std::to_string(known.size()) + " numbers",
          "points have " + std::to_string(d) + " coordinates each", where);
  std::vector<double> starts;
  for (std::size_t k = 0; k < known.size(); ++k) {
    auto const& side = call_.box[static_cast<int>(k % d)];
    require(side.lower <= known[k] && known[k] <= side.upper, "known", known[k],
            "coordinate " + std::to_string(k % d + 1) + " of a point lies outside the box", where);
    starts.push_back(place_in_cube(side, known[k]));
  }
  search_.climb_from(starts, affordable);
}

/// @returns false if there are no channels about these peaks
bool SecondLook::set_channels(std::vector<kubature::Peak> const& peaks) {
  auto numbers =
      peaks.empty() ? std::vector<double>() : channel_numbers(peaks, call_.box, call_.request.tolerance.relative);
  if (numbers.empty())
    return false;
  call_.set(std::move(numbers));
  return true;
}

SeveralResult SecondLook::from_the_start(std::vector<double> const& known) {
  auto const& by = policy<PeaksPolicy>();
  auto const& request = call_.request;
  auto const affordable = request.limits.evaluations / 8;
  if (!known.empty()) {
    climb_from(known, affordable);
  } else {
    auto const evaluations = std::min(by.searched_first * (call_.on_gpu ? by.times_on_gpu : 1), affordable);
    auto const all =
        (std::uint64_t{1} << by.rounds) - 1; // rounds double, so that few seconds are lost if time is short
    for (std::uint64_t k = 0; k < by.rounds && evaluations >= by.least_searched && !late(by.time_of_search); ++k)
      search_.round((evaluations << k) / all);
  }
  auto const peaks = peaks_below(known.empty() ? by.rather_narrow : 1);
  if (search_.modes().size() >= by.most_modes || !set_channels(peaks)) {
    Limits limits = request.limits;
    limits.evaluations = std::max<std::uint64_t>(1, left({}));
    limits.seconds = std::max(limits.seconds - call_.timer.seconds(), std::numeric_limits<double>::min());
    auto found = call_.whole(request.within(limits));
    count_search(found);
    found.remarks.emplace_back("there are no channels: no narrow peak was found" +
                               std::string(known.empty() ? "" : " near the points known"));
    return found;
  }
  SeveralResult found;
  count_search(found);
  found = ChannelSum(peaks.size() + 1, call_.integrate, request, found.evaluations, call_.timer).run();
  found.remarks.push_back(in_words(peaks.size()) + (peaks.size() == 1 ? " was" : " were") + " integrated by channels");
  return found;
}

SeveralResult SecondLook::check(SeveralResult found) {
  auto const& by = policy<PeaksPolicy>();
  if (found.status != Status::converged)
    return found;
  if (search_.modes().empty()) {
    auto const points = first_round(found, call_.on_gpu);
    if (points > left(found))
      return found;
    found.evaluations += points;
    if (is_wide(call_.climber, call_.box.dimension(), call_.seed, points))
      return found;
  }
  auto most = first_of_part(found);
  auto const peaks = missed(found);
  count_search(found);
  if (peaks.empty() || !set_channels(peaks))
    return found;
  ChannelSum channels(peaks.size() + 1, call_.integrate, call_.request, found.evaluations, call_.timer);
  bool differs = false, finished = false;
  for (bool conclusive = false; !conclusive; most = std::min(most, channels.evaluations_left() / 4) * 4) {
    finished = channels.to_tolerance(found, most);
    auto const sum = channels.sum();
    differs = false;
    bool resolved = true;
    for (std::size_t c = 0; c < sum.value.size(); ++c) {
      double const beyond = std::abs(sum.value[c] - found.value[c]);
      differs = differs || beyond > by.contradiction * std::hypot(sum.error[c], found.error[c]);
      resolved = resolved && sum.error[c] <= by.resolved * least_missed_;
    }
    conclusive = finished || sum.status != Status::evaluation_limit || channels.evaluations_left() / 4 * 4 <= most ||
                 (!differs && (resolved || most >= by.enough_of_part));
  }
  if (!differs || channels.ended()) {
    found.evaluations += channels.evaluations();
    if (channels.ended())
      found.status = channels.sum().status;
    return found;
  }
  auto remarks = std::move(found.remarks);
  remarks.push_back(in_words(peaks.size()) + " were searched for and integrated one by one, since " + found.method +
                    " had missed some: " + format(found.value[0], found.error[0]));
  auto sum = channels.result(finished);
  sum.remarks = std::move(remarks);
  return sum;
}

} // namespace kubature::detail
