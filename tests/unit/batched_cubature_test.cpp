#include "batched.hpp"
#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <type_traits>

/// Batches of regions.
namespace batched_cubature_test {
namespace {

using namespace kubature;
using namespace batches;

/// x exp(-3 z), exp(-z) and a ridge.
struct Triple {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 3> operator()(Point<Real, D> const& x) const {
    Real const tail = Kokkos::exp(-x[2]);
    return {x[0] * tail * tail * tail, tail, tail / (Real(0.01) + x[0] * x[0] + x[1] * x[1])};
  }
};

/// A peak with tails that regions tell each other of, and a jump close to a face.
struct PeakAndJump {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum(0);
    for (int i = 0; i < D; ++i)
      sum += (x[i] - Real(0.3)) * (x[i] - Real(0.3));
    return Kokkos::exp(Real(-2000) * sum) + (x[0] > Real(0.2531) ? Real(1e-3) : Real(0));
  }
};

TYPED_TEST_SUITE(BatchedIntegrands, spaces::All, spaces::Names);

TYPED_TEST(BatchedIntegrands, OfPaganiGiveTheBitsOfTheFunctionObject) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t few = 2'000'000;
  EXPECT_GT(this->template expect_the_same<1>(Pagani{}, suite::F4<5>{}, Box<5>{}, {.relative = 1e-3}, few), 0u);
  EXPECT_GT(this->template expect_the_same<3>(Pagani{}, Triple{}, Box<3>{{0, 1}, {0, 1}, {0, infinity}},
                                              {.relative = 1e-3}, 100'000),
            0u);
  this->template expect_the_same<1>(Pagani{}, PeakAndJump{}, Box<3>{}, {.relative = 1e-2}, few);
  this->template expect_the_same<1>(Pagani{.rule = Rule::degree_9}, PeakAndJump{}, Box<3>{}, {.relative = 1e-2}, few);
}

TYPED_TEST(BatchedIntegrands, OfPaganiKeepLimitsAndCountValuesThatAreNotFinite) {
  auto const expect_like_the_function = [&](auto const& f, Tolerance tolerance, Limits limits) {
    using F = std::remove_cvref_t<decltype(f)>;
    std::size_t batches = 0, points = 0;
    Pagani const method{.non_finite = NonFinite::discard};
    auto const alone = integrate(this->exec, method, f, Box<3>{}, tolerance, limits);
    auto const result = integrate(this->exec, method, batched(Evaluate<TypeParam, 1, 3, F>{f, &batches, &points}),
                                  Box<3>{}, tolerance, limits);
    expect_same_result(result, alone);
    EXPECT_EQ(result.non_finite, alone.non_finite);
    return result;
  };
  EXPECT_GT(expect_like_the_function(Pole{}, {.relative = 1e-3}, {.iterations = 6}).non_finite, 0u);
  EXPECT_EQ(expect_like_the_function(PeakAndJump{}, {.relative = 1e-9}, {.evaluations = 40'000}).status,
            Status::evaluation_limit);
  // A call with a time limit evaluates regions in slices.
  expect_like_the_function(PeakAndJump{}, {.relative = 1e-2}, {.seconds = 1000});
}

TYPED_TEST(BatchedIntegrands, OfMixedPrecisionGiveTheBitsOfTheFunctionObject) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  using Mixed = MixedPrecision<Fp64>;
  this->template expect_the_same<1>(Mixed{.evaluations = 123'457, .iterations = 2}, suite::F4<5>{}, Box<5>{});
  this->template expect_the_same<1>(
      Mixed{.evaluations = 20'001, .iterations = 2, .strategy = Strategy::region, .regions = 16}, PeakAndJump{},
      Box<3>{{0, 1}, {-infinity, infinity}, {1, 3}});
}

} // namespace
} // namespace batched_cubature_test
