#pragma once

#include "options.hpp"
#include "precisions.hpp"
#include "processes.hpp"

#include <kubature/integrate.hpp>
#include <kubature/vegas_map.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>

namespace kubature::app {
namespace detail {

/// The options that all Monte Carlo methods have.
template <class Method>
Method sampling(Method method, MethodOptions const& options) {
  method.evaluations = options.evaluations.value_or(method.evaluations);
  method.iterations = options.iterations.value_or(method.iterations);
  method.seed = options.seed;
  method.non_finite = options.non_finite;
  return method;
}

/// And those that have a map.
template <class Method>
Method importance_sampling(Method method, MethodOptions const& options) {
  method = sampling(method, options);
  method.adapt = options.adapt.value_or(method.adapt);
  // Fewer iterations than by default skip fewer, too.
  int const few = method.iterations > 0 ? method.iterations / 2 : method.skip;
  method.skip = options.skip.value_or(std::min(method.skip, few));
  method.bins = options.bins.value_or(method.bins);
  method.alpha = options.alpha.value_or(method.alpha);
  return method;
}

} // namespace detail

/// A method of the program: its name, what it is, whether it needs an integrand that is the same in all
/// variables, whether it is cubature, which has no random part and no work of its own, whether suites are run by it
/// unless others are named, whether it trains a map, whether it keeps checkpoints, whether several processes can work
/// together, and how its options are made.
struct VegasPlusMethod {
  static constexpr std::string_view name = "vegas+",
                                    summary = "VEGAS+: importance sampling with adaptive stratification";
  static constexpr bool symmetric_only = false, cubature = false, in_suites = true, maps = true, checkpoints = true,
                        distributed = true;
  template <class P>
  static auto make(MethodOptions const& options) {
    auto method = detail::importance_sampling(VegasPlus<P>{}, options);
    method.beta = options.beta.value_or(method.beta);
    method.redistribute = options.redistribute.value_or(method.redistribute);
    method.checkpoint = options.checkpoint;
    return method;
  }
};

struct Mc {
  static constexpr std::string_view name = "mc", summary = "plain Monte Carlo";
  static constexpr bool symmetric_only = false, cubature = false, in_suites = true, maps = false, checkpoints = false,
                        distributed = true;
  template <class P>
  static auto make(MethodOptions const& options) {
    return detail::sampling(PlainMonteCarlo<P>{}, options);
  }
};

struct Mcubes {
  static constexpr std::string_view name = "mcubes", summary = "m-Cubes: importance sampling, a map for each axis";
  static constexpr bool symmetric_only = false, cubature = false, in_suites = true, maps = true, checkpoints = false,
                        distributed = true;
  template <class P>
  static auto make(MethodOptions const& options) {
    return detail::importance_sampling(MCubes<P>{}, options);
  }
};

struct Mcubes1d {
  static constexpr std::string_view name = "mcubes-1d",
                                    summary = "m-Cubes with one map for all axes, for symmetric integrands";
  static constexpr bool symmetric_only = true, cubature = false, in_suites = true, maps = true, checkpoints = false,
                        distributed = true;
  template <class P>
  static auto make(MethodOptions const& options) {
    auto method = detail::importance_sampling(MCubes<P>{}, options);
    method.one_map = true;
    return method;
  }
};

struct PaganiMethod {
  static constexpr std::string_view name = "pagani",
                                    summary = "PAGANI: adaptive cubature, refines many regions at once";
  static constexpr bool symmetric_only = false, cubature = true, in_suites = true, maps = false, checkpoints = false,
                        distributed = true;
  template <class P>
  static auto make(MethodOptions const& options) {
    Pagani<P> method;
    method.rule = options.rule;
    method.relative_filter = options.relative_filter;
    method.iterations = options.iterations.value_or(method.iterations);
    method.non_finite = options.non_finite;
    return method;
  }
};

struct TwoPhaseMethod {
  static constexpr std::string_view name = "two-phase",
                                    summary = "two-phase cubature, as published: to compare PAGANI with";
  static constexpr bool symmetric_only = false, cubature = true, in_suites = false, maps = false, checkpoints = false,
                        distributed = false;
  template <class P>
  static auto make(MethodOptions const& options) {
    TwoPhase<P> method;
    method.rule = options.rule;
    method.non_finite = options.non_finite;
    return method;
  }
};

struct MixedMethod {
  static constexpr std::string_view name = "mixed",
                                    summary = "Monte Carlo in mixed precision, by term, by region or both (--strategy)";
  static constexpr bool symmetric_only = false, cubature = false, in_suites = false, maps = false, checkpoints = false,
                        distributed = true;
  /// Whatever the precision: it chooses its own.
  template <class P>
  static auto make(MethodOptions const& options) {
    auto method = detail::sampling(MixedPrecision<>{}, options);
    method.strategy = options.strategy;
    return method;
  }
};

/// All methods; the first is the default of `kubature integrate`.
using Methods = std::tuple<VegasPlusMethod, Mcubes, Mcubes1d, Mc, PaganiMethod, TwoPhaseMethod, MixedMethod>;

struct MethodInfo {
  std::string_view name, summary;
  bool symmetric_only, cubature, in_suites, maps, checkpoints, distributed;
};

inline constexpr auto methods = []<class... M>(std::type_identity<std::tuple<M...>>) {
  return std::array{MethodInfo{M::name, M::summary, M::symmetric_only, M::cubature, M::in_suites, M::maps,
                               M::checkpoints, M::distributed}...};
}(std::type_identity<Methods>{});

/// The method of that name; throws BadInput.
inline MethodInfo const& find_method(std::string_view name) {
  std::string known;
  for (auto const& method : methods) {
    if (method.name == name)
      return method;
    known += (known.empty() ? "" : ", ") + std::string(method.name);
  }
  throw BadInput("--method", std::string(name), "no such method; there are " + known);
}

/// Refuses a method that several processes cannot share. Throws BadInput.
inline void check_processes(MethodInfo const& method) {
  if (processes().size() > 1 && !method.distributed)
    throw BadInput("--method", std::string(method.name), "it works in one process, not several");
}

/// What a call of a method may use at most. The numbers of evaluations and iterations are part of a Monte Carlo
/// method's own work; for cubature they are limits.
template <class M>
Limits limits_of(MethodOptions const& options) {
  Limits limits = options.limits;
  if (M::cubature) {
    limits.evaluations = options.evaluations.value_or(limits.evaluations);
    limits.iterations = options.iterations.value_or(limits.iterations);
  }
  return limits;
}

/// Integrates with the method of that name, which is one of the above; mixed only serves the precision adaptive.
template <class P, class F, int D>
Result<> solve(std::string_view name, MethodOptions const& options, F const& integrand, Box<D> const& box,
               Callback const& callback, Kept& kept) {
  Result<> result;
  auto const call = [&]<class M>(M) {
    Kokkos::DefaultExecutionSpace const exec;
    auto integrator = [&] {
      if constexpr (M::distributed)
        return Integrator(exec, processes(), M::template make<P>(options));
      else
        return Integrator(exec, M::template make<P>(options));
    }();
    if constexpr (M::maps)
      if (kept.map)
        integrator.use(*kept.map);
    result = integrator.integrate(integrand, box, options.tolerance, limits_of<M>(options), callback);
    if constexpr (M::maps)
      if (kept.keep_map && !result.iterations.empty() && result.status != Status::non_finite)
        kept.map = integrator.map();
    if constexpr (requires { integrator.choices(); })
      kept.choices = integrator.choices();
  };
  auto const try_method = [&]<class M>(M method) {
    if constexpr (!std::is_same_v<M, MixedMethod> || std::is_same_v<P, Adaptive>)
      if (name == M::name)
        call(method);
  };
  std::apply([&](auto... method) { (try_method(method), ...); }, Methods{});
  return result;
}

} // namespace kubature::app
