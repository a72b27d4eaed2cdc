#pragma once

#include <kubature/box.hpp>
#include <kubature/channel_use.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/automatic/auto_strategy.hpp>
#include <kubature/detail/automatic/methods.hpp>
#include <kubature/detail/components/padded.hpp>
#include <kubature/integrator.hpp>
#include <kubature/pagani.hpp>
#include <kubature/precision.hpp>
#include <kubature/result.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {

/// Chooses the method. PAGANI, quasi-Monte Carlo and VEGAS+ each make a short call, unless one of them meets the
/// tolerance at once. The method predicted to meet it with the least work continues; if its prediction fails, another
/// takes over (docs/methods/auto.md). More than 20 variables are left to quasi-Monte Carlo. The choice depends only on
/// numbers of evaluations, never on the clock, so the results have the same bits every time and on every rank. The
/// result's `method` is the one that computed it, and a remark gives the reason.
template <class P = Fp64>
struct Auto {
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Channels channels = Channels::automatic; ///< whether narrow peaks are searched for, and integrated one by one
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class P>
struct Described<Auto<P>> {
  using M = Auto<P>;
  static constexpr std::string_view type = "Auto", name = "auto";
  static constexpr Abilities serves{.batches = true,
                                    .several = true,
                                    .many_variables = true,
                                    .distributed = true,
                                    .suites = false}; // it calls other methods
  static constexpr double single_bias = detail::SingleBias::cubature;
  static constexpr std::tuple options{
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<Auto<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, Auto<P> const& options)
      : exec_(exec), ranks_(ranks), options_(options),
        pagani_(exec, ranks, Pagani<P>{.precision = options.precision, .non_finite = options.non_finite}),
        close_(exec, ranks, Pagani<P>{.precision = options.precision, .non_finite = options.non_finite}) {}

  /// A tolerance is required.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    check(request.tolerance, request.where);
    check(request.limits, request.where);
    require(request.tolerance.asked(), "Tolerance.relative", request.tolerance.relative,
            "a method can only be chosen for a tolerance; give one, or name the method", request.where);
    using Methods = AutoMethods<P, Space, F, D>;
    if constexpr (many_variables<D>) {
      return solve_evenly<typename Methods::Value>(integrand, box, request);
    } else {
      Methods methods(pagani_, close_,
                      {exec_, ranks_, options_.seed, options_.precision, options_.non_finite, integrand, box, request});
      AutoStrategy strategy(auto_policy(on_device_of_its_own<Space>), methods, box.dimension(), request, ranks_);
      return to_result<typename Methods::Value>(strategy.finish());
    }
  }
  /// Components known at run time, see padded().
  template <class F, int D>
  SeveralResult solve(BatchedComponents<F> const& integrand, Box<D> const& box, Request const& request) {
    return padded(integrand, std::string(Described<Auto<P>>::name), request.where,
                  [&](auto const& f) { return solve(f, box, request); });
  }

private:
  /// There is no cubature in more than 20 variables, and random samples have larger errors than those that are even.
  template <class Value, class F, int D>
  Result<Value> solve_evenly(F const& integrand, Box<D> const& box, Request const& request) {
    typename SolverFor<QuasiMonteCarlo<P>, Space>::type even(
        exec_, ranks_,
        {.evaluations = 1 << 16, // doubled until the tolerance is met
         .seed = options_.seed,
         .precision = options_.precision,
         .non_finite = options_.non_finite});
    auto result = detail::solve<Value>(even, integrand, box, request);
    result.remarks.push_back("auto: qmc, as there are more than 20 variables");
    return result;
  }

  Space exec_;
  Communicator ranks_;
  Auto<P> options_;
  typename SolverFor<Pagani<P>, Space>::type pagani_, close_;
};

} // namespace detail

/// Integrates f over the box to a tolerance, by the method that suits it best: see Auto.
template <class F, int D>
auto integrate(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits = {},
               Callback const& callback = {}, std::source_location where = std::source_location::current()) {
  return integrate(Auto{}, integrand, box, tolerance, limits, callback, where);
}

/// The same over a domain that is no box (see kubature/domains.hpp).
template <class F, Domain M>
auto integrate(F const& integrand, M const& domain, Tolerance tolerance, Limits limits = {},
               Callback const& callback = {}, std::source_location where = std::source_location::current()) {
  return integrate(Auto{}, integrand, domain, tolerance, limits, callback, where);
}

} // namespace kubature
