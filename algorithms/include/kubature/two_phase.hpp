#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/cubature/close_look.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/cubature/refine_alone.hpp>
#include <kubature/detail/cubature/second_opinion.hpp>
#include <kubature/detail/cubature/threshold.hpp>
#include <kubature/detail/launch/slices.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/integrator.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace kubature {

/// Two-phase cubature (Arumugam, Godunov, Ranjan, Terzic and Zubair, "An efficient deterministic parallel algorithm for
/// adaptive multidimensional numerical integration on GPUs", ICPP 2013): the first phase bisects all regions whose
/// relative error is too large, until there are enough for the device; in the second, one team per region integrates it
/// as Cuhre would, without knowledge of the others. Kept for comparisons: Pagani needs fewer evaluations. Unlike the
/// published code this one only bisects, so that every region has a parent whose estimate checks its error: without
/// that, results were off by ten times their error.
template <class P = Fp64>
struct TwoPhase {
  Rule rule = Rule::automatic; ///< the cubature rule; by default it depends on the number of variables
  /// Number of regions at which the second phase begins.
  std::uint64_t regions = 1 << 15;
  /// Maximum number of parts into which the second phase divides a region.
  int parts = 2048;
  /// In one and two variables, whether what converges is compared with finer first grids; see Pagani::close_look.
  bool close_look = true;
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
};

template <class P>
struct Described<TwoPhase<P>> {
  using M = TwoPhase<P>;
  static constexpr std::string_view type = "TwoPhase", name = "two-phase";
  static constexpr Abilities serves{.suites = false}; // it is there to be compared with PAGANI
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("rule", &M::rule, "Cubature rule, by its degree: 11 is for 3 variables, 13 for 2, gauss-kronrod for 1"),
      option("regions", &M::regions, "Number of regions at which the second phase begins",
             Range<std::uint64_t>{1, 1 << 30, "must be between 1 and 2^30"}),
      option("parts", &M::parts, "Maximum number of parts of a region in the second phase",
             Range<int>{2, 1 << 20, "must be between 2 and 2^20"}),
      option("close_look", &M::close_look,
             "Finer grids for what converges in one and two variables, so that narrow peaks are seen"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<TwoPhase<P>, Space> {
public:
  Solver(Space const& exec, Communicator const&, TwoPhase<P> const& options) : exec_(exec), options_(options) {}

  /// A tolerance or a limit on evaluations, iterations or seconds is required. Iterations are those of the first phase;
  /// the second phase is the last one.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    static_assert(!is_batched<F>,
                  "TwoPhase does not integrate what batched() makes: in its second phase a team refines a "
                  "region by itself within one kernel, which cannot ask the host for values");
    auto const f =
        on_device<P, D, Described<TwoPhase<P>>::serves.batches>(exec_, integrand, box.dimension(), request.where);
    using Value = ResultValue<std::remove_const_t<decltype(f)>, typename P::eval_type, D>;
    Kokkos::Profiling::ScopedRegion region("kubature::two_phase");

    CubatureRule const rule(options_.rule, box.dimension(), request.where);
    auto const from = [&](int level, Request const& part) {
      RegionEstimates run("two-phase", ValueTraits<Value>::components, part);
      if (auto const integral = cubature_.template start<P>(run, rule, f, box, options_.non_finite, part, level)) {
        auto const first = first_phase(run, *integral, rule, part.tolerance, part.limits);
        if (!run.ended())
          second_phase(run, *integral, first, rule, part.tolerance, part.limits);
      }
      return run.finish();
    };
    auto result = from(0, request);
    Callback const none;
    if (options_.close_look)
      CloseLook{box.dimension(), rule.points(), on_device_of_its_own<Space>, {}}.check(
          result, request.limits,
          [&](int level, Limits const& rest) { return from(level, request.within(rest).reporting_to(none)); });
    return signed_by<Space>(to_result<Value>(std::move(result)), options_.precision);
  }

private:
  /// The relative error at which a region is settled.
  template <class Integral>
  static double relative_of(Integral const&, CubatureRule const& rule, Tolerance tolerance) {
    return std::max(tolerance.relative, Cubature<Space>::least_relative(rule, Integral::epsilon));
  }

