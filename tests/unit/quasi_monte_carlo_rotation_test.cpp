#include "rotations.hpp"
#include "spaces.hpp"

#include <kubature/detail/normal.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/quasi_monte_carlo.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace quasi_monte_carlo_rotation_test {
namespace {

using namespace kubature;
using namespace rotations;

TEST(NormalDistribution, HasItsQuantiles) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(normal_quantile(0.975), 1.9599639845400545, 8 * epsilon);
  EXPECT_NEAR(normal_quantile(1e-20), -9.2623400897984083, 40 * epsilon);
  EXPECT_NEAR(normal_probability(1), 0.84134474606854294, 4 * epsilon);
  for (double z = -30; z <= 5; z += 0.125)
    EXPECT_NEAR(normal_quantile(normal_probability(z)), z, 1e-9) << z;
}

/// The element of a matrix of d rows.
double& at(std::vector<double>& matrix, int d, int i, int j) {
  return matrix[static_cast<std::size_t>(i) * static_cast<std::size_t>(d) + static_cast<std::size_t>(j)];
}

TEST(ActiveDirections, AreTheEigenvectors) {
  constexpr int d = 7;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  std::vector<double> products(d * d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) // 100 w w^T + v v^T, with v orthogonal to w
      at(products, d, i, j) = 100.0 * (d - i) * (d - j) + (i < 2 && j < 2 ? (i == 0 ? 6 : -7) * (j == 0 ? 6 : -7) : 0);
  auto found = detail::principal_directions(products, d).matrix;
  double length = 0;
  for (int i = 0; i < d; ++i)
    length += (d - i) * (d - i);
  for (int i = 0; i < d; ++i)
    EXPECT_NEAR(std::abs(at(found, d, i, 0)), (d - i) / std::sqrt(length), 50 * epsilon);
  EXPECT_NEAR(std::abs(at(found, d, 0, 1)), 6 / std::sqrt(85.0), 50 * epsilon);
  for (int k = 0; k < d; ++k)
    for (int l = 0; l <= k; ++l) {
      double product = 0;
      for (int i = 0; i < d; ++i)
        product += at(found, d, i, k) * at(found, d, i, l);
      EXPECT_NEAR(product, k == l ? 1 : 0, 50 * epsilon);
    }
}

TEST(ActiveDirections, ServeIfTheyAreFewAndNoAxes) {
  constexpr int d = 8;
  auto const few = [](auto const& product) {
    std::vector<double> products(d * d);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j)
        at(products, d, i, j) = product(i, j);
    return detail::few_directions(products, detail::principal_directions(products, d).variances);
  };
  EXPECT_TRUE(few([](int, int) { return 1.0; }));
  EXPECT_FALSE(few([](int i, int j) { return i == j ? 1.0 : 0.0; }));                // all directions alike
  EXPECT_FALSE(few([](int i, int j) { return std::pow(4.0, -i - j); }));             // two axes have nearly all of it
  EXPECT_FALSE(few([](int, int) { return 0.0; }));                                   // constant
  EXPECT_TRUE(few([](int i, int j) { return i / 4 == j / 4 ? 1.0 + i / 4 : 0.0; })); // two directions
}

TYPED_TEST_SUITE(RotationOn, spaces::All, spaces::Names);

/// The error is 44 times as large without a map and rotation; that of VEGAS+ is 112 times as large.
TYPED_TEST(RotationOn, ConcentratesASumOfManyVariables) {
  QuasiMonteCarlo method{.evaluations = 1 << 18, .trained_map = QmcMap::none};
  auto const plain = integrate(this->exec, method, Call<12>{}, Box<12>{});
  for (auto const map : {QmcMap::automatic, QmcMap::rotated}) {
    method.trained_map = map;
    auto const result = integrate(this->exec, method, Call<12>{}, Box<12>{});
    EXPECT_NEAR(result.value, call_value(), 4.5 * result.error);
    EXPECT_LT(std::abs(result.value - call_value()) * 10, plain.error);
    if (map == QmcMap::automatic) { // the audit widens that of the other call
      EXPECT_LT(result.error * 10, plain.error);
    }
    EXPECT_LT(double(result.evaluations), double(method.evaluations) * (map == QmcMap::automatic ? 1.9 : 1.2));
  }
}

/// Short calls have too few evaluations for it, and then neither differences nor slabs.
TEST(Rotation, IsLeftOutWhereEvaluationsAreFew) {
  QuasiMonteCarlo method{.evaluations = 1 << 9, .trained_map = QmcMap::rotated};
  auto const rotated = integrate(method, Call<12>{}, Box<12>{});
  method.trained_map = QmcMap::none;
  auto const plain = integrate(method, Call<12>{}, Box<12>{});
  EXPECT_EQ(rotated.evaluations, plain.evaluations);
  EXPECT_EQ(rotated.value, plain.value);
}

} // namespace
} // namespace quasi_monte_carlo_rotation_test
