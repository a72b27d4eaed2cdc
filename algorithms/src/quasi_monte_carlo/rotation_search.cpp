#include <kubature/detail/quasi_monte_carlo/rotation_search.hpp>

#include "quasi_monte_carlo/trial_sums.hpp"

#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/quasi_monte_carlo/slab_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace kubature::detail {

std::vector<double> gradient_products(QmcCall& call) {
  auto const& by = policy<QmcPolicy>();
  int const axes = call.request.dimension, pair = 2 * axes;
  auto const points = std::min(call.request.evaluations / static_cast<std::uint64_t>(by.difference_part) /
                                   static_cast<std::uint64_t>(pair),
                               static_cast<std::uint64_t>(by.most_differences));
  if (axes > max_dimension || points < static_cast<std::uint64_t>(by.least_differences))
    return {};
  int const power = log2_of(points);
  if (!call.engine.fits(pair << power, 1))
    return {};
  auto const sums = call.engine.draw_differences(power, call.stream(QmcStreamId::differences));
  return call.learn(sums) ? difference_products(sums, axes, call.used()) : std::vector<double>{};
}

bool rotate_points(QmcCall& call, std::vector<double> directions) {
  call.path.hold(std::move(directions));
  int const axes = call.request.dimension, power = slab_power(call);
  std::vector<double> ends(2 * static_cast<std::size_t>(axes)); // of each axis: slabs refine the identity
  for (std::size_t k = 1; k < ends.size(); k += 2)
    ends[k] = 1;
  auto const moved = power < 0 ? std::vector<double>{} : refine_by_slabs(call, at_knots(ends, axes), power);
  call.path.drop_map();
  if (!moved.empty())
    call.path.hold(smooth_map(moved, axes));
  return !moved.empty();
}

bool try_rotation(QmcCall& call, MapTrial const& unrotated) {
  auto const& by = policy<QmcPolicy>();
  auto const products = call.request.dimension < by.least_rotated ? std::vector<double>{} : gradient_products(call);
  if (products.empty())
    return false;
  auto directions = principal_directions(products, call.request.dimension);
  if (few_directions(products, directions.variances) && rotate_points(call, std::move(directions.matrix)) &&
      !call.run.ended() && unrotated.exceeds(call.trial(0), by.worth_moving)) // rotating points takes time
    return true;
  call.path.drop_rotation();
  call.path.drop_map();
  return false;
}

} // namespace kubature::detail
