// Integrals over domains that are no boxes: a region below a curve, a triangle, a ball, a map of one's own, and
// expectations over variables with distributions.
#include <kubature/domains.hpp>
#include <kubature/integrate.hpp>
#include <kubature/measures.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

struct Zero {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const*) const {
    return 0;
  }
};
/// The upper limit of y at x.
struct Root {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return Kokkos::sqrt(1 - x[0] * x[0]);
  }
};

struct XTimesY {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(kubature::Point<Real, 2> const& x) const {
    return x[0] * x[1];
  }
};
struct Gaussian {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(kubature::Point<Real, 3> const& x) const {
    return Kokkos::exp(-(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
  }
};

/// 0 < x < 1, 0 < y < x^2.
struct BelowParabola {
  static constexpr int variables = 2, coordinates = 2;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    x[0] = u[0];
    x[1] = u[1] * u[0] * u[0];
    return u[0] * u[0]; // dx dy / du dv
  }
};

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using namespace kubature;

  auto const quarter = sides(Side{0, 1}, Between{Zero{}, Root{}}); // 0 < x < 1, 0 < y < sqrt(1 - x^2)
  auto const a = integrate(XTimesY{}, quarter, {.relative = 1e-8});

  Simplex<2> const triangle({{{0, 0}, {1, 0}, {0, 1}}});
  auto const b = integrate(XTimesY{}, triangle, {.relative = 1e-8});

  Ball<3> const ball({0, 0, 0}, 1);
  auto const c = integrate(Gaussian{}, ball, {.relative = 1e-8});

  auto const d = integrate(XTimesY{}, BelowParabola{}, {.relative = 1e-8});

  Product const independent{Normal(1, 2), Gamma(2, 0.5)}; // an expectation
  auto const e = integrate(XTimesY{}, independent, {.relative = 1e-6});

  CorrelatedNormal<2> const pair({0, 0}, {{{1, 0.5}, {0.5, 2}}});
  auto const f = integrate(XTimesY{}, pair, {.relative = 1e-6});

  std::printf("%.8f %.8f %.8f %.8f %.6f %.6f\n", a.value, b.value, c.value, d.value, e.value, f.value);
  double const of_ball = std::pow(std::numbers::pi, 1.5) * std::erf(1.0) - 2 * std::numbers::pi / std::numbers::e;
  bool const right = std::abs(a.value - 1.0 / 8) < 1e-8 && std::abs(b.value - 1.0 / 24) < 1e-8 &&
                     std::abs(c.value - of_ball) < 1e-7 && std::abs(d.value - 1.0 / 12) < 1e-8 &&
                     std::abs(e.value - 1) < 2e-6 && std::abs(f.value - 0.5) < 1e-6;
  return right ? 0 : 1;
}
