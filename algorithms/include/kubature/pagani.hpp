#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/cubature/behind_points.hpp>
#include <kubature/detail/cubature/close_look.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/cubature/poles.hpp>
#include <kubature/detail/cubature/second_opinion.hpp>
#include <kubature/detail/cubature/threshold.hpp>
#include <kubature/error_norm.hpp>
#include <kubature/integrator.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {

/// PAGANI: adaptive cubature that refines all regions that matter at once (Sakiotis, Arumugam, Paterno, Ranjan, Terzic
/// and Zubair, "PAGANI: a parallel adaptive GPU algorithm for numerical integration", SC 2021). The method of choice
/// for up to about 8 variables and for tight tolerances. No random numbers are drawn: the same call gives the same
/// bits.
template <class P = Fp64>
struct Pagani {
  Rule rule = Rule::automatic; ///< the cubature rule; by default it depends on the number of variables
  /// Regions whose error is below Tolerance.relative times their own value are not bisected, unless their errors sum to
  /// more than is allowed. Turn it off if the integrand changes sign and large values cancel.
  bool relative_filter = true;
  /// Regions of small errors that together do not matter are not bisected. If off, only the relative-error filter
  /// spares regions, as long as memory suffices (for studies).
  bool threshold = true;
  /// In one and two variables, whether what converges is compared with finer grids, on which narrow peaks show, for at
  /// most some milliseconds. Turn it off for many short calls on integrands that have none.
  bool close_look = true;
  /// With several components: whether each has to meet the tolerance, or a norm of all.
  ErrorNorm error_norm = ErrorNorm::individual;
  /// Maximum number of iterations, in each of which regions are bisected.
  int iterations = 1000;
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
};

