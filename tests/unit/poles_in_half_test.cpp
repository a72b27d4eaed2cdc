#include "poles.hpp"
#include "spaces.hpp"

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>

/// Values that are not a number on a set that matters.
namespace poles_in_half_test {
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

TYPED_TEST(Poles, NotANumberInHalfOfTheBoxEndsTheCall) {
  auto const check = [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::non_finite) << result;
    EXPECT_TRUE(std::isnan(result.value)) << result;
    EXPECT_GT(result.non_finite, 0u);
  };
  this->by_all(Half{}, Box<2>{}, check);
  this->by_all(in_batches<TypeParam, 2>(Half{}), Box<2>{}, check);
}

} // namespace
} // namespace poles_in_half_test
