#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/cubature/cut.hpp>
#include <kubature/detail/cubature/second_opinion.hpp>
#include <kubature/integrator.hpp>

#include <algorithm>

namespace kubature {

/// PAGANI: adaptive cubature that refines all regions which matter at once (Sakiotis, Arumugam, Paterno, Ranjan, Terzic
/// and Zubair, "PAGANI: a parallel adaptive GPU algorithm for numerical integration", SC 2021). The method of choice
/// for up to about 8 variables and for tight tolerances. The integrand has no random part: the same call gives the same
/// bits.
template <class P = Fp64>
struct Pagani {
  Rule rule = Rule::automatic;
  /// Regions whose error is below Tolerance.relative times their own value are not split. To be turned off where the
  /// integrand changes its sign, so that large values cancel; it is not used where their errors would sum to more than
  /// is allowed.
  bool relative_filter = true;
  /// Regions of small errors that together do not matter are not split. Off: only the relative-error filter spares
  /// regions, as long as memory suffices (for studies).
  bool threshold = true;
  /// Rounds of bisection at most.
  int iterations = 1000;
  P precision = {};
  NonFinite non_finite = NonFinite::error;
};

template <class P>
struct Described<Pagani<P>> {
  using M = Pagani<P>;
  static constexpr std::string_view type = "Pagani", name = "pagani";
  static constexpr bool distributed = true;
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("rule", &M::rule, "Cubature rule, by its degree: 11 is for 3 variables, 13 for 2, gauss-kronrod for 1"),
      option("relative_filter", &M::relative_filter,
             "The filter by relative error, which spares regions of a small one; to be off for integrands that cancel"),
      option("threshold", &M::threshold,
             "The filter by error, which spares regions whose errors together do not matter"),
      option("iterations", &M::iterations, "Iterations at most", at_least(1, "at least 1 is needed"), false),
      option("non_finite", &M::non_finite, "What is done with values that are not finite", AnyValue{}, false)};
  static void check_together(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<Pagani<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, Pagani<P> const& options)
      : exec_(exec), ranks_(ranks), options_(options) {}

  /// A tolerance, or a limit of evaluations, iterations or seconds, has to be given.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<P, D>(exec_, integrand, box.dimension(), where);
    using Value = ResultValue<std::remove_const_t<decltype(f)>, typename P::eval_type, D>;
    Kokkos::Profiling::ScopedRegion region("kubature::pagani");

    Refinement<Value> run("pagani", tolerance, limits, callback, where, ranks_);
    CubatureRule const rule(options_.rule, box.dimension(), where);
    auto const integral = cubature_.template start<P>(run, rule, f, box, options_.non_finite, limits);
    if (!run.ended())
      refine(run, integral, rule, tolerance, limits);
    return signed_by<Space>(run.finish(), options_.precision, {}, ranks_);
  }

