#include <kubature/detail/call/estimates.hpp>

#include <kubature/covariance.hpp>
#include <kubature/detail/allowed_errors.hpp>
#include <kubature/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace kubature::detail {
namespace {

constexpr char const* disagreement = "the iterations disagree by more than their errors: do not trust the error";

} // namespace

Estimates::Estimates(double epsilon, std::string_view method, int components, int used, Request const& request,
                     Communicator const& ranks)
    : CallState(method, components, request, ranks), epsilon_(epsilon), used_(used),
      of_(static_cast<std::size_t>(components)), alone_(of_.size()) {}

bool Estimates::wants_more(int iterations, std::uint64_t evaluations) {
  if (ended())
    return false;
  if (done() >= std::min(iterations, limits_.iterations))
    return conclude(tolerance_.asked() || done() < iterations ? Status::iteration_limit : Status::completed);
  if (limits_.evaluations < result_.evaluations + evaluations)
    return conclude(Status::evaluation_limit);
  keep_time();
  return !ended();
}

/// No error is below the rounding of the value.
void Estimates::floor(Step& step) const {
  auto& iteration = step.iteration;
  for (std::size_t c = 0; c < of_.size(); ++c)
    if (double const least = epsilon_ * std::abs(iteration.value[c]); iteration.error[c] < least) {
      iteration.error[c] = least;
      forget_correlations(iteration.correlations, c); // due to rounding only
    }
}

void Estimates::add(Step step, NonFinite policy) {
  floor(step);
  auto& included = step.iteration.included;
  included = included || counting_ || (early_ && tolerance_.asked() && within(step));
  take(step);
  if (tolerance_.asked() || watched())
    combine_jointly();
  if (step.serious > 0 && policy == NonFinite::error)
    return give_up(Status::non_finite);
  report();
  conclude_if_met();
}

void Estimates::keep_pilot(Step step, NonFinite policy) {
  count(step.iteration.evaluations);
  if (step.serious == 0 || policy != NonFinite::error) {
    floor(step);
    reserve_ = std::move(step);
  }
}

void Estimates::resume(std::vector<Step> const& steps) {
  for (Step const& step : steps)
    take(step);
  combine_jointly();
  conclude_if_met();
}

double Estimates::missing() const {
  if (!tolerance_.asked() || of_[0].count() < 2 || without_variance())
    return 0;
  double const worst = this->worst();
  return std::max(0.0, included() * (worst * worst - 1));
}

double Estimates::included() const {
  double included = 0;
  for (auto const& iteration : result_.iterations)
    included += iteration.included ? static_cast<double>(iteration.evaluations) : 0;
  return included;
}

double Estimates::left_for_samples() const {
  return static_cast<double>(evaluations_left()) - Audits::cost(static_cast<double>(limits_.evaluations));
}

SeveralResult Estimates::finish() {
  if (auto const step = take_reserve())
    take(*step);
  if (status() != Status::non_finite && status() != Status::memory_exhausted) {
    combine_jointly();
    audit();
  }
  remark_flaws();
  for (std::size_t c = 0; c < used(); ++c)
    for (auto const& sentence : audits_.remarks(static_cast<int>(c), value(c), error(c)))
      remark(sentence);
  return CallState::finish();
}

bool Estimates::by_matrices() const { return of_.size() <= static_cast<std::size_t>(most_correlated); }

bool Estimates::bystander(std::size_t c) const {
  return driver_ && *driver_ != static_cast<int>(Driver::balanced) && static_cast<int>(c) != *driver_;
}

/// What the tolerance allows to each component in use, of an estimate of them.
std::vector<Allowed> Estimates::allowed(std::vector<double> const& values, std::vector<double> const& errors) const {
  if (!tolerance_.asked())
    return std::vector<Allowed>(used());
  auto const allowed = allowed_errors(tolerance_, std::span(values).first(used()), std::span(errors).first(used()));
  return {allowed.begin(), allowed.end()};
}

/// Whether each estimate is well within the tolerance, and its error exceeds the rounding of maps for a constant.
bool Estimates::within(Step const& step) const {
  double const early_part = policy<CallPolicy>().early_part;
  auto const allowed = this->allowed(step.iteration.value, step.iteration.error);
  for (std::size_t c = 0; c < used(); ++c) {
    double const value = step.iteration.value[c], error = step.iteration.error[c];
    if (!(error > std::max(64 * epsilon_, 1e-10) * std::abs(value) && error <= early_part * allowed[c].value_or(0)))
      return false;
  }
  return true;
}

