#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>

#include <cmath>
#include <iostream>
#include <span>

struct Square {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(kubature::Point<Real, 2> const& x) const {
    return x[0] * x[0] + x[1] * x[1];
  }
};

#ifdef CONSUMER_BY_NAME
double by_name(char const* method, char const* integrand, std::span<double const> lower, std::span<double const> upper);
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  auto const compiled = kubature::integrate(kubature::MCubes{.evaluations = 10'000}, Square{}, kubature::Box<2>{});
  auto const parsed = kubature::integrate(kubature::MCubes{.evaluations = 10'000},
                                          kubature::Expression::parse("x^2 + y^2"), kubature::Box{{0, 1}, {0, 1}});
  std::cout << compiled << '\n' << parsed << '\n';
  auto const right = [](auto const& result) { return std::abs(result.value - 2.0 / 3) < 5 * result.error; };
#ifdef CONSUMER_BY_NAME
  double const lower[] = {0, 0}, upper[] = {1, 1};
  if (std::abs(by_name("pagani", "x^2 + y^2", lower, upper) - 2.0 / 3) > 1e-6)
    return 1;
#endif
  return right(compiled) && right(parsed) ? 0 : 1;
}
