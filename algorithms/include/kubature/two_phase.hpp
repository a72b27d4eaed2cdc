#pragma once

#include <kubature/cubature_rule.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/cubature/cubature.hpp>
#include <kubature/detail/cubature/cut.hpp>
#include <kubature/detail/cubature/second_opinion.hpp>
#include <kubature/detail/slices.hpp>
#include <kubature/detail/two_phase/refine_alone.hpp>
#include <kubature/integrator.hpp>

#include <algorithm>
#include <string>

namespace kubature {

/// Two-phase cubature (Arumugam, Godunov, Ranjan, Terzic and Zubair, "An efficient deterministic parallel algorithm for
/// adaptive multidimensional numerical integration on GPUs", ICPP 2013): the first phase splits all regions whose
/// relative error is too large, until there are enough for the device; in the second, each is integrated by a team of
/// its own, as Cuhre would, with no exchange between them. Kept to compare with: Pagani needs fewer evaluations. Unlike
/// the published code this one splits regions in two at a time, never in more, so that every region has a parent whose
/// estimate checks its error: without that, results were off by ten times their error.
template <class P = Fp64>
struct TwoPhase {
  Rule rule = Rule::automatic;
  /// Regions at which the second phase begins.
  std::uint64_t regions = 1 << 15;
  /// Parts that a region may be cut into in the second phase.
  int parts = 2048;
  P precision = {};
  NonFinite non_finite = NonFinite::error;
};

template <class P>
struct Described<TwoPhase<P>> {
  using M = TwoPhase<P>;
  static constexpr std::string_view type = "TwoPhase", name = "two-phase";
  static constexpr bool distributed = false;
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("rule", &M::rule, "Cubature rule, by its degree: 11 is for 3 variables, 13 for 2, gauss-kronrod for 1"),
      option("regions", &M::regions, "Regions at which the second phase begins",
             Range<std::uint64_t>{1, 1 << 30, "1 to 2^30 are possible"}),
      option("parts", &M::parts, "Parts that a region may be cut into in the second phase",
             Range<int>{2, 1 << 20, "2 to 2^20 are possible"}),
      option("non_finite", &M::non_finite, "What is done with values that are not finite", AnyValue{}, false)};
  static void check_together(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<TwoPhase<P>, Space> {
public:
  Solver(Space const& exec, Communicator const&, TwoPhase<P> const& options) : exec_(exec), options_(options) {}

  /// A tolerance, or a limit of evaluations, iterations or seconds, has to be given.
  /// Iterations are those of the first phase, and the second one as the last.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<P, D>(exec_, integrand, box.dimension(), where);
    using Value = ResultValue<std::remove_const_t<decltype(f)>, typename P::eval_type, D>;
    Kokkos::Profiling::ScopedRegion region("kubature::two_phase");

    Refinement<Value> run("two-phase", tolerance, limits, callback, where);
    CubatureRule const rule(options_.rule, box.dimension(), where);
    auto const integral = cubature_.template start<P>(run, rule, f, box, options_.non_finite, limits);
    if (!run.ended()) {
      auto const first = first_phase(run, integral, rule, tolerance, limits);
      if (!run.ended())
        second_phase(run, integral, first, rule, tolerance, limits);
    }
    return signed_by<Space>(run.finish(), options_.precision);
  }

private:
  /// At which relative error a region is done with.
  template <class Integral>
  static double relative_of(Integral const&, CubatureRule const& rule, Tolerance tolerance) {
    return std::max(tolerance.relative, Cubature<Space>::least_relative(rule, Integral::epsilon));
  }

  /// How a call ends in which every region met a tolerance of its own but all together did not.
  template <class Run>
  static Status all_done(Run& run, double relative, Tolerance tolerance) {
    if (relative > tolerance.relative || run.zero())
      return Status::precision_limit;
    run.remark("every region met the tolerance of its own, but their values cancel");
    return Status::iteration_limit;
  }

  /// How many regions the second phase is to refine, which are the first of the list, and what second opinions took.
  struct FirstPhase {
    std::uint64_t open = 0, second_evaluations = 0;
  };

  template <class Run, class Integral>
  FirstPhase first_phase(Run& run, Integral integral, CubatureRule const& rule, Tolerance tolerance, Limits limits) {
    auto& regions = cubature_.regions();
    double const relative = relative_of(integral, rule, tolerance);
    SecondOpinions<Space> opinions(exec_, rule.points());
    Census census;
    auto const survey = [&] { return census = regions.survey(exec_, tolerance, relative); };
    for (std::uint64_t fresh = regions.size();;) {
      survey();
      run.count(fresh * rule.points());
      bool const confirmed = opinions.ask(run, integral, regions, survey);
      std::uint64_t open = 0;
      auto const ends = [&] {
        open = cut_by_error(census.open, -1).count;
        return open == 0 || 2 * open > options_.regions || run.affordable(2 * rule.points()) < open;
      };
      bool last = ends();
      // The last time that regions know of each other: those of the second phase do not.
      bool const first_grid = run.done() == 0;
      if (last && !first_grid && !run.met(regions) && opinions.affordable(run, integral, regions) &&
          opinions.look(run, integral, regions, false, survey))
        last = ends();
      run.add(regions, fresh, census.counters.non_finite, options_.non_finite, confirmed);
      if (!run.wants_more(limits.iterations))
        return {};
      auto const selection = regions.select(census, ErrorBins::count - 1, relative);
      if (!last)
        regions.reserve(exec_, regions.size() + open, limits.bytes);
      if (last || regions.size() + open > regions.capacity()) {
        regions.bring_forward(exec_, selection, open);
        return {open, census.counters.second_evaluations};
      }
      auto const siblings = regions.size();
      regions.bisect(exec_, selection, open, open);
      fresh = 2 * open;
      integral.driver = census.driver;
      if (!cubature_.evaluate(run, integral, open, siblings, fresh, rule.points()))
        return {};
    }
  }

  template <class Run, class F, int D>
  void second_phase(Run& run, RegionIntegral<P, F, D> const& integral, FirstPhase const& first,
                    CubatureRule const& rule, Tolerance tolerance, Limits limits) {
    auto const points = rule.points();
    double const relative = relative_of(integral, rule, tolerance);
    auto& regions = cubature_.regions();
    auto const& list = regions.regions();
    auto const open = first.open;
    auto const each =
        2 * (points + integral.points_behind(rule.dimension())); // a bisection, with a look at both halves
    auto const parts = std::min<std::uint64_t>(options_.parts, run.affordable(each * std::max(open, std::uint64_t{1})));
    if (parts < 2) {
      run.end(Status::evaluation_limit);
      return;
    }
    Regions heaps;
    auto const bytes = lay_out(heaps, nullptr, list.dimension, list.components, parts);
    auto const room =
        std::min(limits.bytes - std::min(limits.bytes, regions.bytes()), free_memory(exec_) / 16 * 15 + heaps_.size());
    auto const at_once = std::min<std::uint64_t>({room / (bytes + 64), open, Tuning<Space>::heaps});
    if (at_once == 0) {
      run.end(open == 0 ? all_done(run, relative, tolerance) : Status::memory_exhausted);
      return;
    }
    auto const all = lay_out(heaps, nullptr, list.dimension, list.components, parts * at_once);
    lay_out(heaps, heaps_.template as<std::byte>(exec_, all).data(), list.dimension, list.components, parts * at_once);
    auto const sizes = sizes_.template as<int>(exec_, at_once);
    // What time does not suffice for keeps the estimates that it has.
    auto slice = static_cast<std::uint64_t>(exec_.concurrency());
    in_slices(
        exec_, {}, run, 0, open, slice,
        [&](std::uint64_t begin, std::uint64_t count, Deadline const& deadline) {
          Kokkos::deep_copy(exec_, sizes, 0);
          auto const most = static_cast<int>(parts);
          RefineAlone<Space, P, F, D> const kernel{integral,
                                                   list,
                                                   heaps,
                                                   begin,
                                                   count,
                                                   sizes.data(),
                                                   most,
                                                   most,
                                                   {relative, tolerance.absolute},
                                                   regions.counters(),
                                                   deadline};
          refine_alone(run, kernel);
        },
        at_once);
    Counters const counters = regions.survey(exec_, tolerance, relative).counters;
    run.count(2 * counters.bisections * points + counters.second_evaluations - first.second_evaluations);
    run.add(regions, 2 * counters.bisections, counters.non_finite, options_.non_finite);
    if (counters.unfinished > 0)
      run.remark(std::to_string(counters.unfinished) + " of " + std::to_string(open) +
                 " regions did not meet the tolerance of their own with " + std::to_string(parts) + " parts");
    if (!run.ended())
      run.end(static_cast<int>(parts) < options_.parts ? Status::evaluation_limit
              : counters.unfinished > 0                ? Status::memory_exhausted
                                                       : all_done(run, relative, tolerance));
  }

  /// At once where nobody watches the call, and in launches of about 50 ms where it has a time limit or a callback.
  template <class Run, class Kernel>
  void refine_alone(Run& run, Kernel kernel) {
    using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>;
    if (!run.watched())
      return kernel.launch(exec_);
    kernel.most = 8;
    for (std::uint64_t in_work = 1; in_work > 0 && run.look(false);) {
      Kokkos::Timer timer;
      kernel.launch(exec_);
      Kokkos::parallel_reduce("kubature::two_phase::heaps_in_work", Policy(exec_, 0, kernel.count),
                              HeapsInWork{kernel.sizes}, in_work);
      double const growth = std::clamp(0.05 / std::max(timer.seconds(), 1e-6), 0.1, 8.0);
      kernel.most = std::clamp(static_cast<int>(kernel.most * growth), 1, kernel.heap);
    }
  }

  Space exec_;
  TwoPhase<P> options_;
  Cubature<Space> cubature_{exec_};
  Buffer<Space> heaps_{"kubature::two_phase::heaps"}, sizes_{"kubature::two_phase::sizes"};
};

} // namespace detail
} // namespace kubature
