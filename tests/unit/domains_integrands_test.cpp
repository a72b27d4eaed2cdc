#include "domains.hpp"

#include <kubature/expression.hpp>

#include <cmath>
#include <numbers>
#include <vector>

namespace domains_test {

struct SquaresInBatches {
  template <class Space>
  void operator()(Space const& exec, BatchPoints<Space> const& x, BatchValues<Space> const& y) const {
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Space>(exec, 0, x.extent(0)),
        KOKKOS_LAMBDA(std::size_t k) { y(k, 0) = x(k, 0) * x(k, 0) + x(k, 1) * x(k, 1); });
  }
};

/// Not finite where x + y > 1.5.
struct NotEverywhere {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] + x[1] > Real(1.2) ? static_cast<Real>(infinity) : Real(1);
  }
};

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

TEST(Domains, ServeFormulasAndBatches) {
  auto const formula = Expression::parse("x^2 + y^2");
  expect(formula, Ball<2>(), pi / 2);
  auto const by_batches = integrate(Pagani{}, batched(SquaresInBatches{}), Ball<2>(), {.relative = 1e-8});
  EXPECT_NEAR(by_batches.value, pi / 2, 1e-7);
  auto const three = Expression::parse("x + y + z");
  EXPECT_THROW(integrate(three, Ball<2>(), {.relative = 1e-3}), InvalidArgument);
}

TEST(Domains, PlacesAreReportedInTheirCoordinates) {
  auto const result = integrate(VegasPlus{}, NotEverywhere{}, Ball<2>());
  EXPECT_EQ(result.status, Status::non_finite);
  ASSERT_EQ(result.non_finite_at.size(), 2u);
  EXPECT_GT(result.non_finite_at[0] + result.non_finite_at[1], 1.2);
  EXPECT_LT(std::hypot(result.non_finite_at[0], result.non_finite_at[1]), 1);
}

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

} // namespace domains_test
