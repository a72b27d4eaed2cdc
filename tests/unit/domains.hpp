#pragma once

#include <kubature/domains.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>

/// What the tests of domains share.
namespace domains_test {

using namespace kubature;
using std::numbers::pi;

/// 1, the sum of the squares of the coordinates, or exp of their sum: one type, so that there is one set of kernels for
/// each domain.
struct Moment {
  enum Kind { one, squares, exp } kind;

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum = 0, sum_of_squares = 0;
    for (int i = 0; i < x.size(); ++i) {
      sum += x[i];
      sum_of_squares += x[i] * x[i];
    }
    return kind == one ? Real(1) : kind == squares ? sum_of_squares : Kokkos::exp(sum);
  }
};
inline constexpr Moment one{Moment::one}, squares{Moment::squares}, exponential{Moment::exp};

inline double volume_of_ball(int d) { return std::pow(pi, d / 2.0) / std::tgamma(d / 2.0 + 1); }
inline double factorial(int n) { return std::tgamma(n + 1.0); }

/// The value, to 1e-8, by PAGANI. In one and two variables most evaluations are the close look's.
template <class F, class M>
void expect(F const& f, M const& domain, double value, std::uint64_t most = 100'000) {
  constexpr std::uint64_t of_close_look = 3'000'000;
  auto const result = integrate(Pagani{}, f, domain, {.relative = 1e-8}, {.evaluations = 20'000'000});
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NEAR(result.value, value, 3e-8 * std::abs(value));
  EXPECT_LE(result.evaluations, M::variables > 2 ? most : of_close_look);
}

} // namespace domains_test
