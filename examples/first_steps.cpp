// An integrand compiled, the same as an expression, and an infinite domain. Every integral has a known value.
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>

#include <cmath>
#include <iostream>

// Generic in Real, so that it serves every precision.
struct Peak {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(kubature::Point<Real, 3> const& x) const {
    Real square = 0;
    for (int i = 0; i < 3; ++i)
      square += (x[i] - Real(0.3)) * (x[i] - Real(0.3));
    return Kokkos::exp(Real(-50) * square);
  }
};

bool report(char const* what, kubature::Result<> const& result, double truth) {
  std::cout << what << ": " << result << '\n';
  return result.status == kubature::Status::converged && std::abs(result.value - truth) < 5 * result.error;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  double const side = std::sqrt(M_PI / 200) * (std::erf(0.7 * std::sqrt(50)) + std::erf(0.3 * std::sqrt(50)));
  double const peak = side * side * side;

  kubature::MCubes const method{.evaluations = 100'000};
  bool right = report("compiled  ", kubature::integrate(method, Peak{}, kubature::Box<3>{}, {.relative = 1e-4}), peak);

  kubature::MCubes const single{.evaluations = 100'000, .precision = kubature::fp32};
  right &= report("in fp32   ", kubature::integrate(single, Peak{}, kubature::Box<3>{}, {.relative = 1e-4}), peak);

  auto const expression = kubature::Expression::parse("exp(-50*((x-0.3)^2 + (y-0.3)^2 + (z-0.3)^2))");
  right &= report("expression", kubature::integrate(method, expression, kubature::Box<3>{}, {.relative = 1e-4}), peak);

  auto const gaussian = kubature::Expression::parse("exp(-x^2 - y^2)");
  kubature::Box<2> const plane{{-kubature::infinity, kubature::infinity}, {0, kubature::infinity}};
  right &= report("half plane", kubature::integrate(method, gaussian, plane, {.relative = 1e-4}), M_PI / 2);
  return right ? 0 : 1;
}