/// Whether at least two iterations that agree meet the tolerance in every component.
bool Estimates::met() const {
  auto const allowed = this->allowed(result_.value, result_.error);
  for (std::size_t c = 0; c < used(); ++c)
    if (!of_[c].met(allowed[c], error(c), least_chance()) &&
        (used_ == 1 || !of_[c].zeros())) // zero is exact if other components vary
      return false;
  return true;
}

bool Estimates::without_variance() const {
  for (std::size_t c = 0; c < used(); ++c)
    if (!of_[c].without_variance())
      return false;
  return true;
}

/// The largest error, in units of the allowed error.
double Estimates::worst() const {
  auto const allowed = this->allowed(result_.value, result_.error);
  double worst = 0;
  for (std::size_t c = 0; c < used(); ++c)
    worst = std::max(worst, excess(allowed[c], error(c)));
  return worst;
}

/// The estimate of a call that was cut short before any iteration counted: the last iteration, which trained the map,
/// or the pilot.
std::optional<Step> Estimates::take_reserve() {
  if (!cut_short() || counting_)
    return {};
  if (!steps_.empty()) {
    reserve_ = std::move(steps_.back());
    steps_.pop_back();
    result_.iterations.pop_back();
    count_non_finite(0 - reserve_->non_finite, 0 - reserve_->serious); // unsigned, so this takes them back
    remark("the call ended before the map was trained: this is the estimate of the last iteration alone");
  } else if (reserve_) {
    remark("the call ended within its first iteration: this is the estimate of " +
           std::to_string(reserve_->iteration.evaluations) + " samples that were drawn before");
  } else {
    return {};
  }
  result_.evaluations -= reserve_->iteration.evaluations;
  reserve_->iteration.included = true;
  return reserve_;
}

/// Adds a step to the result's iterations.
void Estimates::take(Step const& step) {
  auto const& iteration = step.iteration;
  if (!steps_.empty() && !keep_ && !by_matrices())
    steps_.back().iteration.correlations.clear();
  steps_.push_back(step);
  counting_ = counting_ || iteration.included;
  result_.iterations.push_back(iteration);
  if (!by_matrices())
    result_.iterations.back().correlations.clear();
  result_.evaluations += iteration.evaluations;
  count_non_finite(step.non_finite, step.serious);
  on_poles_ += iteration.included ? static_cast<double>(step.on_poles) : 0;
  for (std::size_t c = 0; c < of_.size(); ++c)
    take_component(c, step);
  if (of_.size() == 1) {
    result_.chi2 = of_[0].mean().chi2;
    result_.dof = of_[0].mean().dof;
  } else if (!iteration.correlations.empty()) {
    auto const samples = static_cast<double>(iteration.evaluations);
    JointErrors errors{iteration.error, iteration.correlations};
    if (by_matrices())
      joint_.add(iteration.value, std::move(errors), samples, step.adaptive, iteration.included);
    else
      mean_.add(iteration.value, errors, samples, step.degrees, step.adaptive, iteration.included);
    uncombined_ = uncombined_ || iteration.included;
  }
}

void Estimates::take_component(std::size_t c, Step const& step) {
  auto const& iteration = step.iteration;
  of_[c].add(iteration.value[c], iteration.error[c], static_cast<double>(iteration.evaluations), step.adaptive,
             iteration.included, epsilon_, c > 0 ? 0 : step.largest);
  if (!iteration.included)
    return;
  Combined const& all = of_[c].mean();
  result_.value[c] = all.value;
  double const by_chance = policy<CallPolicy>().disagree_by_chance;
  double const chance = by_matrices() ? by_chance : by_chance / static_cast<double>(of_.size());
  set_error(c, std::max(of_[c].error(epsilon_, chance), lost(c)));
  result_.chi2_per_dof[c] = all.chi2_per_dof();
  result_.q_value[c] = all.q_value();
}