template <class P>
struct Described<Pagani<P>> {
  using M = Pagani<P>;
  static constexpr std::string_view type = "Pagani", name = "pagani";
  static constexpr Abilities serves{.batches = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("rule", &M::rule, "Cubature rule, by its degree: 11 is for 3 variables, 13 for 2, gauss-kronrod for 1"),
      option("relative_filter", &M::relative_filter,
             "Relative-error filter, which finishes regions of small relative error; off for integrands that cancel"),
      option("threshold", &M::threshold,
             "Threshold filter, which leaves alone regions whose errors together do not matter"),
      option("close_look", &M::close_look,
             "Finer grids for what converges in one and two variables, so that narrow peaks are seen"),
      option("error_norm", &M::error_norm, detail::error_norm_summary),
      option("iterations", &M::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"), false),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false)};
  static void check_together(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<Pagani<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, Pagani<P> const& options)
      : exec_(exec), ranks_(ranks), options_(options) {}

  /// A tolerance or a limit on evaluations, iterations or seconds is required.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<P, D, Described<Pagani<P>>::serves.batches>(exec_, integrand, box.dimension(), where);
    Course<std::remove_const_t<decltype(f)>, D> course(*this, f, box, tolerance, limits, callback, where);
    auto result = course.finish_at_once();
    if (options_.close_look && result.status == Status::converged)
      look_closely(result, f, box, tolerance, limits, where);
    return to_result<ResultValue<std::remove_const_t<decltype(f)>, typename P::eval_type, D>>(std::move(result));
  }

private:
  /// What is asked of a call, and its progress.
  struct State {
    Tolerance tolerance;
    Limits limits;
    std::uint64_t points; ///< of the rule
    double rounding;      ///< the relative error that may be nothing but rounding
    double relative;      ///< of the relative-error filter: no less than `rounding`
    RegionStatistics statistics = {};

    /// The error that is allowed, in units of the reference; 0 without a tolerance.
    double allowed() const { return tolerance.asked() ? 1 / statistics.reference : 0; }
    double settled() const { return sum_of_errors(statistics.settled); }
  };

  /// Which regions are to be bisected: `all` of those above the threshold, over the lists of all processes. This
  /// process has `above` above the threshold, and bisects `mine` of them.
  struct Choice {
    Threshold threshold;
    std::uint64_t all = 0;
    std::uint64_t above = 0, mine = 0;
  };

public:
  /// One call. It may pause between its iterations and then goes on as if it had not, while other methods are called;
  /// the solver serves no other call meanwhile.
  /// @tparam F the integrand in its form on the device
  template <class F, int D>
  class Course {
    using Value = ResultValue<F, typename P::eval_type, D>;

  public:
    /// The callback has to stay where it is.
    /// @param level of the first grid, see Cubature::start(); its evaluations must be affordable
    Course(Solver& solver, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
           std::source_location where, int level = 0)
        : solver_(solver), box_(box), f_(f), level_(level),
          run_("pagani", ValueTraits<Value>::components, tolerance, limits, callback, where, solver.ranks_),
          rule_(solver.options_.rule, box.dimension(), where),
          rounding_(Cubature<Space>::least_relative(rule_, RegionIntegral<P, F, D>::epsilon)),
          state_{tolerance, limits, rule_.points(), rounding_,
                 solver.options_.relative_filter ? std::max(tolerance.relative, rounding_) : rounding_},
          opinions_(solver.exec_, rule_.points(), &solver.cubature_.batches()) {
      run_.locate_by(
          [this](std::uint64_t count) { return where_not_finite<P>(solver_.exec_, solver_.values_, f_, box_, count); });
    }
    Course(Course const&) = delete; // the run refers to it

    /// Iterates until the call ends, or pauses before an iteration.
    /// @param pause pause(run, n) tells whether to, where the iteration would take n evaluations; the same on all
    ///              processes
    /// @returns whether the call has ended
    template <class Pause>
    bool go_on(Pause const& pause) {
      Kokkos::Profiling::ScopedRegion region("kubature::pagani");
      if (!integral_)
        begin();
      else
        resume();
      while (!run_.ended() && !pause(run_, 2 * choice_.all * state_.points))
        iterate();
      return run_.ended();
    }

    /// Leaves at most so many evaluations to the call, those that it has made included.
    void limit(std::uint64_t evaluations) { run_.limit(evaluations); }

    /// The result of a call that has paused.
    SeveralResult so_far() const { return sign(run_.so_far()); }
    /// The result of a call that has ended.
    SeveralResult finish() { return sign(run_.finish()); }
    /// The result of a call that does not pause.
    SeveralResult finish_at_once() {
      go_on([](auto const&, std::uint64_t) { return false; });
      return finish();
    }

  private:
    void begin() {
      auto& cubature = solver_.cubature_;
      state_.limits.bytes = cubature.leave(f_, rule_, state_.limits.bytes);
      integral_ = cubature.template start<P>(run_, rule_, f_, box_, solver_.options_.non_finite, state_.tolerance,
                                             state_.limits, level_);
      if (integral_)
        take_stock(cubature.regions().total());
    }

    /// Other calls may have used up time and evaluations.
    void resume() {
      if (run_.ended())
        return;
      run_.keep_time();
      if (!run_.ended() && run_.affordable(2 * state_.points) < choice_.all) {
        solver_.summarise(state_);
        choice_ = solver_.choose(run_, state_);
      }
    }

    void iterate() {
      integral_->driver = state_.statistics.driver;
      if (solver_.cubature_.evaluate(run_, *integral_, solver_.bisect(choice_, state_), state_.points))
        take_stock(2 * choice_.all);
    }

    /// Adds an iteration in which so many regions were evaluated, and chooses what to bisect next.
    void take_stock(std::uint64_t evaluated) {
      auto& regions = solver_.cubature_.regions();
      auto const& options = solver_.options_;
      bool const lower = regions.total() >= least_list_to_lower;
      state_.statistics = regions.improve_and_summarise(solver_.exec(), state_.tolerance, state_.relative, lower);
      run_.count(evaluated * state_.points);
      opinions_.use(solver_.template exec_to_look<F>(state_.points, evaluated == regions.total()));
      bool const confirmed = opinions_.ask(run_, *integral_, regions, [&] { return solver_.summarise(state_); });
      look_for_poles();
      run_.add(regions, evaluated, NonFiniteCount{state_.statistics.counters.non_finite}, options.non_finite,
               confirmed);
      if (!run_.wants_more(options.iterations))
        return;
      if (!state_.statistics.possible) {
        run_.end(Status::memory_exhausted); // committed errors alone exceed the tolerance
        return;
      }
      if (regions.rebalance(solver_.exec(), state_.limits.bytes))
        solver_.summarise(state_);
      if (solver_.filter_settles_too_much(state_)) {
        state_.relative = state_.rounding;
        solver_.summarise(state_);
      }
      choice_ = solver_.choose(run_, state_);
    }

    /// Looks for poles where the tolerance is met, and now and then before. Raises the errors of the regions about
    /// them, so that these are bisected until what they may miss is allowed as well.
    void look_for_poles() {
      auto& regions = solver_.cubature_.regions();
      int const d = box_.dimension();
      if (d < least_dimension_of_poles || d > most_dimension_of_poles)
        return;
      if (poles_.empty() && (run_.met(regions) || regions.total() >= next_look_)) {
        find_poles();
        next_look_ = 16 * regions.total();
      }
      if (poles_.empty())
        return;
      for (Pole const& pole : poles_)
        raise_errors_about(solver_.exec(), regions.regions(), regions.size(), pole);
      solver_.summarise(state_);
    }
    void find_poles() {
      auto const& regions = solver_.cubature_.regions();
      constexpr int components = ValueTraits<Value>::components;
      auto const driver = state_.statistics.driver;
      std::uint64_t const affordable = run_.affordable(1);
      std::uint64_t made = 0;
      auto const sizes = [&](std::vector<double> const& points) {
        std::vector<double> result(points.size() / static_cast<std::size_t>(box_.dimension()));
        if (made + result.size() > affordable)
          return result; // zeros end the search
        auto const of = solver_.values_.template operator()<P>(solver_.exec_, f_, box_, points);
        made += result.size();
        for (std::size_t k = 0; k < result.size(); ++k)
          result[k] = std::abs(of[k * components + static_cast<unsigned>(driver)]);
        return result;
      };
      std::vector<Pole> points; // about which other poles are not looked for
      while (points.size() < most_poles) {
        auto const densest =
            densest_of_all(solver_.ranks_, box_.dimension(),
                           densest_region(solver_.exec(), regions.regions(), regions.size(), driver, points));
        if (densest.density == 0)
          break;
        auto const found = detail::find_poles(sizes, densest.centre, densest.length);
        poles_.insert(poles_.end(), found.begin(), found.end());
        if (found.empty() || std::popcount(found.front().axes) == 1)
          break;
        points.push_back(found.front());
      }
      run_.count(made);
    }

    SeveralResult sign(SeveralResult result) const {
      return signed_by<Space>(std::move(result), solver_.options_.precision, {}, solver_.ranks_);
    }

    Solver& solver_;
    Box<D> const& box_;
    F f_;
    int level_;
    RegionEstimates run_;
    CubatureRule rule_;
    double rounding_;
    State state_;
    SecondOpinions<Space> opinions_;
    std::vector<Pole> poles_;        ///< that this process has found
    std::uint64_t next_look_ = 4096; ///< regions from which on they are looked for again
    std::optional<RegionIntegral<P, F, D>> integral_;
    Choice choice_;
  };

private:
  /// Replaces a result where finer grids tell something else (see CloseLook).
  template <class F, int D>
  void look_closely(SeveralResult& result, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits,
                    std::source_location where) {
    CloseLook const look{box.dimension(), CubatureRule(options_.rule, box.dimension(), where).points(),
                         on_device_of_its_own<Space>, ranks_};
    auto evaluations = result.evaluations;
    double seconds = result.seconds;
    Callback const none;
    auto const left = limits.evaluations - std::min(limits.evaluations, evaluations);
    auto other = look(result, left, [&](int level, std::uint64_t most) {
      Limits rest = limits;
      rest.evaluations = most;
      rest.seconds = std::max(limits.seconds - seconds, std::numeric_limits<double>::min());
      Course<F, D> closer(*this, f, box, tolerance, rest, none, where, level);
      auto found = closer.finish_at_once();
      evaluations += found.evaluations;
      seconds += found.seconds;
      return found;
    });
    if (other)
      result = *std::move(other);
    result.evaluations = evaluations;
    result.seconds = seconds;
  }

  /// The instance for kernels that go through the list.
  Space const& exec() const { return cubature_.exec(cubature_.regions().size()); }

  /// The instance for second opinions. On a first grid they take few evaluations, and later about as long as the rule.
  template <class F>
  Space const& exec_to_look(std::uint64_t points, bool first) const {
    auto const& regions = cubature_.regions();
    auto const few = static_cast<double>(evaluations_behind_points(regions.regions().dimension));
    return cubature_.template exec_to_evaluate<F>(regions.size(), first ? few / static_cast<double>(points) : 1);
  }

  RegionStatistics const& summarise(State& state) {
    return state.statistics = cubature_.regions().summarise(exec(), state.tolerance, state.relative);
  }

  /// Whether the errors of the regions that the relative-error filter settles sum to a large part of what is allowed.
  bool filter_settles_too_much(State const& state) const {
    double const settled_part = options_.threshold ? 0.25 : 1.0;
    return state.relative > state.rounding && state.settled() > settled_part / state.statistics.reference;
  }

  /// @returns where the new regions are, which have yet to be evaluated
  NewRegions bisect(Choice const& choice, State const& state) {
    auto& regions = cubature_.regions();
    NewRegions const new_regions{choice.mine, regions.size(), 2 * choice.mine};
    auto const selection = regions.select(state.statistics, choice.threshold.last_bin, state.relative);
    regions.bisect(exec(), selection, choice.above, choice.mine);
    return new_regions;
  }

  /// Chooses regions and makes room for their halves. If there is nothing to bisect, or no room, the run ends.
  template <class Run>
  Choice choose(Run& run, State& state) {
    if (state.statistics.reference == 0)
      return choose_zeros(run, state);
    Choice choice = choose_by_error(run, state);
    if (run.ended())
      return choice;
    take(choice, choice.threshold.above);
    if (!make_room(choice.mine, state.limits))
      fit_into_memory(run, state, choice);
    else if (choice.all < choice.threshold.above)
      limit(choice, state, choice.all);
    return choice;
  }

  /// While all values are zero, chooses all regions, as long as they are few: the integrand may be nonzero elsewhere.
  template <class Run>
  Choice choose_zeros(Run& run, State const& state) {
    auto& regions = cubature_.regions();
    auto const all = regions.total(), mine = regions.size();
    if (all >= few_regions || run.affordable(2 * state.points) < all || !make_room(mine, state.limits))
      run.end(Status::precision_limit);
    return {{ErrorBins::count - 1, all}, all, mine, mine};
  }

  /// Chooses all regions but those of small errors that together do not matter; of these, as many as the limit on
  /// evaluations allows.
  template <class Run>
  Choice choose_by_error(Run& run, State const& state) const {
    double const allowed = state.allowed(), settled = state.settled();
    auto const& open = state.statistics.open;
    Choice choice{threshold_by_error(open, options_.threshold ? unrefined_part * allowed - settled : 0)};
    choice.all = std::min(choice.threshold.above, run.affordable(2 * state.points));
    // The errors that rounding leaves in the settled regions exceed what is allowed, and by far what could be refined.
    bool const rounding = state.tolerance.asked() && settled > allowed && sum_of_errors(open) < settled / 16;
    if (choice.threshold.above == 0 || rounding)
      run.end(Status::precision_limit);
    else if (choice.all == 0)
      run.end(Status::evaluation_limit);
    return choice;
  }

  /// Determines how many of the chosen regions are in this process's list, which has room for `room` more.
  void take(Choice& choice, std::uint64_t room) const {
    if (ranks_.size() == 1) {
      choice.above = choice.threshold.above;
      choice.mine = choice.all;
      return;
    }
    auto const taken = cubature_.regions().take(choice.all, choice.threshold.last_bin, room);
    choice.above = taken.above;
    choice.mine = taken.mine;
    choice.all = taken.all;
  }

  /// Limits a choice to the `all` regions of the largest errors. This process has room for `room` more.
  void limit(Choice& choice, State const& state, std::uint64_t room) const {
    if (choice.all < choice.threshold.above)
      choice.threshold = threshold_by_count(state.statistics.open, choice.all);
    take(choice, room);
  }

  /// @returns whether `more` further regions fit into the lists, on all processes
  bool make_room(std::uint64_t more, Limits limits) {
    auto& regions = cubature_.regions();
    auto const size = regions.size() + more;
    regions.reserve(exec(), size, limits.bytes);
    return !ranks_.any(size > regions.capacity());
  }

  /// Commits regions of small errors, and chooses as many of the others as there is room for.
  template <class Run>
  void fit_into_memory(Run& run, State& state, Choice& choice) {
    auto const& regions = cubature_.regions();
    commit(state);
    run.remark("memory was short: regions with small errors were given up; the largest errors were refined first");
    auto const room = std::min(regions.capacity() - regions.size(), regions.size());
    std::uint64_t rooms[1] = {room};
    ranks_.sum(rooms);
    choice.all = std::min(choice.all, rooms[0]);
    limit(choice, state, room);
    if (choice.all == 0) {
      exec_.fence("kubature::pagani::give_up");
      run.end(Status::memory_exhausted);
    }
  }

  /// PAGANI's threshold search (loc. cit., section 3.3.3): commits the regions of the smallest errors, as few as free
  /// half of the list, and no more than a part of the remaining error. The histograms tell how many regions each
  /// threshold would commit, so no search is needed. What is committed is removed from them.
  void commit(State& state) {
    auto& regions = cubature_.regions();
    auto& statistics = state.statistics;
    double const left = state.allowed() - state.settled();
    Threshold keep;
    double part = 0.25;
    for (int step = 0; step < 8; ++step, part += 0.1) {
      keep = threshold_by_error(statistics.open, part * left);
      if (2 * keep.above <= regions.total())
        break;
    }
    if (keep.above == regions.total())
      return;
    auto const mine = ranks_.size() == 1 ? keep.above : regions.take(keep.above, keep.last_bin, keep.above).above;
    regions.bring_forward(exec(), regions.select(statistics, keep.last_bin, state.relative), mine);
    regions.commit_behind(exec(), mine, keep.last_bin);
    for (int bin = 0; bin < ErrorBins::count; ++bin) {
      statistics.settled[bin] = 0;
      if (bin > keep.last_bin)
        statistics.open[bin] = 0;
    }
  }

  /// The part of the allowed error that may be left to regions that are not bisected.
  static constexpr double unrefined_part = 0.9;

  Space exec_;
  Communicator ranks_;
  Pagani<P> options_;
  Cubature<Space> cubature_{exec_, ranks_, options_.error_norm};
  PointValues<Space> values_;
};

} // namespace detail
} // namespace kubature
