#include <kubature/detail/vegas_plus/vegas_strategy.hpp>

#include "vegas_plus/growth.hpp"

#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/detail/vegas_plus/training.hpp>
#include <kubature/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace kubature::detail {
namespace {

constexpr std::uint32_t trial_streams = 0x80000000; ///< the first random numbers of trials

/// Strata for `samples` samples: as many as fit with their weights into `bytes`, or one.
Strata<dynamic> strata_within(int dimension, std::uint64_t samples, std::size_t bytes, std::span<double const> shape) {
  Strata<dynamic> strata(dimension, samples, shape);
  for (std::uint64_t fewer = samples; bytes_of_strata(strata.cubes) > bytes && strata.cubes > 1;) {
    auto const needed = static_cast<double>(bytes_of_strata(strata.cubes));
    fewer = std::min(fewer / 2,
                     static_cast<std::uint64_t>(static_cast<double>(fewer) * static_cast<double>(bytes) / needed));
    strata = Strata<dynamic>(dimension, std::max<std::uint64_t>(2, fewer), shape);
    strata.samples = std::max<std::uint64_t>(2, samples / strata.cubes);
  }
  return strata;
}

/// Whether two iterations may be estimates of the same integral, judged by the components that drive the map.
bool consistent(Iteration<std::vector<double>> const& a, Iteration<std::vector<double>> const& b,
                ComponentWeights const& weights) {
  auto away = a.value;
  for (std::size_t c = 0; c < away.size(); ++c)
    away[c] -= b.value[c];
  return driving(away, weights) <
         policy<VegasPolicy>().consistent * std::hypot(driving(a.error, weights), driving(b.error, weights));
}

/// The number of iterations of this many evaluations likely to follow the one being drawn.
/// @param asked whether the call has a tolerance
double iterations_ahead(Estimates const& run, int iterations, std::uint64_t evaluations, bool asked) {
  auto const each = static_cast<double>(evaluations);
  double const most = std::min(static_cast<double>(iterations - 1) - static_cast<double>(run.steps().size()),
                               static_cast<double>(run.evaluations_left()) / each);
  return asked ? std::min(most, run.missing() / each) : most;
}

} // namespace

VegasStrategy::VegasStrategy(VegasPlus<Fp64> const& options, CheckpointFile const& file, VegasEngine& engine,
                             VegasMemory& memory, Estimates& estimates, Communicator const& ranks,
                             Request const& request, VegasCall const& call, ValueScale const& scale)
    : MapStrategy(engine, memory, estimates, ranks, request, call.dimension, call.driver, options.seed,
                  options.non_finite, scale),
      options_(options), file_(file), vegas_(engine), kept_(memory), call_(call), asked_(request.tolerance.asked()),
      iterations_(options.iterations > 0 ? options.iterations
                  : asked_               ? policy<VegasPolicy>().most_iterations
                                         : policy<VegasPolicy>().iterations),
      budget_(first_iteration(options.evaluations, limits_, options.skip, iterations_)),
      axes_(options.one_map ? 1 : dimension_),
      bins_(bins(wanted_bins(options.bins, options.evaluations), axes_, one_iteration(options.evaluations, limits_))),
      evaluations_(budget_), fresh_(fresh(axes_, bins_)) {
  require(!fresh_ || options.skip < iterations_, "VegasPlus.skip", options.skip,
          "at least one of the " + std::to_string(iterations_) + " iterations must be included", where_);
  if (file.wanted())
    run_.keep_correlations();
}

bool VegasStrategy::go_on(PausableCall::Pause const& pause) {
  if (!std::exchange(begun_, true))
    begin();
  while (run_.wants_more(iterations_, evaluations_)) {
    if (run_.done() > 0 && pause(run_, evaluations_))
      return false;
    if (!iterate())
      break;
    save_now_and_then();
  }
  leave_checkpoint();
  return true;
}

void VegasStrategy::begin() {
  bool const resumed =
      file_.load(call_.agreement, where_, [&](Archive& archive, std::string const& other) { resume(archive, other); });
  if (!resumed && fresh_) {
    memory_.shape.clear();
    engine_.reset_map(axes_, bins_);
    kept_.forget_strata();
    vegas_.forget_weights();
  }
  loop_.scale().restore(engine_.map().exponent);
  hold(bytes());
  if (!resumed)
    fit_in_time();
}

/// Shortens iterations as the time limit requires (see find_schedule).
void VegasStrategy::fit_in_time() {
  auto const schedule = loop_.find_schedule(budget_, iterations_, [this](std::uint64_t n) { return few(n, false); });
  if (run_.counted() == 0)
    return;
  auto left = limits_;
  left.evaluations = run_.evaluations_left();
  iterations_ = schedule.iterations;
  auto const samples = first_iteration(schedule.samples, left, options_.skip, schedule.iterations);
  if (samples < budget_ && fresh_) {
    bins_ = bins(wanted_bins(options_.bins, samples), axes_, samples);
    engine_.reset_map(axes_, bins_);
  }
  budget_ = evaluations_ = samples;
}

