// Does not compile, for one reason at a time. The test reads what the compiler says.
#include <kubature/domains.hpp>
#include <kubature/integrate.hpp>

#include <array>

using kubature::Point;

struct Integrand {
#if defined(WRONG_COMPLEX)
  KOKKOS_FUNCTION Kokkos::complex<double> operator()(Point<double, 2> const& x) const { return {x[0], x[1]}; }
#elif defined(WRONG_WHOLE)
  KOKKOS_FUNCTION int operator()(Point<double, 2> const& x) const { return x[0] > x[1] ? 1 : 0; }
#elif defined(WRONG_ARRAY)
  KOKKOS_FUNCTION std::array<double, 2> operator()(Point<double, 2> const& x) const { return {x[0], x[1]}; }
#elif defined(WRONG_ARGUMENTS)
  KOKKOS_FUNCTION double operator()(double x, double y) const { return x * y; }
#else
  KOKKOS_FUNCTION double operator()(Point<double, 3> const& x) const { return x[0]; }
#endif
};

struct OfBatches {
  template <class Space, class Points, class Values>
  void operator()(Space const& exec, Points const& points, Values const& values) const {
    Kokkos::RangePolicy<Space> const all(exec, 0, points.extent_int(0));
    Kokkos::parallel_for("rank", all, KOKKOS_LAMBDA(int k) { values(k) = points(k, 0); });
  }
};

double integral() {
#if defined(WRONG_RANK)
  return kubature::integrate(kubature::Pagani{}, kubature::batched(OfBatches{}), kubature::Box<2>{}, {.relative = 1e-3})
      .value;
#elif defined(WRONG_DOMAIN)
  return kubature::integrate(Integrand{}, kubature::Ball<2>{}, {.relative = 1e-3}).value;
#else
  return kubature::integrate(kubature::VegasPlus{}, Integrand{}, kubature::Box<2>{}, {.relative = 1e-3}).value;
#endif
}
