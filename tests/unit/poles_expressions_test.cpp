#include "poles.hpp"
#include "spaces.hpp"

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>

/// Values of expressions that are not finite, and those of other integrands on a set that matters.
namespace poles_expressions_test {
namespace {

using namespace kubature;
using namespace poles;

/// Not a number in half of the box.
struct Half {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::sqrt(x[0] - Real(0.5));
  }
};

TYPED_TEST_SUITE(Poles, spaces::All, spaces::Names);

TYPED_TEST(Poles, TailsOfExpressionsCountAsZero) {
  // Not two exponentials in one product: those are one in the program.
  auto const f = Expression::parse("exp(2*x)*2^(-x^2/(2*log(2)))");
  auto const check = [](Result<> const& result) { expect_product<1>(result); };
  Box<> const line{{-infinity, infinity}};
  this->by_sampling(f, line, check);
  auto const plain = integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000}, f, line);
  EXPECT_GT(plain.non_finite, 100u) << plain;
}

TYPED_TEST(Poles, NotANumberInHalfOfTheBoxEndsTheCall) {
  auto const check = [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::non_finite) << result;
    EXPECT_TRUE(std::isnan(result.value)) << result;
    EXPECT_GT(result.non_finite, 0u);
  };
  this->by_all(Half{}, Box<2>{}, check);
  this->by_all(in_batches<TypeParam, 2>(Half{}), Box<2>{}, check);
  this->by_all(Expression::parse("sqrt(x - 0.5)", {"x", "y"}), Box<>{{0, 1}, {0, 1}}, check);
}

} // namespace
} // namespace poles_expressions_test
