#include <kubature/detail/quasi_monte_carlo/qmc_strategy.hpp>

#include <kubature/detail/call/schedule.hpp>
#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/peak_search.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation_search.hpp>
#include <kubature/detail/quasi_monte_carlo/slab_map.hpp>
#include <kubature/detail/vegas/map_strategy.hpp>

#include <algorithm>
#include <utility>

namespace kubature::detail {
namespace {

/// Whether there are enough evaluations for a map of two intervals along each of many axes.
bool worth_a_map(QmcRequest const& request) {
  return request.dimension <= max_dimension ||
         bins_for(2, request.dimension, request.evaluations / policy<QmcPolicy>().training_part) > 1;
}

} // namespace

bool QmcStrategy::go_on(std::function<bool(CallState const&, std::uint64_t)> const& pause) {
  auto& run = call_.run;
  if (!std::exchange(prepared_, true))
    prepare();
  do {
    if (int const power = worth_training(); power > 0) {
      if (pause(run, 2 * call_.of_shifts(power)))
        return false;
      begin_anew(power);
    }
    if (int const power = transforms_.due(); power > 0) {
      if (pause(run, transforms_.cost(power)))
        return false;
      transforms_.choose_again(power);
    }
    if (!run.wants_more())
      return true;
    if (pause(run, run.all_fresh_points()))
      return false;
  } while (iterate());
  return true;
}

/// Whether any map or transform was chosen for the integrand.
bool QmcStrategy::adapted() const {
  return call_.path.moved() || (transforms_.open() && is_polynomial(call_.path.transform()));
}

/// Chooses the map from the unit cube to the box and the periodising transform.
/// @returns false if the call ended meanwhile
bool QmcStrategy::prepare() {
  auto const& by = policy<QmcPolicy>();
  call_.power = std::min(call_.power, fit_in_time());
  call_.path.fold(call_.request.transform);
  if (place() && call_.power >= by.least_transformed_power) {
    int const power = call_.power - by.transform_part;
    transforms_.choose(call_.run.timed() ? std::min(power, by.most_timed_power) : power);
  }
  return !call_.run.ended();
}

/// Limits the work before the first iteration, and the iteration itself, to the available time (see find_schedule).
/// @returns the binary logarithm of the points of a shift for which a map and a transform are to be chosen
int QmcStrategy::fit_in_time() {
  auto& request = call_.request;
  auto& engine = call_.engine;
  auto& run = call_.run;
  auto const shifts = static_cast<std::uint64_t>(run.shifts());
  auto const draw = [&](std::uint64_t n) -> std::uint64_t {
    int const power = log2_of(std::max<std::uint64_t>(1, n / shifts));
    Stream const random(request.seed, pilot_stream);
    auto sums = engine.draw(power, true, random);
    while (!sums.empty() && engine.scale().adjust_to(size_of(sums)))
      sums = engine.draw(power, true, random);
    if (!sums.empty())
      run.keep_pilot(sums, engine.scale(), request.non_finite);
    return sums.empty() ? 0 : shifts << power;
  };
  auto const schedule = find_schedule(ranks_, run, request.evaluations, policy<QmcPolicy>().rest_of_time, draw);
  if (schedule.samples == request.evaluations)
    return request.longest;
  request.evaluations = schedule.samples;
  run.begin_with(request.evaluations);
  return log2_of(std::max<std::uint64_t>(1, request.evaluations / shifts));
}

/// Trains a map, and chooses among its forms, rotations and peaks.
/// @returns false if the call ended meanwhile
bool QmcStrategy::place() {
  auto const& request = call_.request;
  auto& run = call_.run;
  bool const any = request.map == QmcMap::automatic, rotated = request.map == QmcMap::rotated;
  if (auto const products = rotated ? gradient_products(call_) : std::vector<double>{}; !products.empty())
    rotate_points(call_, principal_directions(products, request.dimension).matrix);
  if (run.ended() || call_.path.rotated())
    return !run.ended();
  if (request.map == QmcMap::none || (any && call_.power < policy<QmcPolicy>().least_trial_power) ||
      (rotated && peak_power(call_) < 0) || !worth_a_map(request))
    return true;
  auto const edges = call_.engine.train(request.evaluations);
  if (edges.empty())
    return false;
  if (request.map == QmcMap::linear)
    call_.path.hold(linear_map(edges, request.dimension));
  else if (!rotated)
    choose_map(edges);
  else if (auto const peak = locate_peak(call_, edges))
    draw_in_peak(call_, *peak);
  return !run.ended();
}

/// The points of each shift, as a binary logarithm, for which another map should be trained; 0: none.
int QmcStrategy::worth_training() const {
  auto const& by = policy<QmcPolicy>();
  auto const map = call_.request.map;
  if (map == QmcMap::none || map == QmcMap::rotated || call_.retrained == by.most_retrained)
    return 0;
  int const power = call_.run.worth_training(call_.power);
  return power < by.least_trial_power ? 0 : power;
}

/// Trains another map for 2^power points and starts afresh in it, unless the identity map with the tent transform
/// remains the best choice.
void QmcStrategy::begin_anew(int power) {
  bool const before = adapted();
  ++call_.retrained;
  call_.power = power;
  call_.request.evaluations = call_.of_shifts(power);
  if (!prepare() || !(before || adapted()))
    return;
  call_.run.begin_anew(power);
  call_.begun = call_.retrained;
}

/// @returns false if the call has ended meanwhile: the iteration is then excluded
bool QmcStrategy::iterate() {
  auto& engine = call_.engine;
  auto const sums = engine.draw(call_.run.next_power(), call_.run.begins(), call_.stream(QmcStreamId::points));
  if (sums.empty())
    return false;
  if (!engine.scale().adjust_to(size_of(sums)))
    call_.run.add(sums, engine.scale(), call_.request.non_finite);
  return true;
}

/// Holds the map that MapChoice finds best after a trial of each form; the refined one is made from slabs. If a smooth
/// map is requested, the better of the two is used.
void QmcStrategy::choose_map(std::vector<double> const& edges) {
  using C = MapChoice;
  auto& run = call_.run;
  auto& path = call_.path;
  path.straighten();
  for (int c = 0; c < call_.used(); ++c)
    run.leave_out(c, 0);
  int const axes = call_.request.dimension, power = slab_power(call_);
  bool const any = call_.request.map == QmcMap::automatic;
  auto const x = at_knots(edges, axes);
  PiecewiseCubic maps[] = {smooth_map(x, axes), {}, linear_map(edges, axes), {}};
  C choice;
  auto const look = [&](C::Form form, int more = 0) {
    if (form == C::none)
      path.drop_map();
    else
      path.hold(maps[form]);
    return call_.trial(more);
  };
  if (any || (power >= 0 && call_.power >= policy<QmcPolicy>().least_trial_power))
    for (auto const form : {C::trained, C::refined, C::by_bins, C::none}) {
      if (form == C::refined) {
        auto const moved = power < 0 ? std::vector<double>{} : refine_by_slabs(call_, x, power);
        if (moved.empty())
          continue;
        maps[form] = smooth_map(moved, axes);
      }
      if (any || form < C::by_bins)
        choice.trials[form] = look(form);
      if (run.ended())
        return;
    }
  auto const unreliable = choice.best_unreliable();
  if (unreliable != C::none)
    choice.look_again(unreliable, look(unreliable, 2).unsure);
  auto const best = choice.best(), peaked = choice.peaked(best);
  path.drop_map();
  if (any && (try_rotation(call_, choice.trials[best]) ||
              (peaked != C::none && try_peak(call_, edges, choice.trials[peaked]))))
    return;
  if (any && choice.unreliable(best))
    run.remark("most of the integral comes from a few points: value and error may be too small");
  if (best != C::none)
    path.hold(maps[best]);
}

} // namespace kubature::detail