  /// How a call ends if every region has met its own tolerance but their sum has not.
  template <class Run>
  static Status all_done(Run& run, double relative, Tolerance tolerance) {
    if (relative > tolerance.relative || run.zero())
      return Status::precision_limit;
    run.remark("every region met its own tolerance, but their values cancel");
    return Status::iteration_limit;
  }

  /// What the first phase leaves to the second: how many regions are to be refined, which come first in the list, and
  /// the evaluations that second opinions took.
  struct FirstPhase {
    std::uint64_t open = 0, second_evaluations = 0;
  };

  template <class Run, class Integral>
  FirstPhase first_phase(Run& run, Integral integral, CubatureRule const& rule, Tolerance tolerance, Limits limits) {
    auto& regions = cubature_.regions();
    double const relative = relative_of(integral, rule, tolerance);
    SecondOpinions<Space> opinions(exec_, rule.points());
    RegionStatistics statistics;
    auto const summarise = [&] { return statistics = regions.summarise(exec_, tolerance, relative); };
    for (std::uint64_t evaluated = regions.size();;) {
      statistics = regions.improve_and_summarise(exec_, tolerance, relative);
      run.count(evaluated * rule.points());
      bool const confirmed = opinions.ask(run, integral, regions, summarise);
      std::uint64_t open = 0;
      auto const ends = [&] {
        bool const all_zero = statistics.reference == 0 && regions.total() < few_regions; // f may be nonzero elsewhere
        open = all_zero ? regions.size() : threshold_by_error(statistics.open, -1).above;
        return open == 0 || 2 * open > options_.regions || run.affordable(2 * rule.points()) < open;
      };
      bool last = ends();
      // This is the last time that regions know of each other: in the second phase they do not.
      bool const first_grid = run.done() == 0;
      if (last && !first_grid && !run.met(regions) && opinions.affordable(run, regions) &&
          opinions.look(run, integral, regions, false, summarise))
        last = ends();
      run.add(regions, evaluated, NonFiniteCount{statistics.counters.non_finite}, options_.non_finite, confirmed);
      if (!run.wants_more(limits.iterations))
        return {};
      auto const selection = regions.select(statistics, ErrorBins::count - 1, relative);
      if (!last)
        regions.reserve(exec_, regions.size() + open, limits.bytes);
      if (last || regions.size() + open > regions.capacity()) {
        regions.bring_forward(exec_, selection, open);
        return {open, statistics.counters.second_evaluations};
      }
      NewRegions const new_regions{open, regions.size(), 2 * open};
      regions.bisect(exec_, selection, open, open);
      evaluated = 2 * open;
      integral.driver = statistics.driver;
      if (!cubature_.evaluate(run, integral, new_regions, rule.points()))
        return {};
    }
  }

  template <class Run, class F, int D>
  void second_phase(Run& run, RegionIntegral<P, F, D> const& integral, FirstPhase const& first,
                    CubatureRule const& rule, Tolerance tolerance, Limits limits) {
    double const relative = relative_of(integral, rule, tolerance);
    auto const parts = affordable_parts(run, first.open, rule);
    if (parts < 2) {
      run.end(Status::evaluation_limit);
      return;
    }
    auto const part_lists = allocate_part_lists(first.open, parts, limits);
    if (part_lists.count == 0) {
      run.end(first.open == 0 ? all_done(run, relative, tolerance) : Status::memory_exhausted);
      return;
    }
    // Regions for which there is not enough time keep their estimates.
    refine_regions(run, integral, first.open, part_lists, {relative, tolerance.absolute});
    auto& regions = cubature_.regions();
    Counters const counters = regions.summarise(exec_, tolerance, relative).counters;
    run.count(2 * counters.bisections * rule.points() + counters.second_evaluations - first.second_evaluations);
    run.add(regions, 2 * counters.bisections, NonFiniteCount{counters.non_finite}, options_.non_finite);
    if (counters.unfinished > 0)
      run.remark(std::to_string(counters.unfinished) + " of " + std::to_string(first.open) +
                 " regions did not meet their own tolerance with " + std::to_string(parts) + " parts");
    if (!run.ended())
      run.end(static_cast<int>(parts) < options_.parts ? Status::evaluation_limit
              : counters.unfinished > 0                ? Status::memory_exhausted
                                                       : all_done(run, relative, tolerance));
  }

