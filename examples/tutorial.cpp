// What the tutorials show in C++: formulas, on domains and with poles; a scan of a parameter by one call for all of its
// values; and several components with their correlations. Every integral has a known value.
#include <kubature/expression.hpp>
#include <kubature/formula_domain.hpp>
#include <kubature/integrate.hpp>
#include <kubature/integrate_many.hpp>
#include <kubature/runtime/integrator.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

/// Decays at a rate that is the parameter.
struct Decay {
  KOKKOS_FUNCTION double operator()(kubature::Point<double, 2> const& x, double rate) const {
    return Kokkos::exp(-rate * x[0] * x[1]);
  }
};

/// A density that is not normalised, and the density times x.
struct Moments {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(kubature::Point<double, 3> const& x) const {
    double const density = Kokkos::exp(-(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    return {density, x[0] * density};
  }
};

int failures = 0;

void check(double value, double truth, double allowed) {
  std::printf("%.10f\n", value);
  failures += !(std::abs(value - truth) <= allowed);
}

void domain() {
  auto const triangle = kubature::FormulaDomain::parse("x=0:1, y=0:x");
  auto const f = triangle.on(kubature::Expression::parse("x*y", {"x", "y"}));
  auto const result = kubature::integrate(kubature::Pagani{}, f, triangle.box(), {.relative = 1e-9});
  check(result.value, 0.125, 1e-9);
}

void pole() {
  auto const f = kubature::Expression::parse("1/sqrt(1-x)");
  kubature::runtime::Integrator automatic(kubature::runtime::Settings("auto").set("relative", 1e-10));
  std::vector<double> const lower{0}, upper{1};
  auto const result = automatic.integrate(f, kubature::runtime::box(lower, upper));
  check(result.value, 2, 2e-10);
}

void scan() {
  std::vector<double> const rates{0.5, 1, 2, 4};
  std::vector<kubature::Box<2>> const boxes(1); // one for all: the unit square
  auto const results = kubature::integrate_many(kubature::Pagani{}, Decay{}, boxes, rates, {.relative = 1e-8});
  for (std::size_t i = 0; i < rates.size(); ++i)
    std::printf("rate %g: %.8f\n", rates[i], results.value[i]);
  check(results.value[1], 0.7965995992970531, 1e-8);
}

void components() {
  kubature::VegasPlus const method{.evaluations = 100'000, .covariance = kubature::Covariance::full};
  auto const result = kubature::integrate(method, Moments{}, kubature::Box<3>{}, {.relative = 1e-4});
  auto const mean = result.ratio(1, 0); // of x; its error takes the correlation of both into account
  std::printf("<x> = %.6f +- %.6f\n", mean.value, mean.error);
  double const truth = (1 - std::exp(-1)) / (std::sqrt(M_PI) * std::erf(1.0));
  check(mean.value, truth, 5 * mean.error);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  domain();
  pole();
  scan();
  components();
  return failures;
}