/// Computes the mean of all components together, if their correlations are known. It replaces the separate mean of
/// each, whose chi^2 is kept; errors are widened if either requires it (see widened_error). Slow for many components.
void Estimates::combine_jointly() {
  if (!std::exchange(uncombined_, false))
    return;
  JointCombined all;
  if (by_matrices()) {
    std::vector<std::vector<Estimate>> single;
    std::vector<Combined> means;
    for (auto const& one : of_) {
      single.push_back(one.estimates());
      means.push_back(one.mean());
    }
    all = joint_.combine(single, means);
  } else {
    all = mean_.combined();
  }
  double const factor = by_matrices() ? widening({0, 0, all.chi2, all.dof}) : 1;
  for (std::size_t c = 0; c < of_.size(); ++c) {
    bool const widened = alone_[c] > of_[c].mean().error;
    double const jointly = factor * all.errors.error[c];
    result_.value[c] = all.value[c];
    set_error(c,
              std::max({widened ? std::max(alone_[c], jointly) : jointly, epsilon_ * std::abs(all.value[c]), lost(c)}));
  }
  result_.correlations = std::move(all.errors.correlations);
  result_.chi2 = all.chi2;
  result_.dof = all.dof;
}

/// Sets the error of a component, from its iterations.
void Estimates::set_error(std::size_t c, double error) {
  alone_[c] = error;
  result_.error[c] = audits_.error(static_cast<int>(c), value(c), error);
}

/// Ends the call, converged if its estimate meets the tolerance. Always false.
bool Estimates::conclude(Status status) {
  if (of_[0].count() >= 2 && !without_variance() && met()) // with no iteration left to confirm it
    end_if_sound();
  return ended() ? false : end(of_[0].count() == 0 || !without_variance() ? status : Status::no_variance);
}

void Estimates::conclude_if_met() {
  if (ended())
    return;
  if (tolerance_.asked() && of_[0].count() >= 2 && without_variance())
    end(Status::no_variance);
  met_in_a_row_ = of_[0].count() >= 2 && !ended() && met() ? met_in_a_row_ + 1 : 0;
  if (of_[0].count() >= least_ && met_in_a_row_ >= in_a_row_ && !ended())
    end_if_sound();
}

/// Ends the call as converged, unless an audit finds that more samples are needed, or would be in vain.
void Estimates::end_if_sound() {
  audit();
  if (met())
    end(heavy() ? Status::no_variance : Status::converged);
  else if (out_of_reach())
    end(Status::precision_limit);
  else
    met_in_a_row_ = 0;
}

/// See Audits. Errors include the findings from then on.
void Estimates::audit() {
  if (of_[0].count() < 2)
    return;
  count(audits_.audit(result_.evaluations, evaluations_left()));
  audits_.note_poles(on_poles_ / std::max(1.0, included()));
  for (std::size_t c = 0; c < used(); ++c)
    result_.error[c] = audits_.error(static_cast<int>(c), value(c), alone_[c]);
  result_.k_hat = audits_.k_hat();
}

bool Estimates::heavy() const {
  for (std::size_t c = 0; c < used(); ++c)
    if (audits_.no_variance(static_cast<int>(c), alone_[c]))
      return true;
  return false;
}

bool Estimates::out_of_reach() const {
  auto const allowed = this->allowed(result_.value, result_.error);
  for (std::size_t c = 0; c < used(); ++c)
    if (audits_.out_of_reach(static_cast<int>(c), value(c), allowed[c].value_or(0)))
      return true;
  return false;
}

/// Remarks on estimates that disagree or are unreliable, and on what may help: of several unreliable components, on the
/// first, and on the number of the others.
void Estimates::remark_flaws() {
  std::vector<double> excesses;
  std::vector<bool> disagree;
  bool const jointly = chi2_survival(result_.chi2, result_.dof) < policy<CallPolicy>().least_q;
  std::string first;
  int flawed = 0;
  auto const allowed = this->allowed(result_.value, result_.error);
  for (std::size_t c = 0; c < used(); ++c) {
    bool const disagrees = of_[c].disagree(allowed[c], least_chance());
    disagree.push_back(disagrees || lost(c) > 0);
    excesses.push_back(excess(allowed[c], error(c)));
    if (disagrees || (jointly && of_[c].far_apart(allowed[c])))
      remark(disagreement);
    auto const flaw = of_[c].flaw();
    if (!flaw.empty() && ++flawed == 1)
      first = "all values " + (used_ > 1 ? "of component " + std::to_string(c + 1) + " " : std::string()) + flaw;
  }
  if (!tolerance_.asked() || status() == Status::converged)
    excesses.clear();
  if (driver_ && used_ > 1)
    if (auto const advice = driver_advice(excesses, disagree, *driver_); !advice.empty())
      remark(advice);
  if (flawed > 0)
    remark(first + (flawed > 1 ? "; the same holds for " + std::to_string(flawed - 1) + " more" : std::string()));
}

} // namespace kubature::detail
