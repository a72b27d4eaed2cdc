#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/batched.hpp>
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>

/// Values that are not finite: on poles and where an integrand has died away they end no call, on a set that matters
/// they do.
namespace poles_test {
namespace {

using namespace kubature;

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
/// Of each variable.
double const product_truth = std::sqrt(2 * std::numbers::pi) * std::exp(2);

/// The same, side by side.
struct ProductSideBySide : Product {
  using Product::operator();
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&values)[W]) const {
    for (int w = 0; w < W; ++w)
      values[w] = (*this)(x[w]);
  }
};

/// Tails that are not a number, although f has not died away there.
struct HeavyTail {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::abs(x[0]) > 50 ? Kokkos::sqrt(Real(50) - Kokkos::abs(x[0])) : 1 / (1 + x[0] * x[0]);
  }
};

/// Not a number in half of the box.
struct Half {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::sqrt(x[0] - Real(0.5));
  }
};

/// 1 / sqrt(|x - y|), of which the integral over the unit square is 8 / 3; infinite on the diagonal.
struct Diagonal {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return 1 / Kokkos::sqrt(Kokkos::abs(x[0] - x[1]));
  }
};
struct DiagonalAndMore {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    return {Diagonal()(x), Diagonal()(x) * x[0]};
  }
};
constexpr double diagonal_truth = 8.0 / 3;

/// The values of a function object, by a kernel.
template <class Space, int C, int D, class F>
struct Evaluate {
  F f;
  struct Kernel {
    F f;
    BatchPoints<Space> points;
    BatchValues<Space> values;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      Point<double, D> x;
      for (int i = 0; i < D; ++i)
        x[i] = points(k, i);
      auto const value = f(x);
      for (int c = 0; c < C; ++c)
        values(k, c) = detail::ValueTraits<std::remove_const_t<decltype(value)>>::get(value, c);
    }
  };
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("test::poles::evaluate",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(points.extent(0))),
                         Kernel{f, points, values});
  }
};
template <class Space, int D, int C = 1, class F>
auto in_batches(F const& f) {
  return batched<C>(Evaluate<Space, C, D, F>{f});
}

template <class Space>
class Poles : public ::testing::Test {
protected:
  Space exec;

