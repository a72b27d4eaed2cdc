#pragma once

#include "record.hpp"

#include <kubature/integrator.hpp>
#include <kubature/mcubes.hpp>
#include <kubature/plain_monte_carlo.hpp>
#include <kubature/result.hpp>
#include <kubature/suite/entry.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_plus.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kubature::perf {

/// A method and the options that the study varies.
struct Method {
  std::string name = "vegas+"; ///< or "mcubes", "mcubes-1d", "mc"
  double evaluations = 1e6;
  int iterations = 20;
  std::optional<int> adapt = {}; ///< by default that of the method
  int skip = 5;
  int bins = 0; ///< by default that of the method
  double beta = 0.75;
  std::uint64_t seed = 0;
};

/// An integrator for one integrand: later calls build on what earlier ones trained.
using Call = std::function<Result<>(Tolerance, Limits, Callback const&)>;

/// An integrand of the study. It hides the kernels of all methods, which are compiled in several sources since they
/// take long.
struct Integrand {
  std::string name; ///< as in the suite
  int dimension;
  double value;
  bool symmetric;
  int cost; ///< see suite::Entry
  /// Makes a fresh integrator.
  std::function<Call(Method const&)> integrator;
};

template <class Options, class F, int D>
Call integrator(Options const& options, F const& f, Box<D> const& box) {
  auto const kept = std::make_shared<Integrator<Options, Space>>(Space(), options);
  return [kept, f, box](Tolerance tolerance, Limits limits, Callback const& callback) {
    return kept->integrate(f, box, tolerance, limits, callback);
  };
}

template <class P, class F, int D>
Call integrator(Method const& method, P precision, F const& f, Box<D> const& box) {
  auto const evaluations = static_cast<std::uint64_t>(method.evaluations);
  if (method.name == "vegas+")
    return integrator(VegasPlus<P>{.evaluations = evaluations,
                                   .iterations = method.iterations,
                                   .adapt = method.adapt.value_or(VegasPlus<P>{}.adapt),
                                   .skip = method.skip,
                                   .bins = method.bins,
                                   .beta = method.beta,
                                   .seed = method.seed,
                                   .precision = precision},
                      f, box);
  if (method.name == "mcubes" || method.name == "mcubes-1d")
    return integrator(MCubes<P>{.evaluations = evaluations,
                                .iterations = method.iterations,
                                .adapt = method.adapt.value_or(MCubes<P>{}.adapt),
                                .skip = method.skip,
                                .bins = method.bins > 0 ? method.bins : MCubes<P>{}.bins,
                                .one_map = method.name == "mcubes-1d",
                                .seed = method.seed,
                                .precision = precision},
                      f, box);
  if (method.name == "mc")
    return integrator(
        PlainMonteCarlo<P>{
            .evaluations = evaluations, .iterations = method.iterations, .seed = method.seed, .precision = precision},
        f, box);
  throw std::invalid_argument("no method is called " + method.name);
}

template <class P, class F, int D>
std::function<Call(Method const&)> integrators(P precision, F const& f, Box<D> const& box) {
  return [=](Method const& method) { return integrator(method, precision, f, box); };
}

/// Adds the integrands with the listed types from a part of the suite, such as suite::Genz.
template <class Suite, class... Wanted>
void add_from_suite(std::vector<Integrand>& integrands) {
  suite::for_each<Suite>([&]<class F, int D>(auto const& entry, F const& f, Box<D> const& box) {
    if constexpr ((std::is_same_v<F, Wanted> || ...))
      integrands.push_back(
          {std::string(entry.name), D, entry.value, entry.symmetric, entry.cost, integrators(fp64, f, box)});
  });
}

void add_genz(std::vector<Integrand>& integrands);             ///< f1 to f6 of the m-Cubes paper
void add_zmcintegral(std::vector<Integrand>& integrands);      ///< fA and fB of the m-Cubes paper
void add_cuvegas(std::vector<Integrand>& integrands);          ///< of the cuVegas paper
void add_linear(std::vector<Integrand>& integrands);           ///< the sum of D variables, "linear-2" to "linear-20"
void add_single_precision(std::vector<Integrand>& integrands); ///< "f4-5d fp32"

} // namespace kubature::perf
