#include <kubature/detail/mcubes/mcubes_strategy.hpp>

#include <kubature/detail/policies/vegas_policy.hpp>

#include <algorithm>
#include <utility>

namespace kubature::detail {

McubesStrategy::McubesStrategy(MCubes<Fp64> const& options, MapEngine& engine, MapMemory& memory, Estimates& estimates,
                               Communicator const& ranks, Request const& request, int dimension, int driver,
                               ValueScale const& scale)
    : MapStrategy(engine, memory, estimates, ranks, request, dimension, driver, options.seed, options.non_finite,
                  scale),
      options_(options), axes_(options.one_map ? 1 : dimension),
      samples_(first_iteration(options.evaluations, limits_, options.skip, options.iterations)),
      bins_(bins(options.bins, axes_, one_iteration(options.evaluations, limits_))), fresh_(fresh(axes_, bins_)) {
  run_.confirm(policy<VegasPolicy>().mcubes_least_iterations);
  if (fresh_)
    memory_.shape.clear();
  else
    loop_.scale().restore(engine_.map().exponent);
  set_samples(samples_);
  hold(engine_.bytes(samples_, strata_, axes_, bins_));
}

void McubesStrategy::set_samples(std::uint64_t samples) {
  samples_ = samples;
  strata_ = Strata<dynamic>(dimension_, samples, memory_.shape);
}

void McubesStrategy::run() {
  if (fresh_ && !run_.ended())
    engine_.reset_map(axes_, bins_);
  auto const schedule =
      loop_.find_schedule(samples_, options_.iterations, [this](std::uint64_t n) { return few(n, false); });
  if (run_.counted() > 0) {
    auto left = limits_;
    left.evaluations = run_.evaluations_left();
    auto const samples = first_iteration(schedule.samples, left, options_.skip, schedule.iterations);
    if (samples < samples_ && fresh_) {
      bins_ = bins(options_.bins, axes_, samples);
      engine_.reset_map(axes_, bins_);
    }
    set_samples(samples);
  }
  for (int i = 0; run_.wants_more(schedule.iterations, strata_.all()) && iterate(i); ++i)
    ;
}

/// @returns false if the call has ended meanwhile
bool McubesStrategy::iterate(int i) {
  int const skip = fresh_ ? options_.skip : 0;
  bool const adapting = i < options_.adapt;
  if (adapting && i == 0 && !measure_scale(samples_))
    return false;
  if (options_.restratify && i == skip && memory_.shape.empty() && run_.evaluations_left() / 2 > samples_) {
    find_shape(samples_);
    set_samples(samples_);
  }
  auto drawn = draw({.samples = strata_.all(), .strata = strata_, .trains = adapting});
  if (!drawn)
    return false;
  if (adapting)
    refine({options_.alpha}, *drawn, balance(*drawn));
  drawn->step.iteration.included = i >= skip;
  add(std::move(*drawn), adapting);
  return true;
}

} // namespace kubature::detail
