#include <kubature/detail/automatic/auto_strategy.hpp>

#include "call/agreement.hpp"

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/close_look.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/options.hpp>
#include <kubature/result.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <source_location>

namespace kubature::detail {
namespace {

/// A number of evaluations as remarks print it: "1.2e+07".
std::string number(double x) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1e", x);
  return text;
}

std::uint64_t points_of_rule(int dimension) {
  return CubatureRule(Rule::automatic, dimension, std::source_location::current()).points();
}

} // namespace

AutoStrategy::AutoStrategy(AutoPolicy const& policy, AutoEngine& engine, int dimension, Request const& request,
                           Communicator const& ranks)
    : policy_(policy), engine_(engine), dimension_(dimension), tolerance_(request.tolerance), limits_(request.limits),
      asked_(request.callback), ranks_(ranks), callback_([this](Progress progress) {
        progress.evaluations += of_others_;
        progress.seconds = timer_.seconds();
        return asked_(progress);
      }) {
  constexpr Limits none_at_all;
  if (limits_.evaluations == none_at_all.evaluations && limits_.seconds == none_at_all.seconds)
    limits_.evaluations = policy.unlimited;
}

SeveralResult AutoStrategy::finish() {
  for (double budget = policy_.first; !ended_ && alive(); budget *= policy_.growth) {
    auto const& sure = candidates_[sampling];
    if (sure.alive && sure.result && policy_.weight * sure.needed <= policy_.rest * budget) {
      chosen_ = "vegas+ was expected to need " + number(sure.needed) +
                " evaluations, and the others had not finished after " + number(budget / policy_.growth);
      attempt(sampling, std::max(2 * sure.needed, sure.budget));
      continue;
    }
    while (auto const next = ended_ ? std::nullopt : next_call(budget)) {
      chosen_ = next->why;
      attempt(next->method, next->evaluations, next->predicted);
    }
  }
  return answer();
}

/// Of the methods that are due, the one with the least work. A method that is predicted to need little more continues
/// at once, lattices after cubature.
std::optional<AutoStrategy::NextCall> AutoStrategy::next_call(double budget) {
  auto& samples = candidates_[sampling];
  if (auto const& found = candidates_[closest()].result; found && !samples.result)
    samples.needed = needed_by_sampling(found->value, policy_.scatter, tolerance_);
  for (int const m : by_prospect()) {
    auto const& of = candidates_[m];
    double const turn = turn_of(m, budget), more = policy_.growth * turn;
    bool const too_long =
        m == sampling && !of.result && std::isfinite(of.needed) && of.needed > policy_.most_turns * turn;
    if (!of.alive || too_long)
      continue;
    if (due(m, budget))
      return m == lattice && !of.result ? before_lattices(budget) : NextCall{m, turn};
    double const most = m == sampling ? more : std::max(more, policy_.at_once);
    double const next = m == sampling ? more : std::max(most, policy_.beyond_prediction * of.needed);
    if (next < 2 * of.budget || of.needed > most)
      continue;
    auto const& regions = candidates_[cubature];
    double const before =
        policy_.cubature_first ? turn_of(cubature, budget) : policy_.beyond_prediction * regions.needed;
    bool const waits = m == lattice && (policy_.cubature_first || regions.needed <= of.needed);
    if (waits && regions.alive && before >= 2 * regions.budget)
      return NextCall{cubature, before};
    return NextCall{m, next, most};
  }
  return {};
}

/// The first call of lattices, or that of another method that may finish within its time.
AutoStrategy::NextCall AutoStrategy::before_lattices(double budget) const {
  auto const& samples = candidates_[sampling];
  bool const once = samples.budget <= turn_of(sampling, budget);
  if (samples.alive && samples.result && once && samples.needed <= policy_.samples_before_lattices)
    return {sampling, 2 * std::max(samples.needed, samples.budget), none,
            "vegas+ was expected to need " + number(samples.needed) +
                " evaluations, fewer than lattices need to start"};
  auto const& regions = candidates_[cubature];
  double const more = 2 * policy_.growth * turn_of(cubature, budget);
  if (regions.alive && more >= 2 * regions.budget && regions.needed <= policy_.cubature_before_lattices * more)
    return {cubature, more};
  return {lattice, turn_of(lattice, budget)};
}

/// Evaluations of a method's call in a round.
double AutoStrategy::turn_of(int m, double budget) const {
  return m == cubature  ? std::max(budget, first_grids())
         : m == lattice ? std::max(budget / policy_.cost_of_lattices, policy_.first_points)
                        : std::max(budget / policy_.rest, policy_.first_samples);
}

/// Evaluations of a few of cubature's first grids.
double AutoStrategy::first_grids() const {
  auto const points = points_of_rule(dimension_);
  return std::min(static_cast<double>(policy_.first_grids * points * start_grid(dimension_, policy_.most_first).size),
                  static_cast<double>(policy_.most_first));
}

/// The methods, ordered by their predicted work.
std::array<int, AutoStrategy::count> AutoStrategy::by_prospect() const {
  std::array<int, count> order{cubature, sampling, lattice};
  std::ranges::stable_sort(
      order, {}, [&](int m) { return (m == lattice ? policy_.cost_of_lattices : 1) * candidates_[m].needed; });
  return order;
}

