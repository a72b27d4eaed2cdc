#include <kubature/domains.hpp>
#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace domains_test {

using namespace kubature;
using std::numbers::pi;

struct One {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const&) const {
    return 1;
  }
};
struct SumOfSquares {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum = 0;
    for (int i = 0; i < x.size(); ++i)
      sum += x[i] * x[i];
    return sum;
  }
};
struct ExpOfSum {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum = 0;
    for (int i = 0; i < x.size(); ++i)
      sum += x[i];
    return Kokkos::exp(sum);
  }
};
struct FirstAndSecond {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    return {x[0], x[1]};
  }
};

struct Zero {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const*) const {
    return 0;
  }
};
struct Square {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return x[0] * x[0];
  }
};
struct OneLessSum {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return 1 - x[0] - x[1];
  }
};
struct OneLess {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return 1 - x[0];
  }
};
struct Infinite {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const*) const {
    return static_cast<Real>(infinity);
  }
};
struct ExpOfMinusY {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return Kokkos::exp(-x[1]);
  }
};

/// 0 < x < 1, 0 < y < x^2.
struct Parabola {
  static constexpr int variables = 2, coordinates = 2;
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    x[0] = u[0];
    x[1] = u[1] * u[0] * u[0];
    return u[0] * u[0];
  }
};

double volume_of_ball(int d) { return std::pow(pi, d / 2.0) / std::tgamma(d / 2.0 + 1); }
double factorial(int n) { return std::tgamma(n + 1.0); }

/// The value, to 1e-8, by the method that Auto chooses. In one and two variables most evaluations are the close look's.
template <class F, class M>
void expect(F const& f, M const& domain, double value, std::uint64_t most = 100'000) {
  constexpr std::uint64_t of_close_look = 3'000'000;
  auto const result = integrate(f, domain, {.relative = 1e-8}, {.evaluations = 20'000'000});
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NEAR(result.value, value, 3e-8 * std::abs(value));
  EXPECT_LE(result.evaluations, M::variables > 2 ? most : of_close_look);
}

TEST(Domains, OfDependentLimits) {
  auto const below_parabola = sides(Side{0, 1}, Between{Zero{}, Square{}});
  expect(One{}, below_parabola, 1.0 / 3);
  expect(SumOfSquares{}, below_parabola, 1.0 / 5 + 1.0 / 21);
  auto const tetrahedron = sides(Side{0, 1}, Between{Zero{}, OneLess{}}, Between{Zero{}, OneLessSum{}});
  expect(ExpOfSum{}, tetrahedron, std::numbers::e / 2 - 1);
  expect(ExpOfMinusY{}, sides(Side{0, 1}, Between{Square{}, Infinite{}}), std::sqrt(pi) / 2 * std::erf(1.0));
  expect(One{}, sides(Side{0, 1}, Between{OneLess{}, Zero{}}), -0.5); // reversed
}

TEST(Domains, SimplicesHaveTheirVolumeAndMoments) {
  expect(One{}, Simplex<2>(), 1 / factorial(2));
  expect(One{}, Simplex<5>(), 1 / factorial(5), 2'000'000);
  expect(SumOfSquares{}, Simplex<3>(), 3 * 2 / factorial(5));
  expect(ExpOfSum{}, Simplex<3>(), std::numbers::e / 2 - 1);
  expect(One{}, Ordered<4>(0, 2), 16 / factorial(4), 1'000'000);
  Simplex<2> const triangle({{{1, 1}, {4, 1}, {1, 3}}});
  expect(One{}, triangle, 3);
  auto const centre = integrate(FirstAndSecond{}, triangle, {.relative = 1e-8});
  EXPECT_NEAR(centre.value[0], 3 * 2, 1e-7); // area times the mean of the vertices
  EXPECT_NEAR(centre.value[1], 3 * 5 / 3.0, 1e-7);
}

