#pragma once

#include <kubature/driver.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace kubature::detail {

/// The option `driver` as a number, for an integrand of `components` components: a component's, or a Driver's.
/// Throws InvalidArgument if there is no component of that number.
template <class Method>
int driving_component(Method const& method, int components, std::source_location where) {
  int const driver = static_cast<int>(method.driver);
  require(driver >= static_cast<int>(Driver::balanced) && driver < components,
          std::string(Described<Method>::type) + ".driver", driver,
          "the integrand has " + std::to_string(components) + (components == 1 ? " component" : " components"), where);
  return components == 1 ? 0 : driver;
}

/// The weights of C components in what trains the map, as kernels use them.
template <int C>
struct DriverWeights {
  static constexpr int components = C;
  double of[C] = {};

  KOKKOS_FUNCTION double operator()(int c) const { return of[c]; }
};

/// What trains the map, for C components of W samples: the weighted sum of their magnitudes.
template <class Acc, int C, int W>
struct Driving {
  Acc const (&values)[C][W];
  DriverWeights<C> const& weights;

  /// Of sample w. A component without weight has no influence, even if it is not finite.
  KOKKOS_FUNCTION Acc operator[](int w) const {
    Acc result = 0;
    for (int c = 0; c < C; ++c)
      result += weights.of[c] > 0 ? static_cast<Acc>(weights.of[c]) * Kokkos::abs(values[c][w]) : Acc(0);
    return result;
  }
};

/// The weight of each component in the training of map and strata in one call.
class ComponentWeights {
public:
  /// @param driver see driving_component()
  ComponentWeights(int driver, int components);

  /// Whether the weights are determined from samples.
  bool balanced() const { return balanced_; }
  std::vector<double>& values() { return of_; }
  std::vector<double> const& values() const { return of_; }
  /// As DriverWeights; components behind those of the integrand have zero weight.
  template <class Weights>
  Weights as() const {
    Weights result;
    std::copy_n(of_.begin(), std::min<std::size_t>(Weights::components, of_.size()), result.of);
    return result;
  }

  /// Sets the weights that give components equal shares, if they are to be balanced. Those that were zero everywhere
  /// get the largest weight of the others.
  /// @param magnitudes an estimate of the integral of |f_c| for each component, up to a common factor
  /// @returns the factor by which what trains the map may have grown
  double learn(std::span<double const> magnitudes);

private:
  bool balanced_;
  std::vector<double> of_;
};

/// For one number per component: the root of the sum of the squares of those that drive the map, each times its weight.
double driving(std::span<double const> values, ComponentWeights const& weights);

/// Whether the samples of an iteration have found what dominates the integral: then the map shows where the integrand
/// dies away.
bool resolved(Iteration<std::vector<double>> const& iteration, ComponentWeights const& weights);

} // namespace kubature::detail