/// The method whose result has the smallest error.
int AutoStrategy::closest() const {
  int best = cubature;
  double least_excess = none;
  for (int m = 0; m < count; ++m)
    if (auto const& result = candidates_[m].result) {
      double const here = worst_excess(result->value, result->error, tolerance_);
      best = here < least_excess ? m : best;
      least_excess = std::min(here, least_excess);
    }
  return best;
}

/// Whether any remaining method has found something.
bool AutoStrategy::alive() const {
  return std::ranges::any_of(candidates_, [](Candidate const& one) {
    return one.alive && !(one.result && one.result->status == Status::no_variance);
  });
}

/// A call of a method that may end the whole call.
/// @param predicted it pauses if it is predicted to need more than this in total
void AutoStrategy::attempt(int m, double budget, double predicted) {
  auto& of = candidates_[m];
  budget = std::ceil(budget); // fewer are left only because of a limit
  bool const last = static_cast<double>(left(m, budget).evaluations) < budget;
  if (!ask(m, budget, predicted))
    return end(Status::evaluation_limit);
  auto const& result = *of.result;
  switch (result.status) {
  case Status::evaluation_limit:
  case Status::iteration_limit:
    of.needed = m == sampling ? needed_by_sampling(result, tolerance_) : needed(result, tolerance_, powers(m));
    status_ = result.status;
    if (last || (result.status == Status::iteration_limit && limits_.iterations < Limits{}.iterations))
      end(result.status);
    return;
  case Status::precision_limit:
    if (saw_zeros_alone(result)) {
      of.alive = false;
      status_ = result.status;
      return;
    }
    break; // no other method can resolve what rounding hides
  case Status::memory_exhausted:
    of.alive = false;
    status_ = result.status;
    return;
  case Status::non_finite:
    // Points of cubature may all lie on a pole, but random ones hardly ever do.
    if (m == cubature) {
      of.alive = false;
      status_ = result.status;
      return;
    }
    break;
  case Status::no_variance: // a peak may have been missed
    of.needed = none;
    status_ = result.status;
    return;
  case Status::converged:
    if (m == cubature && looks_different())
      return;
    if (!last)
      confirm(m);
    break;
  default:; // time is up, or the callback stopped it
  }
  if (result.status == Status::converged || result.status == Status::non_finite ||
      result.status == Status::precision_limit)
    winner_ = m;
  end(result.status);
}

/// Whether a close look at cubature's result contradicts it. If that converged, it is the result.
bool AutoStrategy::looks_different() {
  auto& found = candidates_[cubature];
  CloseLook const look{dimension_, points_of_rule(dimension_), policy_.on_gpu, ranks_};
  auto const left_over = limits_.evaluations - std::min(limits_.evaluations, spent_);
  auto other = look(*found.result, left_over, [&](int level, std::uint64_t most) {
    auto limits = left(cubature, none);
    limits.evaluations = most;
    of_others_ = spent_;
    auto result = engine_.look(level, limits, callback());
    spent_ += result.evaluations;
    return result;
  });
  if (!other)
    return false;
  bool const converged = other->status == Status::converged;
  found.result = std::move(other);
  found.alive = false;
  status_ = found.result->status;
  if (converged) {
    winner_ = cubature;
    end(Status::converged);
  }
  return true;
}

void AutoStrategy::end(Status status) {
  ended_ = true;
  status_ = status;
}

/// Checks whether another method contradicts a result that took long: with an eighth of the evaluations, and with as
/// many if the two disagree at first. Of two methods of random points, one that finds zero within its errors has missed
/// peaks that the other has found, and does not contradict it; nor do lattices contradict cubature if all that they
/// have seen is negligible.
void AutoStrategy::confirm(int m) {
  auto& result = *candidates_[m].result;
  if (result.evaluations < (m == lattice ? policy_.worth_samples : policy_.worth_points))
    return;
  int const by = m == lattice ? sampling : lattice;
  auto const& other = candidates_[by];
  for (int part : {policy_.confirmation_part, 1}) {
    double const budget = static_cast<double>(result.evaluations) / part;
    if (other.alive && budget > other.budget)
      ask(by, budget);
    if (!other.result || other.result->status == Status::no_variance ||
        agree(result, *other.result, policy_.contradiction))
      return;
  }
  auto const& witness = *other.result;
  contradicted_ = m == cubature ? !negligible(witness, result.value)
                                : !consistent_with_zero(witness) && !vague(witness, result, policy_.vague);
  result.remarks.push_back(std::string(other.name) +
                           (contradicted_ ? " contradicts this: " : " found too little to confirm this: ") +
                           format(witness.value[0], witness.error[0]));
}

SeveralResult AutoStrategy::answer() {
  auto& result = *candidates_[winner_.value_or(closest())].result;
  result.status = contradicted_ ? Status::iteration_limit : status_;
  result.evaluations = spent_;
  result.seconds = timer_.seconds();
  result.remarks.push_back("auto: " + (!winner_          ? result.method + " came closest to the tolerance"
                                       : chosen_.empty() ? result.method + " was the first to finish"
                                                         : chosen_));
  return std::move(result);
}

