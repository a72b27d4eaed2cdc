#pragma once

#include "options.hpp"

#include <kubature/integrate.hpp>

#include <array>
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

template <class P>
MCubes<P> mcubes(MethodOptions const& options, bool one_map) {
  auto method = sampling(MCubes<P>{}, options);
  method.adapt = options.adapt.value_or(method.adapt);
  // Fewer iterations than by default skip fewer, too.
  method.skip = options.skip.value_or(std::min(method.skip, method.iterations / 2));
  method.bins = options.bins.value_or(method.bins);
  method.alpha = options.alpha.value_or(method.alpha);
  method.one_map = one_map;
  return method;
}

} // namespace detail

/// A method of the program: its name, what it is, whether it needs an integrand that is the same in all
/// variables, and how its options are made.
struct Mc {
  static constexpr std::string_view name = "mc", summary = "plain Monte Carlo";
  static constexpr bool symmetric_only = false;
  template <class P>
  static auto make(MethodOptions const& options) {
    return detail::sampling(PlainMonteCarlo<P>{}, options);
  }
};

struct Mcubes {
  static constexpr std::string_view name = "mcubes", summary = "m-Cubes: importance sampling, a map for each axis";
  static constexpr bool symmetric_only = false;
  template <class P>
  static auto make(MethodOptions const& options) {
    return detail::mcubes<P>(options, false);
  }
};

struct Mcubes1d {
  static constexpr std::string_view name = "mcubes-1d",
                                    summary = "m-Cubes with one map for all axes, for symmetric integrands";
  static constexpr bool symmetric_only = true;
  template <class P>
  static auto make(MethodOptions const& options) {
    return detail::mcubes<P>(options, true);
  }
};

/// All methods; the first is the default of `kubature integrate`.
using Methods = std::tuple<Mcubes, Mcubes1d, Mc>;

struct MethodInfo {
  std::string_view name, summary;
  bool symmetric_only;
};

inline constexpr auto methods = []<class... M>(std::type_identity<std::tuple<M...>>) {
  return std::array{MethodInfo{M::name, M::summary, M::symmetric_only}...};
}(std::type_identity<Methods>{});

/// Integrates with the method of that name, which is one of the above.
template <class P, class F, int D>
Result<> solve(std::string_view name, MethodOptions const& options, F const& integrand, Box<D> const& box,
               Callback const& callback) {
  Result<> result;
  auto const try_method = [&]<class M>(M) {
    if (name == M::name)
      result = integrate(M::template make<P>(options), integrand, box, options.tolerance, options.limits, callback);
  };
  std::apply([&](auto... method) { (try_method(method), ...); }, Methods{});
  return result;
}

} // namespace kubature::app
