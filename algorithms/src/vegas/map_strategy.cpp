#include <kubature/detail/vegas/map_strategy.hpp>

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace kubature::detail {

std::uint64_t one_iteration(std::uint64_t evaluations, Limits const& limits) {
  return std::max<std::uint64_t>(2, std::min(evaluations, limits.evaluations - Partition::ceil(limits.evaluations, 9)));
}

std::uint64_t first_iteration(std::uint64_t evaluations, Limits const& limits, int skip, int iterations) {
  auto const most = limits.evaluations, all = static_cast<std::uint64_t>(iterations);
  auto const least = static_cast<std::uint64_t>(skip) + 2;
  if (all > 1 && evaluations > most / least)
    evaluations = std::min(evaluations, most / std::min(2 * least, all + 1));
  return one_iteration(evaluations, limits);
}

std::uint64_t samples_for_scale(std::uint64_t budget) {
  return std::clamp<std::uint64_t>(budget / policy<VegasPolicy>().scale_part, 2, policy<VegasPolicy>().most_for_scale);
}

int bins_for(int wanted, int axes, std::uint64_t budget) {
  auto const& by = policy<VegasPolicy>();
  bool const many = axes > max_dimension;
  int const most = many ? std::min(wanted, by.bins_of_many_axes) : wanted;
  auto const samples = by.samples_per_bin * (many ? static_cast<unsigned>(axes) : 1u);
  return static_cast<int>(std::clamp<std::uint64_t>(budget / samples, 1, static_cast<unsigned>(most)));
}

MapStrategy::MapStrategy(MapEngine& engine, MapMemory& memory, Estimates& estimates, Communicator const& ranks,
                         Request const& request, int dimension, int driver, std::uint64_t seed, NonFinite non_finite,
                         ValueScale const& scale)
    : engine_(engine), memory_(memory), run_(estimates), ranks_(ranks), limits_(request.limits), where_(request.where),
      dimension_(dimension), driver_(driver), seed_(seed), loop_(engine, estimates, ranks, non_finite, scale) {
  run_.count_early(dimension);
  run_.driven_by(driver);
}

int MapStrategy::bins(int wanted, int axes, std::uint64_t budget) const {
  auto const map = engine_.map();
  require(!memory_.given || map.axes == axes, "axes of the map", map.axes,
          "the box and the options require " + std::to_string(axes), where_);
  int const factors = std::max(axes, dimension_); // of a point's weight, of one map, too
  return memory_.given ? map.bins : bins_for(wanted, factors, budget);
}

bool MapStrategy::fresh(int axes, int bins) const {
  auto const map = engine_.map();
  return map.axes != axes || map.bins != bins;
}

bool MapStrategy::fits(std::size_t bytes) const {
  return bytes <= limits_.bytes && (bytes <= little_memory || ranks_.least(engine_.free_share()) >= bytes);
}

void MapStrategy::hold(std::size_t bytes) {
  if (!fits(bytes))
    run_.give_up(Status::memory_exhausted);
  engine_.limit_batches(limits_.bytes - std::min(limits_.bytes, bytes));
}

std::optional<Drawn> MapStrategy::draw(SamplingPlan plan) {
  plan.stream = memory_.stream;
  auto drawn = loop_.draw(plan);
  if (drawn)
    ++memory_.stream;
  return drawn;
}

SamplingPlan MapStrategy::few(std::uint64_t samples, bool trains) const {
  Strata<dynamic> const strata(dimension_, samples);
  return {.samples = strata.all(), .strata = strata, .purpose = Purpose::scale, .trains = trains, .even = true};
}

bool MapStrategy::measure_scale(std::uint64_t budget) {
  auto plan = few(samples_for_scale(budget), true);
  plan.estimates = false;
  auto drawn = draw(plan);
  if (drawn && engine_.weights().balanced()) {
    balance(*drawn);
    run_.count(drawn->samples);
    drawn = draw(plan);
  }
  if (!drawn)
    return false;
  run_.count(drawn->samples);
  engine_.set_scale(drawn->largest);
  return true;
}

void MapStrategy::find_shape(std::uint64_t budget) {
  auto found = engine_.measure_axes(Stream(seed_, memory_.stream++), samples_for_scale(budget), loop_.scale().factor());
  memory_.shape = std::move(found.variances);
  clear_ = found.clear;
  run_.count(found.samples);
}

void MapStrategy::refine(Damping damping, Drawn const& drawn, double growth) {
  auto const& weights = engine_.driving();
  bool const known = driving(drawn.driving.error, weights) <
                     policy<VegasPolicy>().known_by_many_axes * driving(drawn.driving.value, weights);
  if (dimension_ > max_dimension && !known)
    damping.alpha = 0;
  engine_.refine_map(damping, growth * drawn.largest);
}

void MapStrategy::add(Drawn&& drawn, bool adapting) {
  drawn.step.adaptive = adapting;
  drawn.step.largest = driver_ == 0 ? loop_.scale().restored(drawn.largest) : 0;
  loop_.add(std::move(drawn));
}

} // namespace kubature::detail