  template <class F, class Box, class Check>
  void by_sampling(F const& f, Box const& box, Check const& check) {
    auto const call = [&](auto const& method) {
      SCOPED_TRACE(Described<std::remove_cvref_t<decltype(method)>>::type);
      check(integrate(exec, method, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
    };
    call(PlainMonteCarlo{.evaluations = 100'000, .iterations = 10});
    call(MCubes{.evaluations = 50'000});
    call(VegasPlus{.evaluations = 50'000});
    call(QuasiMonteCarlo{.evaluations = 100'000});
    if constexpr (!detail::is_batched<F>)
      call(MixedPrecision<Fp64>{.evaluations = 100'000, .iterations = 10});
  }
  template <class F, class Box, class Check>
  void by_all(F const& f, Box const& box, Check const& check) {
    by_sampling(f, box, check);
    SCOPED_TRACE("cubature");
    check(integrate(exec, Pagani{}, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
    if constexpr (!detail::is_batched<F>)
      check(integrate(exec, TwoPhase{}, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
    check(integrate(exec, Auto{}, f, box, {.relative = 1e-3}, {.evaluations = 2'000'000}));
  }
};
TYPED_TEST_SUITE(Poles, spaces::All, spaces::Names);

bool says(Result<> const& result, std::string const& words) {
  for (auto const& remark : result.remarks)
    if (remark.find(words) != std::string::npos)
      return true;
  return false;
}

/// Found, counted and remarked.
template <int D>
void expect_product(Result<> const& result) {
  double const truth = std::pow(product_truth, D);
  EXPECT_NE(result.status, Status::non_finite) << result;
  EXPECT_LE(std::abs(result.value - truth), 5 * result.error) << result;
  EXPECT_LT(result.error, 0.1 * truth) << result;
  EXPECT_TRUE(result.non_finite == 0 || says(result, "where the integrand has died away")) << result;
}

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

TYPED_TEST(Poles, TailsOfExpressionsCountAsZero) {
  // Not two exponentials in one product: those are one in the program.
  auto const f = Expression::parse("exp(2*x)*2^(-x^2/(2*log(2)))");
  auto const check = [](Result<> const& result) { expect_product<1>(result); };
  Box<> const line{{-infinity, infinity}};
  this->by_sampling(f, line, check);
  auto const plain = integrate(this->exec, PlainMonteCarlo{.evaluations = 100'000}, f, line);
  EXPECT_GT(plain.non_finite, 100u) << plain;
}

TYPED_TEST(Poles, TailsThatHaveNotDiedAwayEndTheCall) {
  this->by_sampling(HeavyTail{}, Box<1>{{-infinity, infinity}},
                    [](Result<> const& result) { EXPECT_EQ(result.status, Status::non_finite) << result; });
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

/// Infinite at its centre, where all rules have a node.
struct AtTheCentre {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return 1 / Kokkos::sqrt(Kokkos::abs(x[0] - Real(0.5)));
  }
};

/// A map that is dense about a pole draws points on it.
TYPED_TEST(Poles, PointsOnPolesCountAsZero) {
  double const truth = 2 * std::numbers::sqrt2;
  auto const result =
      integrate(this->exec, VegasPlus{.evaluations = 100'000, .iterations = 60, .alpha = 2.0}, AtTheCentre{}, Box<1>{});
  EXPECT_EQ(result.status, Status::completed) << result;
  EXPECT_LE(std::abs(result.value - truth), 6 * result.error) << result;
  EXPECT_TRUE(result.non_finite == 0 || says(result, "on a pole")) << result;
}

/// In single precision some of 1e6 points are equal to any number.
TYPED_TEST(Poles, PointsOfLowPrecisionOnPolesCountAsZero) {
  auto const result =
      integrate(this->exec, PlainMonteCarlo<Fp32>{.evaluations = 50'000'000, .iterations = 1}, AtTheCentre{}, Box<1>{});
  EXPECT_EQ(result.status, Status::completed) << result;
  EXPECT_GT(result.non_finite, 0u) << result;
  EXPECT_TRUE(says(result, "on a pole")) << result;
  EXPECT_NEAR(result.value, 2 * std::numbers::sqrt2, 0.01);
}

/// It never ends with a value that is not a number, and tells what it has found.
TYPED_TEST(Poles, CubatureMovesItsNodes) {
  Tolerance const tolerance{.relative = 1e-3};
  Limits const limits{.evaluations = 1'000'000};
  auto const expect = [](double value, double error, double truth) {
    EXPECT_LE(std::abs(value - truth), error);
    EXPECT_LE(error, 0.2 * truth);
  };
  auto const one = integrate(this->exec, Pagani{}, Diagonal{}, Box<2>{}, tolerance, limits);
  expect(one.value, one.error, diagonal_truth);
  EXPECT_EQ(one.status, Status::evaluation_limit) << one;
  EXPECT_EQ(one.non_finite, 0u) << one;
  auto const batches =
      integrate(this->exec, Pagani{}, in_batches<TypeParam, 2>(Diagonal{}), Box<2>{}, tolerance, limits);
  EXPECT_EQ(batches.value, one.value);
  EXPECT_NEAR(batches.error, one.error, 1e-12 * one.error); // a lane by itself adds in another order
  EXPECT_EQ(batches.status, one.status);
  auto const two = integrate(this->exec, Pagani{}, DiagonalAndMore{}, Box<2>{}, tolerance, limits);
  expect(two.value[0], two.error[0], diagonal_truth);
  expect(two.value[1], two.error[1], diagonal_truth / 2);
  auto const two_in_batches =
      integrate(this->exec, Pagani{}, in_batches<TypeParam, 2, 2>(DiagonalAndMore{}), Box<2>{}, tolerance, limits);
  EXPECT_EQ(two_in_batches.value[0], two.value[0]);
  EXPECT_EQ(two_in_batches.value[1], two.value[1]);
  auto const centre = integrate(this->exec, Pagani{}, AtTheCentre{}, Box<1>{}, {.relative = 1e-6});
  EXPECT_EQ(centre.status, Status::converged) << centre;
  EXPECT_LE(std::abs(centre.value - 2 * std::numbers::sqrt2), 3e-6) << centre;
}

/// 1 / |x - 0.5| has no integral, although it is not finite at one number alone.
struct NoIntegral {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return 1 / Kokkos::abs(x[0] - Real(0.5));
  }
};
TYPED_TEST(Poles, CubatureDoesNotConvergeWhereThereIsNoIntegral) {
  for (double const middle : {0.5, 0.287}) {
    auto const f = [&](auto const& method) {
      return integrate(this->exec, method, NoIntegral{}, Box<1>{{0, 2 * middle}}, {.relative = 1e-2},
                       {.evaluations = 2'000'000});
    };
    EXPECT_NE(f(Pagani{}).status, Status::converged) << f(Pagani{});
    EXPECT_NE(f(Auto{}).status, Status::converged) << f(Auto{});
  }
}

/// x, x y, and sin(x) over boxes about 0.
struct Odd {
  int which;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return which == 0 ? x[0] : which == 1 ? x[0] * x[D - 1] : Kokkos::sin(x[0]);
  }
};

/// No relative tolerance can be met where the value is zero.
TYPED_TEST(Poles, ZeroEndsCubatureAndAuto) {
  auto const check = [](Result<> const& result) {
    EXPECT_EQ(result.status, Status::precision_limit) << result;
    EXPECT_LE(std::abs(result.value), result.error) << result;
    EXPECT_LT(result.error, 1e-13) << result;
    EXPECT_LT(result.evaluations, 100'000u) << result;
    EXPECT_TRUE(says(result, "no relative tolerance can be met, but an absolute one of ")) << result;
  };
  for (int const which : {0, 1, 2}) {
    SCOPED_TRACE(which);
    Box<2> const box{{-1, 1}, {-1, 1}};
    check(integrate(this->exec, Pagani{}, Odd{which}, box, {.relative = 1e-6}));
    check(integrate(this->exec, Auto{}, Odd{which}, box, {.relative = 1e-6}));
    auto const absolute = integrate(this->exec, Auto{}, Odd{which}, box, {.relative = 1e-6, .absolute = 1e-12});
    EXPECT_EQ(absolute.status, Status::converged) << absolute;
  }
  check(integrate(this->exec, Auto{}, Odd{2}, Box<1>{{-1, 1}}, {.relative = 1e-6}));
}

} // namespace
} // namespace poles_test
