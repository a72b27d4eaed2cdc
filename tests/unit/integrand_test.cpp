#include <kubature/integrand.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

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

template <class Sum, class Real>
void expect_terms(Sum const& sum, Point<Real, 2> const& x, std::vector<double> const& expected) {
  ASSERT_EQ(term_count(sum), static_cast<int>(expected.size()));
  double total = 0;
  for (int k = 0; k < term_count(sum); ++k) {
    EXPECT_EQ(term_value(sum, k, x), expected[static_cast<std::size_t>(k)]) << "term " << k;
    total += static_cast<double>(term_value(sum, k, x));
  }
  EXPECT_EQ(sum(x), total);
}

TEST(SumOf, TermsHaveValuesOfTheirOwn) {
  expect_terms(sum_of(Generic{}, DoubleOnly{}, Generic{}), point(5.0, 3.0), {2, 15, 2});
  expect_terms(sum_of(Generic{}, Generic{}), point(5.0f, 3.0f), {2, 2});
  expect_terms(sum_of(DoubleOnly{}), point(5.0, 3.0), {15});
  expect_terms(DoubleOnly{}, point(5.0, 3.0), {15});
}

TEST(SumOf, TermsOfASumInASumAreItsOwn) {
  auto const inner = sum_of(Generic{}, DoubleOnly{});
  expect_terms(sum_of(inner, unpack(Difference{}), inner), point(7.0, 3.0), {4, 21, 4, 4, 21});
  expect_terms(sum_of(DoubleOnly{}, sum_of(inner)), point(7.0, 3.0), {21, 4, 21});
}

TEST(SumOf, TermsAreNumberedFromOne) {
  EXPECT_EQ(term_name(sum_of(Generic{}, Generic{}), 1), "term 2");
  EXPECT_EQ(term_name(Generic{}, 0), "term 1");
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
