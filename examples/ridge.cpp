// A ridge along the diagonal of the unit cube: 1000 Gaussians in four variables.
#include <kubature/integrate.hpp>

#include <cmath>
#include <iostream>

struct Ridge {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(kubature::Point<Real, 4> const& x) const {
    int const peaks = 1000;
    Real sum = 0;
    for (int k = 0; k < peaks; ++k) {
      Real square = 0;
      for (int i = 0; i < 4; ++i) {
        Real const t = x[i] - Real(k) / Real(peaks - 1);
        square += t * t;
      }
      sum += Kokkos::exp(Real(-100) * square);
    }
    Real const norm = Real(100) / Kokkos::numbers::pi_v<Real>;
    return norm * norm / Real(peaks) * sum;
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  auto const result = kubature::integrate(kubature::MCubes{.evaluations = 40'000}, Ridge{}, kubature::Box<4>{},
                                          {.relative = 5e-3});
  std::cout << result << '\n';
  double const truth = 0.851317758241297887;
  bool const right = result.status == kubature::Status::converged && std::abs(result.value - truth) < 5 * result.error;
  return right ? 0 : 1;
}
