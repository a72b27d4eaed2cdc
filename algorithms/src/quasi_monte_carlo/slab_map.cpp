#include <kubature/detail/quasi_monte_carlo/slab_map.hpp>

#include "quasi_monte_carlo/trial_sums.hpp"

#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace kubature::detail {
namespace {

/// The octaves of the slabs' knots: the end of an axis below them is negligible in calls of this many points. If a
/// tolerance needs many more points than that, another map is trained.
int octaves_of(QmcCall const& call) {
  return call.retrained > 0
             ? GeometricKnots::most_octaves
             : std::min(GeometricKnots::most_octaves,
                        policy<QmcPolicy>().slab_octaves + static_cast<int>(std::bit_width(call.request.evaluations)));
}

} // namespace

int slab_power(QmcCall const& call) {
  auto const& by = policy<QmcPolicy>();
  int const slabs = call.request.dimension * GeometricKnots::count(octaves_of(call));
  double const each = static_cast<double>(call.request.evaluations) / by.slab_rounds / slabs;
  if (each < by.single_part)
    return -1;
  int const power = std::clamp(static_cast<int>(std::log2(each / by.slab_part)), 0, by.most_slab_power);
  return call.engine.fits(slabs, std::uint64_t{1} << power) ? power : -1;
}

std::vector<double> refine_by_slabs(QmcCall& call, std::vector<double> x, int power) {
  auto const& by = policy<QmcPolicy>();
  int const axes = call.request.dimension, octaves = octaves_of(call);
  Stream const random = call.stream(QmcStreamId::slabs);
  for (int round = 0; round < by.slab_rounds; ++round) {
    call.path.hold(smooth_map(x, axes));
    auto const sums = call.engine.draw_slabs(octaves, power, static_cast<std::uint64_t>(round), random);
    if (!call.learn(sums))
      return {};
    auto const found = masses_of_slabs(sums, octaves, call.used());
    bool const last = round + 1 == by.slab_rounds;
    if (last && mismatch(found, axes) > by.most_mismatch)
      return {};
    equalize(x, found, axes, last ? std::ldexp(by.empty_points, -call.power) : 0);
  }
  return x;
}

} // namespace kubature::detail