/// @returns false if the call has ended meanwhile: the iteration is then excluded
bool VegasStrategy::iterate() {
  auto const i = static_cast<int>(run_.steps().size());
  bool const adapting = i < options_.adapt;
  auto const stream = memory_.stream;
  auto const counted = run_.counted();
  if (adapting && i == 0 && !measure_scale(budget_))
    return false;
  if (options_.restratify == true && i == (fresh_ ? options_.skip : 0) && memory_.shape.empty() &&
      run_.evaluations_left() / 2 > evaluations_) {
    find_shape(budget_);
    allocated_ = 0;
  }
  auto const strata = allocate(adapting);
  auto drawn = draw_iteration(strata, Purpose::estimate, adapting);
  if (!drawn || (adapting && !try_others(strata, *drawn))) {
    memory_.stream = stream; // a call that resumes from here measures the scale again
    run_.uncount(run_.counted() - counted);
    return false;
  }
  if (adapting)
    adapt(strata, *drawn, fresh_ ? i : -1);
  if (std::exchange(trial_pays_, false)) {
    std::swap(memory_.shape, other_shape_);
    vegas_.exchange();
    vegas_.end_trial();
  }
  drawn->step.iteration.included = !fresh_ || i >= options_.skip;
  add(std::move(*drawn), adapting);
  evaluations_ = grown(run_, evaluations_, options_.evaluations);
  if (adapting && kept_.redistribution.outgrown(evaluations_))
    kept_.redistribution.restart();
  return true;
}

void VegasStrategy::save_now_and_then() {
  if (!file_.wanted() || run_.ended() || !ranks_.any(since_saved_.seconds() >= options_.checkpoint.seconds))
    return;
  save();
  since_saved_.reset();
}

void VegasStrategy::leave_checkpoint() {
  Status const status = run_.status();
  if (status == Status::converged || status == Status::completed)
    file_.forget();
  else if (status != Status::non_finite && status != Status::memory_exhausted && file_.wanted())
    save();
}

void VegasStrategy::save() {
  file_.save(call_.agreement, where_, [&](Archive& archive) { transfer(archive, true); });
}

/// @param other precision of the iterations in the checkpoint, if it is not that of the call
void VegasStrategy::resume(Archive& archive, std::string const& other) {
  transfer(archive, other.empty());
  if (!other.empty())
    run_.remark("the checkpoint's iterations in " + other +
                " trained map and strata, and are left out of the estimate");
}

/// Everything on which later iterations depend, in the same order for saving and loading (docs/files.md).
/// @param estimates whether those of the file count, or have only trained map and strata
void VegasStrategy::transfer(Archive& archive, bool estimates) {
  std::uint64_t counted = run_.counted();
  archive.transfer(evaluations_);
  archive.transfer(fresh_);
  archive.transfer(memory_.stream);
  archive.transfer(counted);
  // At most the growth limit of iterations, and in all no more than can be counted.
  archive.expect(evaluations_ >= 2 &&
                     static_cast<double>(evaluations_) <= most_growth * static_cast<double>(options_.evaluations),
                 "the size of an iteration cannot occur in this call");
  auto steps = run_.steps();
  detail::transfer(archive, steps, counted, call_.layout);
  detail::transfer(archive, engine_.weights());
  transfer_map(archive, vegas_, axes_);
  transfer_strata(archive, vegas_, dimension_);
  kept_.redistribution.transfer(archive);
  kept_.restratification.transfer(archive);
  if (options_.restratify == true || kept_.restratification.learns())
    detail::transfer(archive, memory_.shape, dimension_);
  archive.finish();
  if (!archive.loading())
    return;
  run_.count(counted);
  if (estimates)
    return run_.resume(steps);
  fresh_ = false;
  for (auto const& step : steps)
    run_.count(step.iteration.evaluations);
}

/// Whether cubes have weights.
bool VegasStrategy::weighted() const { return options_.beta > 0 && kept_.redistribution.part() > 0; }

/// The cubes for an iteration: as many as the evaluations allow, or fewer if memory is short.
Strata<dynamic> VegasStrategy::stratify(bool adapting) {
  auto const evenly = spread_evenly(kept_.redistribution.part(), evaluations_);
  Strata<dynamic> strata(dimension_, evenly, memory_.shape);
  if (!adapting && vegas_.sum_of_weights() == 0)
    return strata;
  auto const needed = [&] { return weighted() ? bytes_of_strata(strata.cubes) : 0; };
  auto room = bytes_left();
  if (needed() > little_memory && needed() > kept_.granted)
    room = std::min(room, ranks_.least(engine_.free_share() / 10 * 9 + vegas_.bytes_of_weights()));
  if (needed() > room && strata.cubes > 1) {
    strata = strata_within(dimension_, evenly, room, memory_.shape);
    run_.remark("memory was short: fewer strata than the evaluations call for");
  }
  kept_.granted = std::max(kept_.granted, needed());
  return strata;
}

