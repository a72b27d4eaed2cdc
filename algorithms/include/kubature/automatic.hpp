#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/detail/automatic/pace.hpp>
#include <kubature/detail/automatic/prospect.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/integrator.hpp>
#include <kubature/pagani.hpp>
#include <kubature/precision.hpp>
#include <kubature/quasi_monte_carlo.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_plus.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace kubature {

/// Chooses the method. PAGANI, quasi-Monte Carlo and VEGAS+ each make a short call, unless one of them meets the
/// tolerance at once. The one whose errors promise to meet it with the least work goes on, and gives way to another if
/// it does not keep its promise (docs/methods/auto.md). The choice depends on numbers of evaluations alone, never on
/// the clock, so the results have the same bits every time and on every process. The result's `method` is the one that
/// computed it, and a remark says why.
template <class P = Fp64>
struct Auto {
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
};

template <class P>
struct Described<Auto<P>> {
  using M = Auto<P>;
  static constexpr std::string_view type = "Auto", name = "auto";
  static constexpr bool distributed = true;
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false)};
  static void check_together(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<Auto<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, Auto<P> const& options)
      : exec_(exec), ranks_(ranks), options_(options),
        pagani_(exec, ranks, Pagani<P>{.precision = options.precision, .non_finite = options.non_finite}) {}

  /// A tolerance is required.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    check(tolerance, where);
    check(limits, where);
    require(tolerance.asked(), "Tolerance.relative", tolerance.relative,
            "a method can only be chosen for a tolerance; give one, or name the method", where);
    return Course<F, D>(*this, integrand, box, tolerance, limits, callback, where).finish();
  }

