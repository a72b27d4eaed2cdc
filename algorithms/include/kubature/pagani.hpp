#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/cut.hpp>
#include <kubature/detail/cubature/evaluate_regions.hpp>
#include <kubature/detail/cubature/refinement.hpp>
#include <kubature/detail/cubature/region_list.hpp>
#include <kubature/detail/cubature/rule_table.hpp>
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

template <class P, class Space>
class Integrator<Pagani<P>, Space> {
public:
  explicit Integrator(Space const& exec, Pagani<P> const& options,
                      std::source_location where = std::source_location::current())
      : exec_(exec), options_(options) {
    require(options.iterations >= 1, "Pagani.iterations", options.iterations, "at least 1 is needed", where);
  }

  /// See kubature::integrate. A tolerance, or a limit of evaluations, iterations or seconds, has to be given.
  template <class F, int D>
  auto integrate(F const& integrand, Box<D> const& box, Tolerance tolerance = {}, Limits limits = {},
                 Callback const& callback = {}, std::source_location where = std::source_location::current()) {
    auto const f = detail::on_device<P, D>(exec_, integrand, box.dimension(), where);
    using Integral = detail::RegionIntegral<P, std::remove_const_t<decltype(f)>, D>;
    using Value = ResultValue<std::remove_const_t<decltype(f)>, typename P::eval_type, D>;
    Kokkos::Profiling::ScopedRegion region("kubature::pagani");

    require(tolerance.asked() || limits.evaluations < Limits{}.evaluations ||
                limits.iterations < Limits{}.iterations || limits.seconds < Limits{}.seconds,
            "Tolerance.relative", tolerance.relative,
            "give a tolerance, or a limit of evaluations, iterations or seconds: cubature has no work of its own", where);
    detail::Refinement<Value> run("pagani", tolerance, limits, callback, where);
    int const d = box.dimension();
    CubatureRule const rule(options_.rule, d, where);
    auto const grid = detail::start_grid(d, limits.evaluations / rule.points());
    std::size_t used = 0;
    auto const table =
        rule_.template view<typename P::sample_type, typename P::accumulate_type>(exec_, rule, workspace_, used);
    if (grid.size == 0)
      run.give_up(Status::evaluation_limit);
    else
      regions_.clear(exec_, d, Integral::components, grid.size, limits.bytes, workspace_.device().subspan(used),
                     workspace_.host());
    if (!run.ended() && regions_.capacity() < grid.size)
      run.give_up(Status::memory_exhausted);
    if (!run.ended()) {
      regions_.fill(exec_, grid);
      refine(run,
             Integral{f, detail::Transform<typename P::sample_type, D>(box), table, d, options_.non_finite,
                      regions_.non_finite()},
             rule, tolerance, limits);
    }
    return detail::signed_by<Space>(run.finish(), options_.precision);
  }

private:
  template <class Run, class Integral>
  void refine(Run& run, Integral integral, CubatureRule const& rule, Tolerance tolerance, Limits limits) {
    using namespace detail;
    // Smaller errors are rounding, which no bisection lessens.
    double const floor = 2 * Integral::rounding;
    double relative = options_.relative_filter ? std::max(tolerance.relative, floor) : floor;
    std::uint64_t fresh = regions_.size();
    integral.caution = static_cast<typename P::accumulate_type>(rule.norm());
    evaluate_regions<Space>(exec_, integral, regions_.regions(), fresh, fresh, fresh, rule.points());
    integral.caution = 1;
    for (;;) {
      Census census = regions_.survey(exec_, tolerance, relative);
      run.add(regions_, fresh, rule.points(), census.non_finite, options_.non_finite);
      if (!run.wants_more(options_.iterations))
        return;
      if (!census.possible) {
        run.end(Status::memory_exhausted); // committed errors alone exceed the tolerance
        return;
      }
      if (relative > floor && sum_of_errors(census.settled) > settled_part() / census.reference) {
        relative = floor;
        census = regions_.survey(exec_, tolerance, relative);
      }
      auto const cut = choose(run, census, relative, 2 * rule.points(), tolerance, limits);
      if (run.ended())
        return;
      auto const siblings = regions_.size();
      auto const count = std::min(cut.count, most_);
      regions_.bisect(exec_, regions_.select(census, cut.last_bin, relative), cut.count, count);
      fresh = 2 * count;
      integral.driver = census.driver;
      evaluate_regions<Space>(exec_, integral, regions_.regions(), count, siblings, fresh, rule.points());
    }
  }

  /// Which regions are to be bisected; at most most_ of them. Where there are none, the run has ended. Regions whose
  /// errors together are small may be committed if memory is short.
  template <class Run>
  detail::Cut choose(Run& run, detail::Census& census, double relative, std::uint64_t points, Tolerance tolerance,
                     Limits limits) {
    using namespace detail;
    double const budget = tolerance.asked() ? 1 / census.reference : 0;
    double const settled = sum_of_errors(census.settled);
    auto cut = cut_by_error(census.open, options_.threshold ? unrefined_part * budget - settled : 0);
    most_ = std::min(cut.count, run.affordable(points));
    if (cut.count == 0)
      run.end(Status::precision_limit);
    else if (most_ == 0)
      run.end(Status::evaluation_limit);
    if (run.ended())
      return cut;
    regions_.reserve(exec_, regions_.size() + most_, limits.bytes);
    if (regions_.size() + most_ > regions_.capacity()) {
      commit(census, budget - settled, relative);
      most_ = std::min({most_, regions_.capacity() - regions_.size(), regions_.size()});
      if (most_ == 0)
        run.end(Status::memory_exhausted);
    }
    return most_ < cut.count ? cut_by_count(census.open, most_) : cut;
  }

  /// PAGANI's threshold search: commits the regions of the smallest errors, as few as free half of the list, and no
  /// more than a part of what error is left (loc. cit., section 3.3.3). The census counts how many regions each
  /// threshold would commit, so no search is needed.
  void commit(detail::Census& census, double budget, double relative) {
    using namespace detail;
    Cut keep;
    for (double part = 0.25; part < 1; part += 0.1) {
      keep = cut_by_error(census.open, part * budget);
      if (2 * keep.count <= regions_.size())
        break;
    }
    if (keep.count == regions_.size())
      return;
    regions_.bring_forward(exec_, regions_.select(census, keep.last_bin, relative), keep.count);
    regions_.commit_behind(exec_, keep.count);
    for (int bin = 0; bin < ErrorBins::count; ++bin) {
      census.settled[bin] = 0;
      if (bin > keep.last_bin)
        census.open[bin] = 0;
    }
  }

  /// How much of the allowed error regions may keep that are not bisected, and of that those which the relative-error
  /// filter settles (all, where there is no threshold).
  static constexpr double unrefined_part = 0.9;
  double settled_part() const { return options_.threshold ? 0.25 : 1.0; }

  Space exec_;
  Pagani<P> options_;
  detail::Workspace<Space> workspace_{exec_};
  detail::RegionList<Space> regions_;
  detail::RuleTable<Space> rule_;
  std::uint64_t most_ = 0;
};

} // namespace kubature
