#include "domains.hpp"

#include <kubature/measures.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

/// Distributions as domains of function objects.
namespace measures_test {
namespace {

using namespace kubature;

/// The product of the squares of all coordinates, or the mean of the first.
template <bool of_squares>
struct Of {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real product = 1;
    for (int i = 0; i < x.size(); ++i)
      product *= x[i] * x[i];
    return of_squares ? product : x[0];
  }
};

struct Zero {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const*) const {
    return 0;
  }
};
struct First {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* x) const {
    return x[0];
  }
};

template <bool of_squares, class M>
void expect(M const& domain, double value, double relative = 1e-6) {
  auto const result =
      integrate(Pagani{}, Of<of_squares>{}, domain, {.relative = relative}, {.evaluations = 20'000'000});
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NEAR(result.value, value, 2 * relative * std::abs(value));
}

TEST(Measures, HaveTheirMoments) {
  expect<true>(Normal(0.5, 2), 4.25);
  expect<true>(Uniform(1, 4), 7);
  expect<true>(Exponential(2), 0.5);
  expect<true>(Gamma(2, 0.5), 1.5);
  expect<true>(Beta(0.5, 2), 0.5 * 1.5 / (2.5 * 3.5));
  expect<true>(LogNormal(0.1, 0.5), std::exp(0.2 + 2 * 0.25));
  expect<true>(StudentT(8, 1, 2), 1 + 4 * 8 / 6.0);
}

TEST(Measures, CombineWithEachOtherAndWithBounds) {
  expect<true>(Product{Normal(), Exponential()}, 2, 1e-5);
  expect<true>(Product{Normal(), Box<1>{0, 3}}, 9, 1e-5);
  expect<true>(sides(Exponential(), Between{Zero{}, First{}}), 120 / 3.0, 1e-5); // of x^2 x^3 / 3
  expect<true>(sides(Side{0, 1}, Normal()), 1 / 3.0, 1e-5);
  expect<false>(Product{Beta(2, 3), Product{StudentT(3), Uniform()}}, 0.4, 1e-5);
}

TEST(Measures, AreCorrelated) {
  expect<true>(CorrelatedNormal<2>({0, 0}, {{{1, 0.5}, {0.5, 2}}}), 2 + 2 * 0.25, 1e-5);
  expect<false>(CorrelatedNormal<3>({1, 2, 3}, {{{1, 0.5, 0}, {0.5, 2, 0.1}, {0, 0.1, 1}}}), 1, 1e-4);
  double x[2];
  double const u[] = {std::erfc(-1 / std::numbers::sqrt2) / 2, std::erfc(2 / std::numbers::sqrt2) / 2};
  EXPECT_EQ(CorrelatedNormal<2>({0, 1}, {{{4, 2}, {2, 10}}})(u, x), 1);
  EXPECT_NEAR(x[0], 2, 1e-14); // the rows of L are (2, 0) and (1, 3)
  EXPECT_NEAR(x[1], 1 + 1 - 3 * 2, 1e-14);
}

TEST(Measures, HaveQuantilesInBothTails) {
  for (double const p : {1e-300, 1e-10, 0.5, 1 - 1e-10, 1 - 0x1p-53}) {
    EXPECT_EQ(LogNormal().quantile(p), std::exp(Normal().quantile(p)));
    EXPECT_NEAR(Gamma(1).quantile(p), Exponential().quantile(p), 1e-14 * Exponential().quantile(p));
    EXPECT_NEAR(Beta(1, 1).quantile(p), p, 1e-15 * p);
    EXPECT_NEAR(StudentT(1e18).quantile(p), Normal().quantile(p), 1e-14 * std::abs(Normal().quantile(p)));
  }
}

TEST(Measures, RefuseWhatIsNone) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  auto const refused = [](auto make, std::string const& argument, std::string const& problem) {
    try {
      make();
      ADD_FAILURE() << argument;
    } catch (InvalidArgument const& why) {
      EXPECT_EQ(why.argument(), argument);
      EXPECT_NE(why.problem().find(problem), std::string::npos) << why.problem();
    }
  };
  refused([] { Normal{0, -1}; }, "Normal.deviation", "positive");
  refused([] { Normal{nan, 1}; }, "Normal.mean", "finite");
  refused([] { Uniform{1, 0}; }, "Uniform.upper", "above the lower bound");
  refused([] { LogNormal{0, 0}; }, "LogNormal.deviation", "positive");
  refused([] { Exponential{infinity}; }, "Exponential.rate", "finite");
  refused([] { Gamma{0, 1}; }, "Gamma.shape", "positive");
  refused([] { Beta{1, nan}; }, "Beta.b", "positive");
  refused([] { StudentT{-1}; }, "StudentT.nu", "positive");
  using Two = CorrelatedNormal<2>;
  refused([] { Two({0, 0}, {{{1, 2}, {2, 1}}}); }, "CorrelatedNormal.covariance", "not positive definite");
  refused([] { Two({0, 0}, {{{1, 0.2}, {0.1, 1}}}); }, "CorrelatedNormal.covariance", "not symmetric");
  refused([] { Two({0, 0}, {{{1, nan}, {nan, 1}}}); }, "CorrelatedNormal.covariance", "not finite");
}

} // namespace
} // namespace measures_test
