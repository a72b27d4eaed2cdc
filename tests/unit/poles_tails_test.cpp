#include "poles.hpp"
#include "spaces.hpp"

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

/// Values that are not finite where an integrand has died away.
namespace poles_tails_test {
namespace {

using namespace kubature;
using namespace poles;

/// exp(2 x) times a normal density: infinity times zero from x = 355 on.
struct Product {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real value(1);
    for (int i = 0; i < D; ++i)
      value *= Kokkos::exp(2 * x[i]) * Kokkos::exp(-x[i] * x[i] / 2);
    return value;
  }
};

/// The same, side by side.
struct ProductSideBySide : Product {
  using Product::operator();
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&values)[W]) const {
    for (int w = 0; w < W; ++w)
      values[w] = (*this)(x[w]);
  }
};

TYPED_TEST_SUITE(Poles, spaces::All, spaces::Names);

TYPED_TEST(Poles, TailsThatAreNotANumberCountAsZero) {
  Box<2> const plane{{-infinity, infinity}, {-infinity, infinity}};
  this->by_all(Product{}, plane, expect_product<2>);
  this->by_all(ProductSideBySide{}, plane, expect_product<2>);
  this->by_all(in_batches<TypeParam, 2>(Product{}), plane, expect_product<2>);
  auto const plain = [&](auto const& f, auto const& box) {
    return integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000, .iterations = 10}, f, box);
  };
  auto const of_object = plain(Product{}, plane);
  EXPECT_GT(of_object.non_finite, 1000u) << of_object;
  EXPECT_EQ(plain(in_batches<TypeParam, 2>(Product{}), plane).value, of_object.value);
  EXPECT_EQ(plain(in_batches<TypeParam, 2>(Product{}), plane).non_finite, of_object.non_finite);
  EXPECT_EQ(plain(ProductSideBySide{}, plane).value, of_object.value);
  EXPECT_GT(plain(Product{}, Box<1>{{0, infinity}}).non_finite, 1000u);
}

} // namespace
} // namespace poles_tails_test