TEST(Domains, BallsHaveTheirVolumeAndMoments) {
  expect(One{}, Ball<2>(), volume_of_ball(2));
  expect(One{}, Ball<3>(), volume_of_ball(3));
  expect(One{}, Ball<4>(), volume_of_ball(4), 1'000'000);
  expect(SumOfSquares{}, Ball<3>(), 4 * pi / 5);
  expect(One{}, Ball<3>({1, 2, 3}, 2), 8 * volume_of_ball(3), 300'000);
  expect(One{}, Shell<3>({0, 0, 0}, 1, 2), 7 * volume_of_ball(3));
  expect(One{}, Sphere<3>({0, 0, 0}, 2), 16 * pi);
  expect(SumOfSquares{}, Sphere<2>(), 2 * pi);
  expect(One{}, Ellipsoid<3>({0, 0, 0}, {1, 2, 3}), 6 * volume_of_ball(3));
  expect(ExpOfSum{}, Ball<2>(), 2 * pi * std::cyl_bessel_i(1, std::sqrt(2.0)) / std::sqrt(2.0));
}

TEST(Domains, ProductsAndPieces) {
  expect(One{}, Product{Ball<2>(), Box<1>(0, 3)}, 3 * pi);
  expect(One{}, Product{Box<1>(0, 3), Simplex<2>()}, 1.5);
  expect(One{}, Boxes<2>({Box<2>{{0, 1}, {0, 1}}, Box<2>{{2, 4}, {0, 0.5}}}), 2);
  auto const cut = cut_at(Box<2>(), {{0.3, 0.7}, {0.5}});
  EXPECT_EQ(cut.pieces(), 6);
  expect(ExpOfSum{}, cut, std::pow(std::numbers::e - 1, 2));
  expect(One{}, Parabola{}, 1.0 / 3);
}

TEST(Domains, EveryMethodServesThem) {
  Ball<2> const disc;
  auto const within = [&](auto const& method) {
    auto const result = integrate(method, SumOfSquares{}, disc, {.relative = 1e-3}, {.evaluations = 10'000'000});
    EXPECT_EQ(result.status, Status::converged) << result.method;
    EXPECT_NEAR(result.value, pi / 2, 6 * result.error + 1e-12) << result.method;
  };
  within(PlainMonteCarlo<>{});
  within(MCubes<>{});
  within(VegasPlus<>{});
  within(QuasiMonteCarlo<>{});
  within(Pagani<>{});
  within(TwoPhase<>{});
  within(MixedPrecision<Fp32>{});
  within(VegasPlus<Fp32>{});
  within(Pagani<Fp32>{});
}

struct SquaresInBatches {
  template <class Space>
  void operator()(Space const& exec, BatchPoints<Space> const& x, BatchValues<Space> const& y) const {
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Space>(exec, 0, x.extent(0)),
        KOKKOS_LAMBDA(std::size_t k) { y(k, 0) = x(k, 0) * x(k, 0) + x(k, 1) * x(k, 1); });
  }
};

TEST(Domains, ServeFormulasAndBatches) {
  auto const formula = Expression::parse("x^2 + y^2");
  expect(formula, Ball<2>(), pi / 2);
  auto const by_batches = integrate(Pagani{}, batched(SquaresInBatches{}), Ball<2>(), {.relative = 1e-8});
  EXPECT_NEAR(by_batches.value, pi / 2, 1e-7);
  auto const three = Expression::parse("x + y + z");
  EXPECT_THROW(integrate(three, Ball<2>(), {.relative = 1e-3}), InvalidArgument);
}

/// Not finite where x + y > 1.5.
struct NotEverywhere {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] + x[1] > Real(1.2) ? static_cast<Real>(infinity) : Real(1);
  }
};

TEST(Domains, PlacesAreReportedInTheirCoordinates) {
  auto const result = integrate(VegasPlus{}, NotEverywhere{}, Ball<2>());
  EXPECT_EQ(result.status, Status::non_finite);
  ASSERT_EQ(result.non_finite_at.size(), 2u);
  EXPECT_GT(result.non_finite_at[0] + result.non_finite_at[1], 1.2);
  EXPECT_LT(std::hypot(result.non_finite_at[0], result.non_finite_at[1]), 1);
}

/// 1 outside of the unit ball.
struct Outside {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum = 0;
    for (int i = 0; i < D; ++i)
      sum += x[i] * x[i];
    return sum >= 1 ? Real(1) : Real(0);
  }
};
struct OutsideSimplex {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum = 0;
    bool out = false;
    for (int i = 0; i < D; ++i) {
      sum += x[i];
      out = out || !(x[i] > 0);
    }
    return out || sum > 1 ? Real(1) : Real(0);
  }
};

TEST(Domains, NoPointLiesOutside) {
  auto const none = [](auto const& method, auto const& f, auto const& domain) {
    EXPECT_EQ(integrate(method, f, domain, {}, {.evaluations = 2'000'000}).value, 0);
  };
  none(Pagani{}, Outside{}, Ball<2>());
  none(VegasPlus{}, Outside{}, Ball<3>());
  none(VegasPlus<Fp32>{}, Outside{}, Ball<3>());
  none(QuasiMonteCarlo{}, Outside{}, Ball<5>());
  none(VegasPlus{}, OutsideSimplex{}, Simplex<3>());
}

TEST(Domains, RefuseWhatSpansNoVolume) {
  EXPECT_THROW(Ball<2>({0, 0}, 0), InvalidArgument);
  EXPECT_THROW(Ball<2>({0, infinity}, 1), InvalidArgument);
  EXPECT_THROW(Shell<3>({0, 0, 0}, 2, 1), InvalidArgument);
  EXPECT_THROW(Ellipsoid<2>({0, 0}, {1, -1}), InvalidArgument);
  EXPECT_THROW(Simplex<2>({{{0, 0}, {1, 1}, {2, 2}}}), InvalidArgument);
  EXPECT_THROW(Boxes<2>(std::vector<Box<2>>{}), InvalidArgument);
}

} // namespace domains_test