  /// The number of parts into which each open region may be divided.
  template <class Run>
  std::uint64_t affordable_parts(Run const& run, std::uint64_t open, CubatureRule const& rule) const {
    auto const bisection =
        2 * (rule.points() + evaluations_behind_points(rule.dimension())); // with a second opinion on both halves
    return std::min<std::uint64_t>(options_.parts, run.affordable(bisection * std::max(open, std::uint64_t{1})));
  }

  /// Memory for the parts of regions that are refined at once.
  struct PartLists {
    Regions parts; ///< of all lists
    int* sizes;    ///< [list], parts
    std::uint64_t count, parts_each;
  };

  /// Allocates lists of `parts` each: one for each open region, or as many as there is memory for.
  PartLists allocate_part_lists(std::uint64_t open, std::uint64_t parts, Limits limits) {
    auto const& list = cubature_.regions();
    int const d = list.regions().dimension, components = list.regions().components;
    auto const room = std::min(limits.bytes - std::min(limits.bytes, list.bytes()),
                               free_memory(exec_) / 16 * 15 + part_lists_.size());
    auto const count = std::min<std::uint64_t>(
        {room / (bytes_of_regions(d, components, parts) + 64), open, Tuning<Space>::part_lists});
    if (count == 0)
      return {};
    auto* const memory =
        part_lists_.template as<std::byte>(exec_, bytes_of_regions(d, components, parts * count)).data();
    return {regions_at(memory, d, components, parts * count), sizes_.template as<int>(exec_, count).data(), count,
            parts};
  }

  /// Refines the open regions, as many at once as there are lists.
  template <class Run, class F, int D>
  void refine_regions(Run& run, RegionIntegral<P, F, D> const& integral, std::uint64_t open,
                      PartLists const& part_lists, Tolerance tolerance) {
    auto const most = static_cast<int>(part_lists.parts_each);
    auto& regions = cubature_.regions();
    auto slice = static_cast<std::uint64_t>(exec_.concurrency());
    in_slices(
        exec_, {}, run, 0, open, slice,
        [&](std::uint64_t begin, std::uint64_t count, Deadline const& deadline) {
          Kokkos::parallel_for("kubature::two_phase::empty_part_lists",
                               Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec_, 0, count),
                               EmptyPartLists{part_lists.sizes});
          refine_alone(run, RefineAlone<Space, P, F, D>{integral, regions.regions(), part_lists.parts, begin, count,
                                                        part_lists.sizes, most, most, tolerance, regions.counters(),
                                                        deadline});
        },
        part_lists.count);
  }

  /// Makes one launch if nobody watches the call, and launches of about 50 ms if it has a time limit or a callback.
  template <class Run, class Kernel>
  void refine_alone(Run& run, Kernel kernel) {
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>;
    if (!run.watched())
      return kernel.launch(exec_);
    std::uint64_t bisections = 8;
    for (std::uint64_t unfinished = 1; unfinished > 0 && run.look(false);) {
      Kokkos::Timer timer;
      kernel.most = static_cast<int>(std::min<std::uint64_t>(bisections, kernel.most_parts));
      kernel.launch(exec_);
      Kokkos::parallel_reduce("kubature::two_phase::count_unfinished", Policy(exec_, 0, kernel.count),
                              CountUnfinished{kernel.sizes}, unfinished);
      bisections = next_slice(kernel.most, timer.seconds());
    }
  }

  Space exec_;
  TwoPhase<P> options_;
  Cubature<Space> cubature_{exec_};
  Buffer<Space> part_lists_{"kubature::two_phase::part_lists"}, sizes_{"kubature::two_phase::sizes"};
};

} // namespace detail
} // namespace kubature
