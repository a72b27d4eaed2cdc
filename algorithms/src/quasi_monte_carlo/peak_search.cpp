#include <kubature/detail/quasi_monte_carlo/peak_search.hpp>

#include "quasi_monte_carlo/trial_sums.hpp"

#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/peak.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kubature::detail {

int peak_power(QmcCall const& call) {
  auto const& by = policy<QmcPolicy>();
  int const axes = call.request.dimension;
  int const power =
      std::min(log2_of(call.request.evaluations / static_cast<std::uint64_t>(by.peak_part)), by.most_peak_power);
  if (axes < 2 || axes > max_dimension || std::ldexp(1.0, power) < 2 * Peak::least(axes))
    return -1;
  return call.engine.fits(1 << power, 1) ? power : -1;
}

std::optional<Peak> locate_peak(QmcCall& call, std::vector<double> const& edges) {
  auto const& by = policy<QmcPolicy>();
  int const axes = call.request.dimension, power = peak_power(call);
  if (power < 0)
    return {};
  int const count = 1 << power;
  auto const random = call.stream(QmcStreamId::differences); // of which rounds are shifts
  call.path.hold(linear_map(edges, axes));
  for (int round = 1; round <= by.peak_rounds; ++round) {
    auto const shift = static_cast<std::uint64_t>(round);
    auto const sums = call.engine.draw_single(power, shift, random);
    if (!call.learn(sums))
      return {};
    auto const weights = peak_weights(sums, call.used());
    if (weights.empty())
      return {};
    auto const peak = find_peak(call.engine.single_points(power, shift, random), weights, axes);
    if (!peak.tempered && (by.effective_part * peak.effective >= count || round == by.peak_rounds))
      return peak;
    call.path.hold(peak);
  }
  return {};
}

bool draw_in_peak(QmcCall& call, Peak const& peak) {
  auto const last = static_cast<std::uint64_t>(policy<QmcPolicy>().peak_rounds) + 1;
  int const power = peak_power(call), count = 1 << power;
  auto const axes = static_cast<std::size_t>(call.request.dimension);
  call.path.straighten();
  auto const random = call.stream(QmcStreamId::differences);
  auto const sums = call.engine.draw_single(power, last, random);
  if (!call.learn(sums))
    return false;
  auto const x = call.engine.single_points(power, last, random);
  for (int c = 0; c < call.used(); ++c) {
    double outside = 0;
    for (std::size_t k = 0; k < sums.size(); ++k)
      if (out_of_reach(peak, x.data() + k * axes))
        outside += std::abs(sums.mean(k, c)) / count;
    call.run.leave_out(c, call.engine.scale().restored(outside));
  }
  call.path.hold(peak);
  return true;
}

bool try_peak(QmcCall& call, std::vector<double> const& edges, MapTrial const& in_map) {
  if (auto const peak = locate_peak(call, edges)) {
    call.path.hold(*peak);
    if (in_map.yields(call.trial(0)) && !call.run.ended())
      return draw_in_peak(call, *peak);
  }
  call.path.straighten();
  return false;
}

} // namespace kubature::detail
