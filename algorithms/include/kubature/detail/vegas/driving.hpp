#pragma once

#include <kubature/driver.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <source_location>
#include <string>

namespace kubature::detail {

/// The component that trains the map, of `components`, or -1 for the sum of their magnitudes. Throws InvalidArgument if
/// there is none of that number.
template <class Method>
int driving_component(Method const& method, int components, std::source_location where) {
  int const driver = static_cast<int>(method.driver);
  require(driver >= -1 && driver < components, std::string(Described<Method>::type) + ".driver", driver,
          "the integrand has " + std::to_string(components) + (components == 1 ? " component" : " components"), where);
  return components == 1 ? 0 : driver;
}

/// What trains the map, of C components of W samples.
template <class Acc, int C, int W>
struct Driving {
  Acc const (&values)[C][W];
  int driver;

  /// Of sample w. Written without values[driver], which would keep values out of registers.
  KOKKOS_FUNCTION Acc operator[](int w) const {
    Acc result = driver < 0 ? Kokkos::abs(values[0][w]) : values[0][w];
    for (int c = 1; c < C; ++c)
      result = driver < 0 ? result + Kokkos::abs(values[c][w]) : c == driver ? values[c][w] : result;
    return result;
  }
};

/// Given a number per component, that of the component that drives the map; -1: the root of the sum of all squares.
template <class Value>
double driving(Value const& values, int driver) {
  using Traits = ValueTraits<Value>;
  double squares = 0;
  for (int c = 0; c < Traits::components; ++c)
    if (Traits::components == 1 || driver < 0 || c == driver)
      squares += std::pow(Traits::get(values, c), 2);
  return std::sqrt(squares);
}

/// Whether the samples of an iteration have found what dominates the integral: then the map shows where the integrand
/// dies away.
template <class Value>
bool resolved(Iteration<Value> const& iteration, int driver) {
  return driving(iteration.error, driver) < 0.05 * driving(iteration.value, driver);
}

} // namespace kubature::detail
