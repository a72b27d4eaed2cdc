#include <kubature/runtime/integrator.hpp>

#include <span>

double by_name(char const* method, char const* integrand, std::span<double const> lower,
               std::span<double const> upper) {
  kubature::runtime::Integrator integrator(kubature::runtime::Settings(method).set("relative", 1e-6));
  return integrator.integrate(kubature::Expression::parse(integrand), kubature::runtime::box(lower, upper)).value;
}
