#include <kubature/integrand.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace integrand_test {

using namespace kubature;

struct Generic {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return x[0] - x[1];
  }
};

struct DoubleOnly {
  KOKKOS_FUNCTION double operator()(Point<double, 2> const& x) const { return x[0] * x[1]; }
};

struct NoIntegrand {
  KOKKOS_FUNCTION char const* operator()(Point<double, 2> const&) const { return ""; }
};

static_assert(Integrand<Generic, double, 2> && Integrand<Generic, float, dynamic>);
static_assert(Integrand<Generic, Kokkos::Experimental::half_t, 3>);
static_assert(Integrand<DoubleOnly, double, 2> && !Integrand<DoubleOnly, float, 2> &&
              !Integrand<DoubleOnly, double, 3>);
static_assert(!Integrand<NoIntegrand, double, 2> && !Integrand<int, double, 2>);
static_assert(std::is_same_v<ResultValue<Generic, float, 2>, double>);

template <class Real>
Point<Real, 2> point(Real x, Real y) {
  Point<Real, 2> p;
  p[0] = x;
  p[1] = y;
  return p;
}

struct Difference {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return x - y; }
};

TEST(Unpack, CallsWithSeparateArguments) { EXPECT_EQ(unpack(Difference{})(point(5.0, 3.0)), 2); }

TEST(SumOf, AddsItsTerms) {
  auto const sum = sum_of(Generic{}, DoubleOnly{}, Generic{});
  static_assert(decltype(sum)::terms == 3);
  EXPECT_EQ(sum(point(5.0, 3.0)), 2 + 15 + 2);
  EXPECT_EQ(sum_of(DoubleOnly{})(point(5.0, 3.0)), 15);
}

TEST(ComponentsOf, GivesAnArray) {
  auto const all = components_of(Generic{}, DoubleOnly{}, unpack(Difference{}));
  auto const values = all(point(5.0, 3.0));
  static_assert(std::is_same_v<decltype(values), Kokkos::Array<double, 3> const>);
  EXPECT_EQ(values[0], 2);
  EXPECT_EQ(values[1], 15);
  EXPECT_EQ(values[2], 2);
}

} // namespace integrand_test
