// The smallest program: a lambda, the unit square, a tolerance. Auto chooses the method.
#include <kubature/integrate.hpp>

#include <cmath>
#include <iostream>

int main() {
  Kokkos::ScopeGuard const kokkos;
  auto const f = KOKKOS_LAMBDA(kubature::Point<double, 2> const& x) { return Kokkos::exp(-x[0] * x[1]); };
  auto const result = kubature::integrate(f, kubature::Box<2>{}, {.relative = 1e-8});
  std::cout << result << '\n';
  return std::abs(result.value - 0.7965995992970531) < 1e-8 ? 0 : 1;
}
