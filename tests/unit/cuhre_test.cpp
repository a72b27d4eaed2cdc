#include "oracle/cuhre.hpp"
#include "spaces.hpp"

#include <kubature/integrator.hpp>
#include <kubature/pagani.hpp>
#include <kubature/suite/genz.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cuhre_test {
namespace {

using namespace kubature;

constexpr double tolerances[] = {1e-3, 1e-4, 1e-5};

template <int D, class F>
oracle::CuhreResult by_oracle(F const& f, double relative) {
  return oracle::cuhre(oracle::on_coordinates<D>(f), D, Rule::automatic, relative, 0, 1'000'000'000);
}

TEST(Cuhre, IntegratesWithinItsErrors) {
  auto const expect = [](auto const& integrate, double truth) {
    for (double const relative : tolerances) {
      oracle::CuhreResult const result = integrate(relative);
      EXPECT_TRUE(result.converged);
      EXPECT_LE(result.error, relative * std::abs(result.value));
      EXPECT_NEAR(result.value, truth, result.error) << relative;
    }
  };
  expect([](double relative) { return by_oracle<5>(suite::F1<5>{}, relative); }, 0.0202424221199018969);
  expect([](double relative) { return by_oracle<3>(suite::F3<3>{}, relative); }, 0.0108465608465608466);
  expect([](double relative) { return by_oracle<5>(suite::F5<5>{}, relative); }, 3.09363588982679e-04);
}

TEST(Cuhre, StopsAtOnceForAPolynomial) {
  for (int d : {1, 2, 3, 5}) {
    auto const result =
        oracle::cuhre([](double const* x) { return 2 + x[0]; }, d, Rule::automatic, 1e-12, 0, 1'000'000);
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(result.value, 2.5, 1e-13);
    EXPECT_EQ(result.regions, 1u);
    EXPECT_EQ(result.evaluations, CubatureRule(Rule::automatic, d).points());
  }
}

TEST(Cuhre, KeepsToItsEvaluations) {
  auto const f = oracle::on_coordinates<5>(suite::F5<5>{});
  auto const points = CubatureRule(Rule::degree_9, 5).points();
  auto const result = oracle::cuhre(f, 5, Rule::degree_9, 1e-9, 0, 100 * points);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.evaluations, 99 * points); // two regions per bisection
  EXPECT_EQ(result.regions, 50u);
}

TEST(Cuhre, GoesOnAsFromTheStart) {
  auto const f = oracle::on_coordinates<5>(suite::F5<5>{});
  CubatureRule const rule(Rule::automatic, 5);
  oracle::Cuhre cuhre(f, rule);
  cuhre.start();
  for (double const relative : tolerances) {
    auto const found = cuhre.go_on(relative, 0, 1'000'000'000), expected = by_oracle<5>(suite::F5<5>{}, relative);
    EXPECT_EQ(found.converged, expected.converged);
    EXPECT_EQ(found.evaluations, expected.evaluations);
    EXPECT_EQ(found.regions, expected.regions);
    EXPECT_NEAR(found.value, expected.value, 1e-12 * expected.value); // other sums
    EXPECT_NEAR(found.error, expected.error, 1e-10 * expected.error);
  }
}

/// All points that the oracle evaluates in its first region are those of the rule.
TEST(Cuhre, EvaluatesTheRulesPointsOnceEach) {
  for (int const d : {1, 2, 3, 4, 6}) {
    CubatureRule const rule(Rule::automatic, d);
    std::vector<std::vector<double>> seen, expected{std::vector<double>(static_cast<std::size_t>(d), 0.5)};
    auto const f = [&](double const* x) {
      seen.emplace_back(x, x + d);
      return 1.0;
    };
    oracle::cuhre(f, d, Rule::automatic, 1e-3, 0, 1'000'000);
    for (auto const& orbit : rule.orbits())
      for (auto const& offsets : rule.half_orbit(orbit))
        for (double const side : {1.0, -1.0}) {
          auto point = offsets;
          for (double& x : point)
            x = 0.5 + side * x;
          expected.push_back(point);
        }
    std::sort(seen.begin(), seen.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(seen, expected) << d;
  }
}

template <class Space>
class CuhreAndPagani : public ::testing::Test {
protected:
  /// Both agree. The evaluations of Pagani, which starts from more regions and bisects many at once, are at most this
  /// many times those of the oracle: a third more than was measured.
  template <int D, class F>
  static void expect_agreement(F const& f, double truth, double const (&most)[3]) {
    for (int k = 0; k < 3; ++k) {
      double const relative = tolerances[k];
      SCOPED_TRACE(relative);
      auto const expected = by_oracle<D>(f, relative);
      auto const result = integrate(Space(), Pagani{.channels = Channels::never}, f, Box<D>{}, {.relative = relative});
      EXPECT_EQ(result.status, Status::converged);
      EXPECT_LE(result.error, relative * std::abs(result.value));
      EXPECT_NEAR(result.value, truth, result.error);
      EXPECT_NEAR(result.value, expected.value, result.error + expected.error);
      double const ratio = static_cast<double>(result.evaluations) / static_cast<double>(expected.evaluations);
      EXPECT_LE(ratio, most[k]);
    }
  }
};
TYPED_TEST_SUITE(CuhreAndPagani, spaces::All, spaces::Names);

TYPED_TEST(CuhreAndPagani, AgreeOnAnOscillation) {
  // Measured 3.39, 1.61 and 1.85: of 18,018 to 115,752 evaluations. The errors of the first grid are four times as
  // large.
  this->template expect_agreement<5>(suite::F1<5>{}, 0.0202424221199018969, {4.5, 2.1, 2.4});
}

TYPED_TEST(CuhreAndPagani, AgreeOnAPeakInACorner) {
  // Measured 6.5, 3.2 and 1.9: of the 64 initial regions and a search for poles.
  this->template expect_agreement<3>(suite::F3<3>{}, 0.0108465608465608466, {8.5, 4.2, 2.5});
}

TYPED_TEST(CuhreAndPagani, AgreeOnAKink) {
  // Measured 1.14, 1.20 and 1.20: of 393,120 to 4,097,184 evaluations.
  this->template expect_agreement<5>(suite::F5<5>{}, 3.09363588982679e-04, {1.5, 1.6, 1.6});
}

} // namespace
} // namespace cuhre_test
