#pragma once

#include <kubature/channel_use.hpp>
#include <kubature/cubature_rule.hpp>
#include <kubature/detail/components/padded.hpp>
#include <kubature/detail/cubature/close_look.hpp>
#include <kubature/detail/cubature/region_estimates.hpp>
#include <kubature/detail/pagani/pagani_strategy.hpp>
#include <kubature/detail/pagani/regions_of_call.hpp>
#include <kubature/integrator.hpp>
#include <kubature/several_result.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstdint>
#include <source_location>
#include <string>
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
  /// more than the allowed error. Turn it off if the integrand changes sign and large values cancel.
  bool relative_filter = true;
  /// Regions of small errors that together do not matter are not bisected. If off, only the relative-error filter
  /// spares regions, as long as memory suffices (for studies).
  bool threshold = true;
  /// In one and two variables, whether converged results are compared with finer grids, which reveal narrow peaks, for
  /// at most some milliseconds. Turn it off for many short calls on integrands without such peaks.
  bool close_look = true;
  /// Maximum number of iterations, in each of which regions are bisected.
  int iterations = 1000;
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Channels channels = Channels::automatic; ///< whether narrow peaks are searched for, and integrated one by one
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class P>
struct Described<Pagani<P>> {
  using M = Pagani<P>;
  static constexpr std::string_view type = "Pagani", name = "pagani";
  static constexpr Abilities serves{.batches = true, .several = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("rule", &M::rule, "Cubature rule, by its degree: 11 is for 3 variables, 13 for 2, gauss-kronrod for 1"),
      option("relative_filter", &M::relative_filter,
             "Relative-error filter, which finishes regions of small relative error; off for integrands that cancel"),
      option("threshold", &M::threshold,
             "Threshold filter, which leaves alone regions whose errors together do not matter"),
      option("close_look", &M::close_look,
             "Finer grids for what converges in one and two variables, so that narrow peaks are seen"),
      option("iterations", &M::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"), false),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<Pagani<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, Pagani<P> const& options)
      : options_(options), memory_{exec, ranks, Cubature<Space>(exec, ranks)} {}

  /// A tolerance or a limit on evaluations, iterations or seconds is required.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    require_few_variables<D>();
    auto const f = on_device<P, D, Described<Pagani<P>>::serves.batches>(memory_.exec, integrand, box, request.where);
    using G = std::remove_const_t<decltype(f)>;
    Course<G, D> course(*this, f, box, request);
    auto result = course.finish_at_once();
    if (options_.close_look) {
      CloseLook const look{box.dimension(), CubatureRule(options_.rule, box.dimension(), request.where).points(),
                           on_device_of_its_own<Space>, memory_.ranks};
      Callback const none;
      look.check(result, request.limits, [&](int level, Limits const& rest) {
        return Course<G, D>(*this, f, box, request.within(rest).reporting_to(none), level).finish_at_once();
      });
    }
    return to_result<ResultValue<G, typename P::eval_type, D>>(std::move(result));
  }

  /// Components known at run time, see padded().
  template <class F, int D>
  SeveralResult solve(BatchedComponents<F> const& integrand, Box<D> const& box, Request const& request) {
    return padded(integrand, std::string(Described<Pagani<P>>::name), request.where,
                  [&](auto const& f) { return solve(f, box, request); });
  }

  /// One call: its engine, its estimates and its strategy. It may pause and then continue as if it had not, while other
  /// methods are called; the solver is used by no other call meanwhile.
  /// @tparam F the integrand in its form on the device
  template <class F, int D>
  class Course {
  public:
    /// The callback must stay valid.
    /// @param level of the first grid, see Cubature::start(); its evaluations must be affordable
    Course(Solver& solver, F const& f, Box<D> const& box, Request const& request, int level = 0)
        : solver_(solver), rule_(solver.options_.rule, box.dimension(), request.where),
          run_("pagani", components, request, solver.memory_.ranks),
          engine_(solver.memory_, rule_, f, box, solver.options_.non_finite, request, level, run_),
          strategy_(for_strategy(f, box, request), engine_, run_, solver.memory_.ranks) {
      run_.locate_by([this](std::uint64_t count) { return engine_.not_finite(count); });
    }
    Course(Course const&) = delete; // the estimates refer to it

    /// See PaganiStrategy.
    template <class Pause>
    bool go_on(Pause const& pause) {
      Kokkos::Profiling::ScopedRegion region("kubature::pagani");
      return strategy_.go_on(pause);
    }

    /// Limits the call to this many evaluations, including those made so far.
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
    static constexpr int components = ValueTraits<ResultValue<F, typename P::eval_type, D>>::components;

    PaganiRequest for_strategy(F const& f, Box<D> const& box, Request const& request) {
      auto const& options = solver_.options_;
      return {box.dimension(),
              request.tolerance,
              solver_.memory_.cubature.leave(f, rule_, request.limits.bytes),
              rule_.points(),
              Cubature<Space>::least_relative(rule_, RegionIntegral<P, F, D>::epsilon),
              options.relative_filter,
              options.threshold,
              options.iterations};
    }

    SeveralResult sign(SeveralResult result) const {
      return signed_by<Space>(std::move(result), solver_.options_.precision, {}, solver_.memory_.ranks);
    }

    Solver& solver_;
    CubatureRule rule_;
    RegionEstimates run_;
    RegionsOfCall<P, Space, F, D> engine_;
    PaganiStrategy strategy_;
  };

private:
  Pagani<P> options_;
  PaganiMemory<Space> memory_;
};

} // namespace detail
} // namespace kubature