private:
  template <class Method>
  using SolverOf = typename SolverFor<Method, Space>::type;

  /// One call.
  template <class F, int D>
  class Course {
  public:
    using Answer = decltype(std::declval<SolverOf<Pagani<P>>&>().solve(
        std::declval<F const&>(), std::declval<Box<D> const&>(), Tolerance{}, Limits{}, std::declval<Callback const&>(),
        std::source_location::current()));

    Course(Solver& solver, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
           std::source_location where)
        : solver_(solver), f_(f), box_(box), tolerance_(tolerance), limits_(limits), where_(where), outer_(callback),
          callback_([this](Progress progress) {
            progress.evaluations += spent_;
            progress.seconds = timer_.seconds();
            return outer_(progress);
          }) {}

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
          attempt(next->method, next->evaluations);
        }
      }
      return answer();
    }

  private:
    enum { cubature, sampling, lattice, count };
    using Pace = detail::Pace<Space>;

    struct Candidate {
      std::string_view name;
      std::optional<Answer> result = {};
      /// Evaluations that it is expected to take in all, and the limit of its last call.
      double needed = std::numeric_limits<double>::infinity();
      double budget = 0;
      bool alive = true;
    };

    struct NextCall {
      int method;
      double evaluations;
      std::string why = {}; ///< set if it was not the method's turn
    };

    /// The next call of a round: of the methods that are due, the one with the least work. A method that promises to
    /// need little more gets the call of the next round at once, on a GPU that of a later one, lattices after cubature.
    std::optional<NextCall> next_call(double budget) {
      auto& samples = candidates_[sampling];
      if (auto const& found = candidates_[closest()].result; found && !samples.result)
        samples.needed = needed_by_sampling(found->value, Pace::scatter, tolerance_);
      for (int const m : by_prospect()) {
        auto const& of = candidates_[m];
        double const turn = turn_of(m, budget), more = Pace::growth * turn;
        bool const hopeless =
            m == sampling && !of.result && std::isfinite(of.needed) && of.needed > Pace::patience * turn;
        if (!of.alive || hopeless)
          continue;
        if (due(m, budget))
          return m == lattice && !of.result ? before_lattices(budget) : NextCall{m, turn};
        double const promise = m == sampling ? 0 : Pace::reserve * of.needed, next = std::max(more, promise);
        if (next < 2 * of.budget || of.needed > (m == sampling ? more : Pace::leap * turn))
          continue;
        auto const& regions = candidates_[cubature];
        double const before = Pace::cubature_first ? turn_of(cubature, budget) : Pace::reserve * regions.needed;
        bool const waits = m == lattice && (Pace::cubature_first || regions.needed <= of.needed);
        if (waits && regions.alive && before >= 2 * regions.budget)
          return NextCall{cubature, before};
        return NextCall{m, next};
      }
      return {};
    }

    /// The first call of lattices, or that of another method which may finish in the time that it takes.
    NextCall before_lattices(double budget) const {
      auto const& samples = candidates_[sampling];
      bool const once = samples.budget <= turn_of(sampling, budget);
      if (samples.alive && samples.result && once && samples.needed <= Pace::instead)
        return {sampling, 2 * std::max(samples.needed, samples.budget),
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
             : m == lattice ? std::max(budget, Pace::first_points)
                            : std::max(budget / Pace::rest, Pace::first_samples);
    }

    /// Whether a method has its turn in a round: it is at least twice as long as the last call.
    bool due(int m, double budget) const {
      return candidates_[m].alive && turn_of(m, budget) >= 2 * candidates_[m].budget;
    }

    /// A call of a method that may end the whole call.
    void attempt(int m, double budget) {
      auto& of = candidates_[m];
      budget = std::ceil(budget); // fewer are left only because of a limit
      bool const last = static_cast<double>(left(budget).evaluations) < budget;
      if (!ask(m, budget))
        return end(Status::evaluation_limit);
      auto const& result = *of.result;
      switch (result.status) {
      case Status::evaluation_limit:
      case Status::iteration_limit:
        of.needed = m == sampling ? needed_by_sampling(result, tolerance_)
                                  : needed(result, tolerance_, m == cubature ? Pace::of_cubature : Pace::of_lattices);
        if (last || (result.status == Status::iteration_limit && limits_.iterations < Limits{}.iterations))
          end(result.status);
        return;
      case Status::precision_limit:
      case Status::memory_exhausted:
      case Status::no_variance:
        of.alive = false;
        status_ = result.status;
        return;
      case Status::converged:
        if (!last)
          confirm(m);
        break;
      default:; // time is up, the callback stopped it, or f is not finite
      }
      if (result.status == Status::converged || result.status == Status::non_finite)
        winner_ = m;
      end(result.status);
    }

    void end(Status status) {
      ended_ = true;
      status_ = status;
    }

    Answer call(int m, Limits limits) {
      auto const& callback = outer_ ? callback_ : outer_;
      auto const solve = [&](auto& solver) { return solver.solve(f_, box_, tolerance_, limits, callback, where_); };
      auto const& options = solver_.options_;
      bool const first = !candidates_[m].result;
      if (m == cubature)
        return first ? glance(limits) : solve(solver_.pagani_);
      auto const parts = m == lattice && first ? Pace::first_parts : Pace::parts;
      auto const part = std::clamp<std::uint64_t>(limits.evaluations / parts, Pace::least, Pace::longest);
      if (m == lattice) {
        solver_.lattice_.emplace(solver_.exec_, solver_.ranks_,
                                 QuasiMonteCarlo<P>{.evaluations = part,
                                                    .seed = options.seed,
                                                    .precision = options.precision,
                                                    .non_finite = options.non_finite});
        return solve(*solver_.lattice_);
      }
      auto const map = first ? std::nullopt : std::optional(solver_.sampling_->map());
      solver_.sampling_.emplace(solver_.exec_, solver_.ranks_,
                                VegasPlus<P>{.evaluations = part,
                                             .redistribute = first ? Pace::redistribute : own_choice,
                                             .seed = options.seed + static_cast<std::uint64_t>(calls_++),
                                             .precision = options.precision,
                                             .non_finite = options.non_finite});
      if (map)
        solver_.sampling_->use(*map);
      return solve(*solver_.sampling_);
    }

    /// Cubature's first call. It gives way to samples if these are expected to meet the tolerance at once and cubature
    /// does not promise to with the call of the next round; unless its first errors exceed the value so far that the
    /// integrand must cancel, in which case samples would scatter as widely.
    Answer glance(Limits limits) {
      double const turn = candidates_[cubature].budget;
      std::vector<Step> steps;
      bool cancels = true, gives_way = false, stops = false;
      Callback const look = [&](Progress const& progress) {
        stops = stops || (outer_ && !callback_(progress));
        auto const done = static_cast<std::size_t>(std::max(1, progress.iteration));
        if (done == 1)
          cancels = !(progress.error <= Pace::cancels * std::abs(progress.value));
        steps.resize(std::min(steps.size(), done - 1));
        steps.push_back({static_cast<double>(progress.evaluations) + static_cast<double>(done) * Pace::launches,
                         worst_excess(progress.value, progress.error, tolerance_)});
        gives_way = !cancels && done > 2 && steps.back().evaluations >= Pace::glance * turn &&
                    needed(steps, Pace::of_cubature) > Pace::growth * turn &&
                    needed_by_sampling(progress.value, Pace::scatter, tolerance_) <= Pace::first_samples;
        return !stops && !gives_way;
      };
      auto result = solver_.pagani_.solve(f_, box_, tolerance_, limits, look, where_);
      if (result.status == Status::stopped && gives_way && !solver_.ranks_.any(stops))
        result.status = Status::evaluation_limit;
      return result;
    }

    /// Checks whether another method contradicts a result that took long: with an eighth of the evaluations, and with
    /// as many if the two disagree at first. Of two methods of random points, one that finds zero within its errors has
    /// missed peaks that the other knows of, and does not contradict it.
    void confirm(int m) {
      auto& result = *candidates_[m].result;
      if (result.evaluations < (m == lattice ? Pace::worth_samples : Pace::worth_points))
        return;
      int const by = m == lattice ? sampling : lattice;
      auto const& other = candidates_[by];
      for (int part : {8, 1}) {
        double const budget = static_cast<double>(result.evaluations) / part;
        if (budget > other.budget)
          ask(by, budget);
        if (!other.result || other.result->status == Status::no_variance || agree(result, *other.result, Pace::far))
          return;
      }
      contradicted_ = m == cubature || !consistent_with_zero(*other.result);
      result.remarks.push_back(std::string(other.name) +
                               (contradicted_ ? " contradicts this: " : " found too little to confirm this: ") +
                               format(first_of(other.result->value), first_of(other.result->error)));
    }

    /// Calls a method with at most `budget` evaluations.
    /// @returns false if too few are left for it
    bool ask(int m, double budget) {
      auto const limits = left(budget);
      if (spent_ > 0 && limits.evaluations < Pace::least)
        return false;
      candidates_[m].budget = budget;
      candidates_[m].result = call(m, limits);
      spent_ += candidates_[m].result->evaluations;
      return true;
    }

    /// What the limits leave to a call of at most `budget` evaluations.
    Limits left(double budget) const {
      Limits limits = limits_;
      limits.evaluations = std::min(static_cast<std::uint64_t>(std::min(budget, 1e18)),
                                    limits_.evaluations - std::min(limits_.evaluations, spent_));
      limits.seconds = std::max(limits_.seconds - timer_.seconds(), std::numeric_limits<double>::min());
      return limits;
    }

    bool alive() const { return std::ranges::any_of(candidates_, &Candidate::alive); }

    /// The methods, ordered by the work that they promise.
    std::array<int, count> by_prospect() const {
      std::array<int, count> order{cubature, sampling, lattice};
      std::ranges::stable_sort(order, {}, [&](int m) { return candidates_[m].needed; });
      return order;
    }

    /// Evaluations that a few of cubature's first grids take.
    double first_grids() const {
      auto const points = CubatureRule(Rule::automatic, box_.dimension(), where_).points();
      return std::min(static_cast<double>(8 * points * start_grid(box_.dimension(), Pace::most_first).size),
                      static_cast<double>(Pace::most_first));
    }

    /// The method whose result has the smallest error.
    int closest() const {
      int best = cubature;
      double least_excess = std::numeric_limits<double>::infinity();
      for (int m = 0; m < count; ++m)
        if (auto const& result = candidates_[m].result) {
          double const here = worst_excess(result->value, result->error, tolerance_);
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

    Solver& solver_;
    F const& f_;
    Box<D> const& box_;
    Tolerance tolerance_;
    Limits limits_;
    std::source_location where_;
    Callback const& outer_;
    Callback callback_;
    Kokkos::Timer timer_;
    std::array<Candidate, count> candidates_{{{"pagani"}, {"vegas+"}, {"qmc"}}};
    std::uint64_t spent_ = 0;
    std::optional<int> winner_; ///< the one whose result converged, or was not finite
    int calls_ = 0;
    bool ended_ = false, contradicted_ = false;
    Status status_ = Status::completed;
    std::string chosen_;
  };

  Space exec_;
  Communicator ranks_;
  Auto<P> options_;
  SolverOf<Pagani<P>> pagani_;
  std::optional<SolverOf<QuasiMonteCarlo<P>>> lattice_;
  std::optional<SolverOf<VegasPlus<P>>> sampling_;
};

} // namespace detail

/// Integrates f over the box to a tolerance, by the method that suits it best: see Auto.
template <class F, int D>
auto integrate(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits = {},
               Callback const& callback = {}, std::source_location where = std::source_location::current()) {
  return integrate(Auto{}, integrand, box, tolerance, limits, callback, where);
}

} // namespace kubature
