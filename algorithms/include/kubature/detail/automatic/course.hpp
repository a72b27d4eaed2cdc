#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/automatic/calls.hpp>
#include <kubature/detail/automatic/prospect.hpp>
#include <kubature/detail/cubature/close_look.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/result.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace kubature::detail {

/// The rule by which one call of Auto chooses (docs/methods/auto.md).
template <class P, class Space, class F, int D>
class AutoCourse : AutoCalls<P, Space, F, D> {
  using Base = AutoCalls<P, Space, F, D>;
  using Base::ask, Base::candidates_, Base::cubature, Base::count, Base::lattice, Base::left, Base::powers,
      Base::request_, Base::sampling, Base::spent_, Base::timer_;
  using typename Base::Answer, typename Base::Candidate, typename Base::Pace;

public:
  using Base::Base;

  /// Makes rounds of calls of growing length. The work of independent samples can be predicted: as long as a round
  /// takes a small part of it, all methods have their turn, and then VEGAS+ finishes the job.
  Answer finish() {
    for (double budget = Pace::first; !ended_ && alive(); budget *= Pace::growth) {
      auto const& sure = candidates_[sampling];
      if (sure.alive && sure.result && Pace::weight * sure.needed <= Pace::rest * budget) {
        chosen_ = "vegas+ was expected to take " + number(sure.needed) + " evaluations, the others more than " +
                  number(budget / Pace::growth);
        attempt(sampling, std::max(2 * sure.needed, sure.budget));
        continue;
      }
      while (auto const next = ended_ ? std::nullopt : next_call(budget)) {
        chosen_ = next->why;
        attempt(next->method, next->evaluations, next->promise);
      }
    }
    return answer();
  }

private:
  struct NextCall {
    int method;
    double evaluations;
    /// If it is not the method's turn: how many evaluations it may need in all to go on.
    double promise = std::numeric_limits<double>::infinity();
    std::string why = {};
  };

  /// The next call of a round: of the methods that are due, the one with the least work. A method that promises to
  /// need little more goes on at once, lattices after cubature.
  std::optional<NextCall> next_call(double budget) {
    auto& samples = candidates_[sampling];
    if (auto const& found = candidates_[closest()].result; found && !samples.result)
      samples.needed = needed_by_sampling(found->value, Pace::scatter, request_.tolerance);
    for (int const m : by_prospect()) {
      auto const& of = candidates_[m];
      double const turn = turn_of(m, budget), more = Pace::growth * turn;
      bool const hopeless =
          m == sampling && !of.result && std::isfinite(of.needed) && of.needed > Pace::patience * turn;
      if (!of.alive || hopeless)
        continue;
      if (due(m, budget))
        return m == lattice && !of.result ? before_lattices(budget) : NextCall{m, turn};
      double const most = m == sampling ? more : std::max(more, Pace::at_once);
      double const next = m == sampling ? more : std::max(most, Pace::reserve * of.needed);
      if (next < 2 * of.budget || of.needed > most)
        continue;
      auto const& regions = candidates_[cubature];
      double const before = Pace::cubature_first ? turn_of(cubature, budget) : Pace::reserve * regions.needed;
      bool const waits = m == lattice && (Pace::cubature_first || regions.needed <= of.needed);
      if (waits && regions.alive && before >= 2 * regions.budget)
        return NextCall{cubature, before};
      return NextCall{m, next, most};
    }
    return {};
  }

  /// The first call of lattices, or that of another method which may finish in the time that it takes.
  NextCall before_lattices(double budget) const {
    auto const& samples = candidates_[sampling];
    bool const once = samples.budget <= turn_of(sampling, budget);
    if (samples.alive && samples.result && once && samples.needed <= Pace::instead)
      return {sampling, 2 * std::max(samples.needed, samples.budget), std::numeric_limits<double>::infinity(),
              "vegas+ was expected to take " + number(samples.needed) +
                  " evaluations, fewer than lattices take to begin"};
    auto const& regions = candidates_[cubature];
    double const more = 2 * Pace::growth * turn_of(cubature, budget);
    if (regions.alive && more >= 2 * regions.budget && regions.needed <= Pace::hope * more)
      return {cubature, more};
    return {lattice, turn_of(lattice, budget)};
  }

  /// Evaluations of a method's call in a round.
  double turn_of(int m, double budget) const {
    return m == cubature  ? std::max(budget, first_grids())
           : m == lattice ? std::max(budget / Pace::cost_of_lattices, Pace::first_points)
                          : std::max(budget / Pace::rest, Pace::first_samples);
  }

  /// Whether a method has its turn in a round: it is at least twice as long as the last call.
  bool due(int m, double budget) const {
    return candidates_[m].alive && turn_of(m, budget) >= 2 * candidates_[m].budget;
  }