/// Calls a method with at most `budget` evaluations, or has it continue until it has made about as many.
/// @param predicted cubature and lattices pause if they are predicted to need more than this in total
/// @returns false if too few evaluations are left for it
bool AutoStrategy::ask(int m, double budget, double predicted) {
  auto const limits = left(m, budget);
  of_others_ = spent_ - made(m);
  if (spent_ > 0 && limits.evaluations < made(m) + policy_.least)
    return false;
  auto& of = candidates_[m];
  double const before = std::exchange(of.budget, budget);
  auto const begun = made(m);
  of.result = call(m, limits, predicted);
  if (std::isfinite(predicted) && made(m) > begun) // the rest is left to a later call
    of.budget = std::max(before, static_cast<double>(made(m)));
  spent_ = of_others_ + of.result->evaluations;
  return true;
}

/// Evaluations of a call that will continue.
std::uint64_t AutoStrategy::made(int m) const {
  auto const& of = candidates_[m];
  return of.call && of.result ? of.result->evaluations : 0;
}

/// The remaining limits for a call of at most `budget` evaluations.
Limits AutoStrategy::left(int m, double budget) const {
  Limits limits = limits_;
  limits.evaluations = std::min(static_cast<std::uint64_t>(std::min(budget, 1e18)),
                                limits_.evaluations - std::min(limits_.evaluations, spent_ - made(m)));
  limits.seconds = std::max(limits_.seconds - timer_.seconds(), std::numeric_limits<double>::min());
  return limits;
}

/// The evaluations of the first iteration of a call.
std::uint64_t AutoStrategy::part(Limits const& limits, std::uint64_t parts) const {
  return std::clamp<std::uint64_t>(limits.evaluations / parts, policy_.least, policy_.longest);
}

/// Cubature and lattices begin, or continue where they paused. VEGAS+ begins again with its present map, in larger
/// iterations: it could continue, but more samples at a time gain more from strata than a longer average. Lattices
/// begin again, with more points, if all values were the same.
SeveralResult AutoStrategy::call(int m, Limits limits, double predicted) {
  auto& of = candidates_[m];
  if (m == sampling) {
    bool const first = !of.result;
    auto& whole =
        engine_.begin_sampling(part(limits, policy_.parts), first && !policy_.redistributes_at_first ? 0 : own_choice,
                               calls_++, limits, callback());
    whole.go_on([](CallState const&, std::uint64_t) { return false; });
    return whole.finish();
  }
  bool const first = !of.call;
  if (m == cubature) {
    if (first)
      of.call = &engine_.begin_cubature(limits_, callback());
    return go_on(m, limits.evaluations, predicted, first);
  }
  if (first) {
    auto whole = limits_;
    whole.seconds = limits.seconds; // the remaining ones
    of.call = &engine_.begin_lattice(part(limits, policy_.first_parts), whole, callback());
  }
  auto result = go_on(m, limits.evaluations, predicted, false);
  if (result.status == Status::no_variance) {
    of.call = nullptr;
    of.alive = true;
  }
  return result;
}

/// A call continues until more than half of an iteration would exceed this many evaluations in total, or it is
/// predicted to need more than allowed; or until it leaves the rest to another method.
SeveralResult AutoStrategy::go_on(int m, std::uint64_t most, double predicted, bool first) {
  auto& of = candidates_[m];
  of.call->limit(limits_.evaluations - of_others_);
  auto const begun = made(m);
  auto const pause = [&](CallState const& call, std::uint64_t next) {
    auto const so_far = call.so_far();
    if (m == cubature && so_far.iterations.size() < policy_.least_iterations)
      return false;
    return so_far.evaluations + next / 2 > most || (first && leaves_the_rest(so_far)) ||
           (so_far.evaluations > begun && needed(so_far, tolerance_, powers(m)) > predicted);
  };
  if (of.call->go_on(pause)) {
    of.alive = false;
    return of.call->finish();
  }
  auto result = of.call->so_far();
  result.status = Status::evaluation_limit;
  return result;
}

/// Whether cubature leaves the rest of its first turn to samples: if these are predicted to meet the tolerance at once,
/// and cubature is not within the next round's call; unless its first error exceeds the value by so much that the
/// integrand must cancel, in which case samples would scatter as widely.
bool AutoStrategy::leaves_the_rest(SeveralResult const& so_far) const {
  double const turn = candidates_[cubature].budget;
  auto const& first = so_far.iterations.front();
  auto const iterations = so_far.iterations.size();
  double const done = static_cast<double>(so_far.evaluations) + static_cast<double>(iterations) * policy_.launches;
  return iterations > 2 && done >= policy_.least_seen * turn &&
         first.error[0] <= policy_.cancels * std::abs(first.value[0]) &&
         needed(so_far, tolerance_, powers(cubature), policy_.launches) > policy_.growth * turn &&
         needed_by_sampling(so_far.value, policy_.scatter, tolerance_) <= policy_.first_samples;
}

} // namespace kubature::detail
