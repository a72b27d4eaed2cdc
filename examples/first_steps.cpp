// An integrand compiled, the same in single precision, the same as an expression, and an infinite domain. Every
// integral has a known value.
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>

#include <cmath>
#include <iostream>

struct Peak {
  template <class Real> // generic, so that it serves every precision
  KOKKOS_FUNCTION Real operator()(kubature::Point<Real, 3> const& x) const {
    return Kokkos::exp(Real(-50) * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
  }
};

bool is_right(kubature::Result<> const& result, double truth) {
  return result.status == kubature::Status::converged && std::abs(result.value - truth) < 5 * result.error;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);

  auto const result = kubature::integrate(kubature::VegasPlus{}, Peak{}, kubature::Box<3>{}, {.relative = 1e-4});
  std::cout << result << '\n';
  double const truth = std::pow(std::sqrt(M_PI / 200) * std::erf(std::sqrt(50)), 3);
  bool right = is_right(result, truth);

  kubature::VegasPlus const single{.evaluations = 100'000, .precision = kubature::fp32};
  auto const in_single = kubature::integrate(single, Peak{}, kubature::Box<3>{}, {.relative = 1e-3});
  std::cout << in_single << '\n';
  right &= is_right(in_single, truth);

  kubature::VegasPlus const quick{.evaluations = 100'000};
  auto const formula = kubature::Expression::parse("exp(-50*(x^2 + y^2 + z^2))");
  auto const parsed = kubature::integrate(quick, formula, kubature::Box<3>{}, {.relative = 1e-3});
  std::cout << parsed << '\n';
  right &= is_right(parsed, truth);

  auto const gaussian = kubature::Expression::parse("exp(-x^2 - y^2)");
  kubature::Box<2> const half_plane{{-kubature::infinity, kubature::infinity}, {0, kubature::infinity}};
  auto const infinite = kubature::integrate(quick, gaussian, half_plane, {.relative = 1e-3});
  std::cout << infinite << '\n';
  right &= is_right(infinite, M_PI / 2);
  return right ? 0 : 1;
}
