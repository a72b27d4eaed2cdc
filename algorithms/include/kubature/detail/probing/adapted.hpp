#pragma once

#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/policies/precision_policy.hpp>
#include <kubature/detail/probing/plan.hpp>
#include <kubature/detail/probing/prober.hpp>
#include <kubature/integrand.hpp>
#include <kubature/options.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_choice.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {
class VegasMap;
}

namespace kubature::detail {

/// A method with the policy `adaptive`: it evaluates the integrand at a few points before each call, and uses fp32 if
/// rounding stays below a tenth of the tolerance or, without one, below 1e-6 of the integral; otherwise fp64. With
/// several components this must hold for each.
template <template <class> class Method, class Space>
class Adapted {
public:
  Adapted(Space const& exec, Communicator const& ranks, Method<Adaptive> const& options)
      : exec_(exec), ranks_(ranks), prober_(policy<PrecisionPolicy>().points, seed_of(options)),
        double_(exec, ranks, with_precision<Fp64>(options)), single_(exec, ranks, with_precision<Fp32>(options)) {
    if constexpr (keeps_checkpoints) {
      double_.checkpoint_file().serve_adaptive();
      single_.checkpoint_file().serve_adaptive();
    }
  }

  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    require_few_variables<D>();
    static_assert(
        !is_batched<F>,
        "the policy `adaptive` compares formats, but an integrand made by batched() is only evaluated in fp64");
    if constexpr (!HasDeviceForm<F, Space>)
      static_assert(Integrand<F, float, D> && Integrand<F, double, D>,
                    "the policy `adaptive` evaluates in float or double: make the integrand a template in Real");
    auto const where = request.where;
    check(request.tolerance, where);
    check(request.limits, where);
    auto limits = request.limits;
    Kokkos::Timer const timer;
    auto const seconds = limits.seconds;
    auto const probing = prober_.evaluations(1, box.dimension());
    bool const affordable = limits.evaluations > 2 * probing;
    in_single_ = false;
    choices_.clear();
    if (affordable) {
      choose(integrand, box, request.tolerance, where);
      limits.evaluations -= probing;
    }
    if constexpr (keeps_checkpoints)
      if (double_.checkpoint_file().precision(where) == precision_name(fp64))
        prefer_double();
    // If no time is left, the method itself reports the limit.
    auto const time_left = [&] { return std::max(seconds - timer.seconds(), std::numeric_limits<double>::min()); };
    limits.seconds = time_left();
    using OnDevice = std::remove_const_t<decltype(on_device<Fp64, D>(exec_, integrand, box, where))>;
    using Value = ResultValue<OnDevice, double, D>;
    auto result = in_single_ ? detail::solve<Value>(single_, integrand, box, request.within(limits))
                             : detail::solve<Value>(double_, integrand, box, request.within(limits));
    bool const some_left = limits.evaluations > result.evaluations &&
                           static_cast<std::size_t>(limits.iterations) > result.iterations.size();
    if (in_single_ && may_be_rounding(result.status) && some_left &&
        !ranks_.any(std::isfinite(seconds) && timer.seconds() >= seconds)) {
      limits.evaluations -= result.evaluations;
      if (limits.iterations < Limits{}.iterations)
        limits.iterations -= static_cast<int>(result.iterations.size());
      limits.seconds = time_left();
      if constexpr (keeps_checkpoints)
        double_.checkpoint_file().forget();
      prefer_double();
      double const before = timer.seconds();
      Callback const goes_on = [&](Progress progress) {
        progress.iteration += static_cast<int>(result.iterations.size());
        progress.evaluations += result.evaluations;
        progress.seconds += before;
        return request.callback(progress);
      };
      auto again = detail::solve<Value>(
          double_, integrand, box, request.within(limits).reporting_to(request.callback ? goes_on : request.callback));
      again.remarks.push_back("fp32 ended with " + std::string(to_string(result.status)) + "; repeated in fp64");
      result = behind(std::move(result), std::move(again));
    }
    result.evaluations += affordable ? probing : 0;
    result.seconds = timer.seconds();
    result.precision = "adaptive: " + result.precision;
    return result;
  }

