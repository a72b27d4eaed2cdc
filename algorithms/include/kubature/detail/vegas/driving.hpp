#pragma once

#include <kubature/driver.hpp>
#include <kubature/error.hpp>
#include <kubature/options.hpp>

#include <Kokkos_Core.hpp>

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

} // namespace kubature::detail
