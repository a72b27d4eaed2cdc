#include <kubature/detail/many/vegas_many.hpp>

#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/policies/vegas_policy.hpp>
#include <kubature/detail/vegas/map_strategy.hpp>
#include <kubature/detail/vegas_plus/redistribution.hpp>
#include <kubature/detail/vegas_plus/training.hpp>
#include <kubature/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace kubature::detail {

ManyVegas::ManyVegas(VegasPlus<Fp64> const& options, ManySamplesEngine& engine, ManyRows const& rows, int dimension,
                     int components, int driver, Request const& request)
    : options_(options), engine_(engine), rows_(rows), dimension_(dimension), components_(components), driver_(driver),
      request_(request), iterations_(options.iterations > 0      ? options.iterations
                                     : request.tolerance.asked() ? policy<VegasPolicy>().most_iterations
                                                                 : policy<VegasPolicy>().iterations),
      budget_(first_iteration(options.evaluations, share(), options.skip, iterations_)),
      bins_(bins_for(wanted_bins(options.bins, options.evaluations), dimension,
                     one_iteration(options.evaluations, share()))),
      strata_(dimension, spread_evenly(part_by_weight(options.redistribute), budget_)),
      samples_(std::max(budget_, strata_.all())), record_(rows.size, components, Described<VegasPlus<>>::name) {
  require(options.skip < iterations_, "VegasPlus.skip", options.skip,
          "at least one of the " + std::to_string(iterations_) + " iterations must be included", request.where);
}

ManyVegas::Integral::Integral(Request const& request, int dimension, int components, int driver, std::uint32_t slot)
    : estimates(epsilon<Fp64>, Described<VegasPlus<>>::name, components, components, request),
      weights(driver, components), task{slot} {
  estimates.count_early(dimension);
}

/// The limits of each integral; time is kept for all of them.
Limits ManyVegas::share() const {
  auto limits = request_.limits;
  limits.seconds = Limits{}.seconds;
  if (limits.evaluations < Limits{}.evaluations)
    limits.evaluations = std::max<std::uint64_t>(1, limits.evaluations / rows_.total);
  return limits;
}

bool ManyVegas::weighted() const { return options_.beta > 0 && part_by_weight(options_.redistribute) > 0; }

ManyRecord ManyVegas::compute() {
  auto const count = static_cast<std::size_t>(rows_.size);
  auto const wave = std::min(engine_.room(strata_, samples_, bins_, request_.limits.bytes), count);
  for (std::size_t first = 0; wave > 0 && first < count;) {
    auto const size = std::min(wave, count - first);
    if (!compute(first, size)) {
      for (std::size_t i = first + size; i < count; ++i)
        record_.status[i] = stopped_ ? Status::stopped : Status::time_limit;
      break;
    }
    first += size;
  }
  record_.seconds = timer_.seconds();
  return std::move(record_);
}

/// Computes a wave. @returns false if time is up, or the callback has stopped the call
bool ManyVegas::compute(std::size_t first, std::size_t size) {
  static Callback const none;
  engine_.begin(first, size, strata_, bins_, weighted());
  integrals_.clear();
  auto const request = request_.within(share()).reporting_to(none);
  for (std::size_t k = 0; k < size; ++k)
    integrals_.emplace_back(request, dimension_, components_, driver_, static_cast<std::uint32_t>(k));
  measure_scales();
  for (int i = 0;; ++i) {
    std::vector<std::uint32_t> open;
    for (std::size_t k = 0; k < size; ++k) {
      auto& integral = integrals_[k];
      if (!integral.ended && !integral.estimates.wants_more(iterations_, samples_))
        end(first + k, integral);
      if (!integral.ended)
        open.push_back(static_cast<std::uint32_t>(k));
    }
    auto const done = first + size - open.size();
    stopped_ = request_.callback && !request_.callback(record_.progress(done, timer_.seconds()));
    bool const over = timer_.seconds() >= request_.limits.seconds;
    if (stopped_ || over)
      for (auto const k : open) {
        end(first + k, integrals_[k]);
        record_.status[first + k] = stopped_ ? Status::stopped : Status::time_limit;
      }
    if (stopped_ || over || open.empty())
      return !stopped_ && !over;
    iterate(open, i);
  }
}

/// Determines from a few samples of each integral how large its weights are; from earlier ones, the shares in which its
/// components drive.
void ManyVegas::measure_scales() {
  Strata<dynamic> const few(dimension_, samples_for_scale(budget_));
  std::vector<std::uint32_t> all(integrals_.size());
  std::iota(all.begin(), all.end(), 0u);
  for (int left = integrals_[0].weights.balanced() ? 2 : 1; left > 0; --left) {
    auto const found = draw(all, {.strata = few, .samples = few.all(), .iteration = 0, .adapting = true});
    for (auto const k : all) {
      auto& integral = integrals_[k];
      integral.estimates.count(found[k].samples);
      if (found[k].largest > 0)
        integral.task.scale = FixedPoint::target / found[k].largest;
      if (left > 1)
        integral.weights.learn(found[k].magnitudes);
    }
  }
}

/// Makes an iteration of the integrals that have not ended.
void ManyVegas::iterate(std::vector<std::uint32_t> const& open, int i) {
  bool const adapting = i < options_.adapt;
  auto found = draw(open, {.strata = strata_,
                           .samples = samples_,
                           .iteration = static_cast<std::uint32_t>(i) + 1,
                           .estimates = true,
                           .adapting = adapting,
                           .weighted = weighted()});
  if (adapting)
    engine_.adapt(damping(options_.alpha, options_.evaluations, dimension_, i), weighted());
  for (std::size_t n = 0; n < open.size(); ++n) {
    auto& integral = integrals_[open[n]];
    auto& drawn = found[n];
    if (adapting) {
      double const largest = integral.weights.learn(drawn.magnitudes) * drawn.largest;
      if (largest > 0)
        integral.task.scale = FixedPoint::target / largest;
      integral.task.weights = drawn.weights;
    }
    drawn.step.iteration.included = i >= options_.skip;
    drawn.step.adaptive = adapting;
    drawn.step.largest = driver_ == 0 ? drawn.largest : 0;
    integral.estimates.add(std::move(drawn.step), options_.non_finite);
  }
}

std::vector<Drawn> ManyVegas::draw(std::vector<std::uint32_t> const& which, ManyPlan plan) {
  for (auto const k : which)
    plan.tasks.push_back(integrals_[k].task);
  for (auto const& integral : integrals_)
    plan.drive.insert(plan.drive.end(), integral.weights.values().begin(), integral.weights.values().end());
  return engine_.draw(plan);
}

void ManyVegas::end(std::size_t number, Integral& integral) {
  auto result = integral.estimates.finish();
  record_.value[number] = std::move(result.value);
  record_.error[number] = std::move(result.error);
  record_.status[number] = result.status;
  record_.non_finite[number] = result.non_finite;
  record_.evaluations += result.evaluations;
  integral.ended = true;
}

} // namespace kubature::detail