  /// The choices of the last call for the integrand, or for each component, and their reasons.
  std::vector<PrecisionChoice> const& choices() const { return choices_; }

  /// See the method's map().
  auto map() const
    requires requires(Solver<Method<Fp64>, Space> const& i) { i.map(); }
  {
    return in_single_ ? single_.map() : double_.map();
  }
  void use(VegasMap const& map)
    requires requires(Solver<Method<Fp64>, Space>& i, VegasMap const& m) { i.use(m); }
  {
    double_.use(map);
    single_.use(map);
  }

private:
  static std::uint64_t seed_of(Method<Adaptive> const& options) {
    if constexpr (requires { options.seed; })
      return options.seed;
    else
      return 0;
  }

  /// The second try's result, with the cost and the findings of the first one.
  template <class Value>
  static Result<Value> behind(Result<Value> first, Result<Value> second) {
    for (auto& iteration : first.iterations)
      iteration.included = false;
    first.iterations.insert(first.iterations.end(), second.iterations.begin(), second.iterations.end());
    second.iterations = std::move(first.iterations);
    second.evaluations += first.evaluations;
    second.regions += first.regions;
    second.non_finite += first.non_finite;
    return second;
  }

  /// Whether a call in fp32 may have ended this way because fp32 has too few digits or too small a range.
  static bool may_be_rounding(Status status) {
    return status == Status::precision_limit || status == Status::non_finite || status == Status::no_variance;
  }

  void prefer_double() {
    in_single_ = false;
    for (auto& choice : choices_)
      choice.format = Format::binary64;
  }

  template <class F, int D>
  void choose(F const& integrand, Box<D> const& box, Tolerance tolerance, std::source_location where) {
    auto const f = on_device<Fp64, D>(exec_, integrand, box, where);
    using G = std::remove_const_t<decltype(f)>;
    constexpr int components = ValueTraits<IntegrandValue<G, double, D>>::components;
    using Parts = ComponentsOfIntegrand<G, components>;
    auto const seen = prober_.template probe<float>(exec_, Parts{f}, box, {SubBox{}});
    double volume = 1;
    for (int i = 0; i < box.dimension(); ++i)
      volume *= std::isfinite(box[i].upper - box[i].lower) ? box[i].upper - box[i].lower : 1;
    bool const asked = tolerance.asked();
    in_single_ = true;
    for (int c = 0; c < components; ++c) {
      ProbedCell const whole{SubBox{}, seen[static_cast<std::size_t>(c)]};
      std::vector<PrecisionChoice> choice{whole.seen.describe(operations_of(integrand, 0))};
      choice[0].name = components == 1 ? "integrand" : "component " + std::to_string(c + 1);
      choice[0].bound[static_cast<int>(Format::binary32)] += Described<Method<Fp64>>::single_bias * choice[0].average;
      auto const& by = policy<PrecisionPolicy>();
      double const allowed = rounding_tolerance({&whole, 1}, box.dimension(), volume,
                                                asked ? tolerance : Tolerance{.relative = by.usual_relative},
                                                asked ? by.rounding_part : 1, 1);
      choose_formats(choice, allowed, costs_of<Space>({}, Format::binary32));
      in_single_ = in_single_ && choice[0].format == Format::binary32;
      choices_.push_back(choice[0]);
    }
    if (!in_single_)
      prefer_double();
  }

  static constexpr bool keeps_checkpoints = requires(Method<Fp64> const& options) { options.checkpoint; };

  Space exec_;
  Communicator ranks_;
  bool in_single_ = false;
  std::vector<PrecisionChoice> choices_;
  Prober<Space> prober_;
  Solver<Method<Fp64>, Space> double_;
  Solver<Method<Fp32>, Space> single_;
};

/// The solver of an Integrator: the method's own solver, or both of its precisions.
template <class Method, class Space>
struct SolverFor {
  using type = Solver<Method, Space>;
};
template <template <class> class Method, class Space>
struct SolverFor<Method<Adaptive>, Space> {
  using type = Adapted<Method, Space>;
};

} // namespace kubature::detail
