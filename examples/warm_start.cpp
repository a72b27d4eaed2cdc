// A family of integrands that differ in a parameter, as in a likelihood scan: the integrator keeps its map and buffers
// from one to the next. The integrand's state lies in a table that is filled at run time.
#include <kubature/integrate.hpp>
#include <kubature/table.hpp>

#include <cmath>
#include <iostream>
#include <vector>

struct Spectrum {
  kubature::Table1D<> shape; // tabulated exp(-30 t) over t = x + y
  double slope;

  KOKKOS_FUNCTION double operator()(kubature::Point<double, 2> const& x) const {
    return shape(x[0] + x[1]) * (1 + slope * x[0]);
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  std::vector<double> t, values;
  for (int k = 0; k <= 4000; ++k) {
    t.push_back(k / 2000.0);
    values.push_back(std::exp(-30 * t.back()));
  }
  kubature::Table1D<> const shape({{t}}, values);

  kubature::Integrator integrator(Kokkos::DefaultExecutionSpace(), kubature::MCubes{.evaluations = 20'000});
  bool right = true;
  for (double slope : {0.0, 1.0, 2.0}) {
    auto const result = integrator.integrate(Spectrum{shape, slope}, kubature::Box<2>{}, {.relative = 2e-4}, {},
                                             [](auto const& progress) {
                                               return progress.iteration < 20; // a place to report, or to stop
                                             });
    // The integrals of exp(-30 t) and t exp(-30 t) over [0, 1], up to exp(-30).
    double const truth = 1 / 900.0 + slope / 27'000.0;
    std::cout << "slope " << slope << ": " << result << '\n';
    right &= result.status == kubature::Status::converged &&
             std::abs(result.value - truth) < 5 * result.error + 1e-4 * truth;
  }
  return right ? 0 : 1;
}