  /// A call of a method that may end the whole call.
  /// @param promise it gives way if it is expected to need more than that in all
  void attempt(int m, double budget, double promise = std::numeric_limits<double>::infinity()) {
    auto& of = candidates_[m];
    budget = std::ceil(budget); // fewer are left only because of a limit
    bool const last = static_cast<double>(left(m, budget).evaluations) < budget;
    if (!ask(m, budget, promise))
      return end(Status::evaluation_limit);
    auto const& result = *of.result;
    switch (result.status) {
    case Status::evaluation_limit:
    case Status::iteration_limit:
      of.needed = m == sampling ? needed_by_sampling(result, request_.tolerance)
                                : needed(result, request_.tolerance, powers(m));
      status_ = result.status;
      if (last || (result.status == Status::iteration_limit && request_.limits.iterations < Limits{}.iterations))
        end(result.status);
      return;
    case Status::precision_limit:
      if (saw_zeros_alone(result)) {
        of.alive = false;
        status_ = result.status;
        return;
      }
      break; // what rounding leaves unknown, no other method knows
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
      of.needed = std::numeric_limits<double>::infinity();
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

  /// Whether a close look at what cubature found tells something else. If that converged, it is the result.
  bool looks_different() {
    auto& found = candidates_[cubature];
    auto other = this->look_closely(*found.result);
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

  void end(Status status) {
    ended_ = true;
    status_ = status;
  }

  /// Checks whether another method contradicts a result that took long: with an eighth of the evaluations, and with
  /// as many if the two disagree at first. Of two methods of random points, one that finds zero within its errors has
  /// missed peaks that the other knows of, and does not contradict it; nor do lattices contradict cubature where all
  /// that they have seen is negligible.
  void confirm(int m) {
    auto& result = *candidates_[m].result;
    if (result.evaluations < (m == lattice ? Pace::worth_samples : Pace::worth_points))
      return;
    int const by = m == lattice ? sampling : lattice;
    auto const& other = candidates_[by];
    for (int part : {8, 1}) {
      double const budget = static_cast<double>(result.evaluations) / part;
      if (other.alive && budget > other.budget)
        ask(by, budget);
      if (!other.result || other.result->status == Status::no_variance || agree(result, *other.result, Pace::far))
        return;
    }
    auto const& witness = *other.result;
    contradicted_ =
        m == cubature ? !negligible(witness, result.value) : !consistent_with_zero(witness) && !vague(witness, result);
    result.remarks.push_back(std::string(other.name) +
                             (contradicted_ ? " contradicts this: " : " found too little to confirm this: ") +
                             format(first_of(other.result->value), first_of(other.result->error)));
  }

  /// Whether a method that has found less than another one cannot tell much of what it has found.
  template <class Value>
  static bool vague(Result<Value> const& less, Result<Value> const& more) {
    using Traits = ValueTraits<Value>;
    for (int c = 0; c < Traits::components; ++c) {
      double const value = std::abs(Traits::get(less.value, c));
      if (!(Traits::get(less.error, c) > Pace::vague * value && value < std::abs(Traits::get(more.value, c))))
        return false;
    }
    return true;
  }

  /// Whether all values that a method has seen were zero.
  template <class Value>
  static bool saw_zeros_alone(Result<Value> const& result) {
    using Traits = ValueTraits<Value>;
    for (int c = 0; c < Traits::components; ++c)
      if (!(Traits::get(result.value, c) == 0 && Traits::get(result.error, c) == 0))
        return false;
    return true;
  }

  /// Whether a method is left that has not missed everything.
  bool alive() const {
    return std::ranges::any_of(candidates_, [](Candidate const& one) {
      return one.alive && !(one.result && one.result->status == Status::no_variance);
    });
  }

  /// The methods, ordered by the work that they promise.
  std::array<int, count> by_prospect() const {
    std::array<int, count> order{cubature, sampling, lattice};
    std::ranges::stable_sort(
        order, {}, [&](int m) { return (m == lattice ? Pace::cost_of_lattices : 1) * candidates_[m].needed; });
    return order;
  }

  /// Evaluations that a few of cubature's first grids take.
  double first_grids() const {
    auto const points = CubatureRule(Rule::automatic, request_.box.dimension(), request_.where).points();
    return std::min(static_cast<double>(8 * points * start_grid(request_.box.dimension(), Pace::most_first).size),
                    static_cast<double>(Pace::most_first));
  }

  /// The method whose result has the smallest error.
  int closest() const {
    int best = cubature;
    double least_excess = std::numeric_limits<double>::infinity();
    for (int m = 0; m < count; ++m)
      if (auto const& result = candidates_[m].result) {
        double const here = worst_excess(result->value, result->error, request_.tolerance);
        best = here < least_excess ? m : best;
        least_excess = std::min(here, least_excess);
      }
    return best;
  }

  Answer answer() {
    auto& result = *candidates_[winner_.value_or(closest())].result;
    result.status = contradicted_ ? Status::iteration_limit : status_;
    result.evaluations = spent_;
    result.seconds = timer_.seconds();
    result.remarks.push_back("auto: " + (chosen_.empty() ? result.method + " was the first to get there" : chosen_));
    return std::move(result);
  }

  std::optional<int> winner_; ///< the one whose result converged, or was not finite
  bool ended_ = false, contradicted_ = false;
  Status status_ = Status::completed;
  std::string chosen_;
};

} // namespace kubature::detail