/// Chooses strata for the next iteration, and allocates its samples to them unless the last allocation is still valid.
Strata<dynamic> VegasStrategy::allocate(bool adapting) {
  auto const strata = stratify(adapting);
  vegas_.cut(strata);
  vegas_.allocate(strata, evaluations_, allocated_ != evaluations_);
  allocated_ = evaluations_;
  return strata;
}

/// Draws the samples of all strata, as allocated.
std::optional<Drawn> VegasStrategy::draw_iteration(Strata<dynamic> const& strata, Purpose purpose, bool adapting) {
  return draw({.samples = evaluations_,
               .strata = strata,
               .purpose = purpose,
               .trains = adapting && purpose != Purpose::trial,
               .weighs = adapting && weighted(),
               .estimates = purpose == Purpose::estimate});
}

/// Whether redistribution is likely to make a difference: some axis matters, and gets at least twice as many strata as
/// it has.
bool VegasStrategy::differs(Strata<dynamic> const& even, Strata<dynamic> const& shaped) const {
  return clear_ && shaped.most(dimension_) >= 2 * even.most(dimension_);
}

/// Draws an iteration again, from the same map, in strata that are distributed among the axes by variance, and sets
/// these aside if they are worth it. It uses separate random numbers, so if they are not, later iterations have the
/// same bits as without the trial.
/// @returns false if the call ended meanwhile
bool VegasStrategy::try_others(Strata<dynamic> const& strata, Drawn const& drawn) {
  if (call_.layout.separate) // a trial would overwrite the sums of all components
    return true;
  auto& trial = kept_.restratification;
  auto const& weights = engine_.driving();
  auto const before = trial;
  auto const samples = drawn.driving.evaluations;
  trial.learn(driving(drawn.driving.error, weights), samples);
  double const ahead = iterations_ahead(run_, iterations_, evaluations_, asked_);
  if (!trial.tries(static_cast<double>(strata.cubes), dimension_, ahead) ||
      !fits(bytes() + 2 * bytes_of_strata(strata.cubes)))
    return true;
  auto const stream = std::exchange(memory_.stream, memory_.stream | trial_streams);
  other_shape_.clear();
  find_shape(4 * budget_); // half of an iteration, or the maximum
  vegas_.begin_trial();
  bool ended = false, pays = false;
  // Without weights for these strata the first iteration spreads its samples evenly.
  for (int left = weighted() ? 2 : 1; left > 0; --left) {
    allocated_ = 0;
    auto const parts = allocate(true);
    if (!differs(strata, parts))
      break;
    auto const tried = draw_iteration(parts, Purpose::trial, true);
    ended = !tried;
    if (ended)
      break;
    run_.count(tried->samples);
    if (weighted())
      vegas_.accept_weights(tried->weights);
    double const error = driving(tried->driving.error, weights);
    pays = left == 1 && trial.pays(error, samples) && consistent(tried->driving, drawn.driving, weights);
    if (!trial.may_pay(error, samples))
      break;
  }
  std::swap(memory_.shape, other_shape_);
  vegas_.exchange();
  memory_.stream = stream;
  trial_pays_ = pays;
  if (!pays)
    vegas_.end_trial();
  if (ended)
    trial = before;
  else
    trial.end();
  return !ended;
}

/// Adapts map and strata to the iteration.
void VegasStrategy::adapt(Strata<dynamic> const& strata, Drawn const& drawn, int training) {
  double const unit = FixedPoint::target / engine_.map().scale; // of the cubes' deviations
  auto const weights = engine_.driving();
  double const growth = balance(drawn);
  refine(damping(options_.alpha, options_.evaluations, dimension_, training, resolved(drawn.driving, weights)), drawn,
         growth);
  allocated_ = 0;
  if (!weighted())
    return;
  vegas_.accept_weights(drawn.weights);
  double spread = 0;
  for (std::size_t c = 0; c < weights.values().size(); ++c)
    spread += weights.values()[c] * weights.values()[c] * drawn.spreads[c];
  auto const cubes = static_cast<double>(strata.cubes), per_cube = static_cast<double>(drawn.samples) / cubes;
  double gain = 0, finer = 0;
  if (kept_.redistribution.asks(cubes, dimension_)) {
    gain = vegas_.sum_of_powers(2 / options_.beta, unit * unit / (per_cube * spread));
    finer = static_cast<double>(Strata<dynamic>(dimension_, evaluations_, memory_.shape).cubes);
  }
  if (kept_.redistribution.learn(evaluations_, cubes, finer, dimension_, gain))
    vegas_.forget_weights();
}

} // namespace kubature::detail