private:
  template <class Run, class Integral>
  void refine(Run& run, Integral integral, CubatureRule const& rule, Tolerance tolerance, Limits limits) {
    auto const points = rule.points();
    auto& regions = cubature_.regions();
    double const floor = Cubature<Space>::least_relative(rule, Integral::epsilon);
    double relative = options_.relative_filter ? std::max(tolerance.relative, floor) : floor;
    std::uint64_t fresh = regions.total();
    SecondOpinions<Space> opinions(exec_, points);
    for (;;) {
      Census census = regions.survey(exec_, tolerance, relative);
      run.count(fresh * points);
      bool const confirmed =
          opinions.ask(run, integral, regions, [&] { return census = regions.survey(exec_, tolerance, relative); });
      run.add(regions, fresh, census.counters.non_finite, options_.non_finite, confirmed);
      if (!run.wants_more(options_.iterations))
        return;
      if (!census.possible) {
        run.end(Status::memory_exhausted); // committed errors alone exceed the tolerance
        return;
      }
      if (regions.rebalance(exec_, limits.bytes))
        census = regions.survey(exec_, tolerance, relative);
      if (relative > floor && sum_of_errors(census.settled) > settled_part() / census.reference) {
        relative = floor;
        census = regions.survey(exec_, tolerance, relative);
      }
      auto const choice = choose(run, census, relative, 2 * points, tolerance, limits);
      if (run.ended())
        return;
      auto const siblings = regions.size();
      regions.bisect(exec_, regions.select(census, choice.cut.last_bin, relative), choice.selected, choice.count);
      fresh = 2 * choice.all;
      integral.driver = census.driver;
      if (!cubature_.evaluate(run, integral, choice.count, siblings, 2 * choice.count, points))
        return;
    }
  }

  /// Regions that are to be bisected: `all` of those that are cut off, and of this process's list `count` of
  /// `selected`.
  struct Choice {
    Cut cut;
    std::uint64_t all = 0;
    std::uint64_t selected = 0, count = 0;
  };

  /// Where there is nothing to bisect, or no room, the run has ended. Regions whose errors together are small may be
  /// committed if memory is short; the census is what is left then.
  template <class Run>
  Choice choose(Run& run, Census& census, double relative, std::uint64_t points, Tolerance tolerance, Limits limits) {
    auto& regions = cubature_.regions();
    if (census.reference == 0) { // nothing but zeros so far: look a while whether there is nothing else
      auto const all = regions.total(), mine = regions.size();
      if (all < most_zeros)
        regions.reserve(exec_, 2 * mine, limits.bytes);
      if (all >= most_zeros || run.affordable(points) < all || ranks_.any(regions.capacity() < 2 * mine))
        run.end(Status::precision_limit);
      return {{ErrorBins::count - 1, all}, all, mine, mine};
    }
    double const budget = tolerance.asked() ? 1 / census.reference : 0;
    double const settled = sum_of_errors(census.settled);
    Choice choice{cut_by_error(census.open, options_.threshold ? unrefined_part * budget - settled : 0)};
    choice.all = std::min(choice.cut.count, run.affordable(points));
    // What rounding leaves in the regions that are settled is more than is allowed, and all that could be refined.
    bool const rounding = tolerance.asked() && settled > budget && sum_of_errors(census.open) < settled / 16;
    if (choice.cut.count == 0 || rounding)
      run.end(Status::precision_limit);
    else if (choice.all == 0)
      run.end(Status::evaluation_limit);
    if (run.ended())
      return choice;
    take(choice, choice.cut.count);
    regions.reserve(exec_, regions.size() + choice.count, limits.bytes);
    if (ranks_.any(regions.size() + choice.count > regions.capacity())) {
      commit(census, budget - settled, relative);
      run.remark("memory was short: regions of small errors were given up, the largest errors were refined first");
      auto const room = std::min(regions.capacity() - regions.size(), regions.size());
      std::uint64_t rooms[1] = {room};
      ranks_.sum(rooms);
      choice.all = std::min(choice.all, rooms[0]);
      if (choice.all < choice.cut.count)
        choice.cut = cut_by_count(census.open, choice.all);
      take(choice, room);
      if (choice.all == 0) {
        exec_.fence("kubature::pagani::give_up");
        run.end(Status::memory_exhausted);
      }
    } else if (choice.all < choice.cut.count) {
      choice.cut = cut_by_count(census.open, choice.all);
      take(choice, choice.all);
    }
    return choice;
  }

  /// Settles which of the regions that all processes bisect are in this one's list, which has so much room.
  void take(Choice& choice, std::uint64_t room) const {
    if (ranks_.size() == 1) {
      choice.selected = choice.cut.count;
      choice.count = choice.all;
      return;
    }
    auto const part = cubature_.regions().part_of(choice.all, choice.cut.last_bin, room);
    choice.selected = part.selected;
    choice.count = part.taken;
    choice.all = part.all;
  }

  /// PAGANI's threshold search: commits the regions of the smallest errors, as few as free half of the list, and no
  /// more than a part of what error is left (loc. cit., section 3.3.3). The census counts how many regions each
  /// threshold would commit, so no search is needed.
  void commit(Census& census, double budget, double relative) {
    auto& regions = cubature_.regions();
    Cut keep;
    for (double part = 0.25; part < 1; part += 0.1) {
      keep = cut_by_error(census.open, part * budget);
      if (2 * keep.count <= regions.total())
        break;
    }
    if (keep.count == regions.total())
      return;
    auto const mine = ranks_.size() == 1 ? keep.count : regions.part_of(keep.count, keep.last_bin, keep.count).selected;
    regions.bring_forward(exec_, regions.select(census, keep.last_bin, relative), mine);
    regions.commit_behind(exec_, mine, keep.last_bin);
    for (int bin = 0; bin < ErrorBins::count; ++bin) {
      census.settled[bin] = 0;
      if (bin > keep.last_bin)
        census.open[bin] = 0;
    }
  }

  /// Regions whose values are all zero are bisected until there are so many.
  static constexpr std::uint64_t most_zeros = 1 << 15;
  /// How much of the allowed error regions may keep that are not bisected; and those which the relative-error filter
  /// settles.
  static constexpr double unrefined_part = 0.9;
  double settled_part() const { return options_.threshold ? 0.25 : 1.0; }

  Space exec_;
  Communicator ranks_;
  Pagani<P> options_;
  Cubature<Space> cubature_{exec_, ranks_};
};

} // namespace detail
} // namespace kubature
