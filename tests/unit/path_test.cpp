#include <kubature/integrate.hpp>
#include <kubature/path.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

/// Paths of Gaussian processes, as domains.
namespace path_test {
namespace {

using namespace kubature;
using detail::Matrix;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr PathBy every_way[] = {PathBy::steps, PathBy::bridge, PathBy::principal};

/// n dates at random distances.
std::vector<double> uneven(int n) {
  std::mt19937_64 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> step(0.01, 2);
  std::vector<double> dates;
  for (int i = 0; i < n; ++i)
    dates.push_back((i > 0 ? dates.back() : 0) + step(random) / n);
  return dates;
}

/// The linear map of normal numbers to paths, whose columns follow from one that differs from zero.
template <int D>
Matrix linear_map(Path<D> const& path) {
  Matrix a(D, D);
  double u[D], x[D];
  std::fill(u, u + D, 0.5);
  for (std::size_t k = 0; k < D; ++k) {
    u[k] = 0.8;
    EXPECT_EQ(path(u, x), 1);
    for (std::size_t i = 0; i < D; ++i)
      a(i, k) = x[i] / detail::normal_quantile(0.8);
    u[k] = 0.5;
  }
  return a;
}

/// Expects that A A^T is the covariance, to a multiple of the rounding errors of n^2 additions.
void expect_covariance(Matrix const& a, Matrix const& covariance, std::string const& what) {
  double most = 0, off = 0;
  auto const of_a = product(a, transposed(a));
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.rows(); ++j) {
      most = std::max(most, std::abs(covariance(i, j)));
      off = std::max(off, std::abs(of_a(i, j) - covariance(i, j)));
    }
  EXPECT_LE(off, 16 * epsilon * static_cast<double>(a.rows()) * most) << what;
}

template <int D>
void expect_brownian() {
  auto const dates = uneven(D);
  auto const covariance = detail::brownian_covariance(dates);
  for (auto const by : every_way) {
    auto const what = std::to_string(D) + " dates by " + std::to_string(static_cast<int>(by));
    auto const a = linear_map(brownian_path<D>(dates, by));
    expect_covariance(a, covariance, what);
    expect_covariance(detail::path_matrix(covariance, by), covariance, what);
    double total = 0, rest = 0; // what the variables after each do not decide falls fastest by principal components
    for (std::size_t k = 0; k < D; ++k)
      for (std::size_t i = 0; i < D; ++i)
        (k < (D + 1) / 2 ? total : rest) += a(i, k) * a(i, k);
    EXPECT_GT(total, rest);
  }
}

TEST(Paths, HaveTheCovarianceOfBrownianMotion) {
  expect_brownian<1>();
  expect_brownian<2>();
  expect_brownian<3>();
  expect_brownian<7>();
  expect_brownian<16>();
  expect_brownian<64>();
  expect_brownian<252>();
}

/// The steps of Brownian motion depend on one or two dates, the matrix of its covariance on all: the paths are the
/// same.
TEST(Paths, OfBrownianMotionAreThoseOfItsMatrix) {
  constexpr int D = 20;
  auto const dates = uneven(D);
  for (auto const by : {PathBy::steps, PathBy::bridge}) {
    auto const a = linear_map(brownian_path<D>(dates, by));
    auto const b = detail::path_matrix(detail::brownian_covariance(dates), by);
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t k = 0; k < D; ++k)
        EXPECT_NEAR(a(i, k), b(i, k), 1000 * epsilon);
  }
}

TEST(Paths, ByABridgeDecideTheLastDateFirst) {
  std::vector<int> order;
  for (auto const& gap : detail::bridge_gaps(7))
    order.push_back(gap.at);
  EXPECT_EQ(order, (std::vector{6, 2, 0, 4, 1, 3, 5}));
}

TEST(Paths, HaveOtherCovariances) {
  auto const dates = uneven(64);
  auto const expect = [&](std::string const& what, auto const& k) {
    Matrix covariance(64, 64);
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t j = 0; j < 64; ++j)
        covariance(i, j) = k(dates[i], dates[j]);
    for (auto const by : every_way)
      expect_covariance(linear_map(gaussian_path<64>(dates, k, by)), covariance, what);
  };
  expect("Ornstein-Uhlenbeck", [](double s, double t) { return 1e-8 * std::exp(-3 * std::abs(s - t)); });
  expect("fractional",
         [](double s, double t) { return (std::pow(s, 1.4) + std::pow(t, 1.4) - std::pow(std::abs(s - t), 1.4)) / 2; });
  // Positive semidefinite to within rounding only, where Cholesky's algorithm ends.
  expect("smooth", [](double s, double t) { return std::exp(-2 * (s - t) * (s - t)); });
  expect("periodic", [](double s, double t) { return std::cos(20 * (s - t)); });
  expect("constant", [](double, double) { return 2.0; });
  expect("none", [](double, double) { return 0.0; });
}

TEST(Paths, HaveTheirPrincipalComponentsByFallingEigenvalues) {
  auto const a = linear_map(gaussian_path<3>({{2, 1, 0}, {1, 2, 0}, {0, 0, 5}}, PathBy::principal));
  double const root = std::sqrt(1.5), half = std::sqrt(0.5);
  double const wanted[3][3] = {{0, root, half}, {0, root, half}, {std::sqrt(5.0), 0, half}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(std::abs(a(i, k)), k == 2 && i == 2 ? 0 : wanted[i][k], 16 * epsilon);
  EXPECT_NEAR(a(0, 2), -a(1, 2), 16 * epsilon);
}

/// Dates without a variance are 0, and scales do not matter.
TEST(Paths, KeepSmallAndMissingVariances) {
  for (auto const by : {PathBy::steps, PathBy::bridge}) {
    auto const a = linear_map(gaussian_path<3>({{0, 0, 0}, {0, 1e-30, 0}, {0, 0, 1}}, by));
    auto const covariance = product(a, transposed(a));
    EXPECT_EQ(covariance(0, 0), 0);
    EXPECT_NEAR(covariance(1, 1), 1e-30, 1e-44);
  }
  auto const at_zero = linear_map(brownian_path<2>({0, 1}));
  EXPECT_EQ(at_zero(0, 0), 0);
  EXPECT_EQ(at_zero(0, 1), 0);
}

void refused(std::function<void()> const& call, std::string const& beginning) {
  try {
    call();
    ADD_FAILURE() << beginning << " was accepted";
  } catch (InvalidArgument const& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, beginning.size()), beginning);
    EXPECT_NE(std::string(error.where().file_name()).find("path_test"), std::string::npos);
  }
}

TEST(Paths, RefuseDatesAndCovariancesThatAreNone) {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  refused([] { brownian_path<3>({1, 2}); }, "number of dates = 2: ");
  refused([] { brownian_path<3>({1, 2, 2}); }, "date 3 = 2: must be after the date before");
  refused([] { brownian_path<2>({-1, 2}); }, "date 1 = -1: must be finite and not negative");
  refused([=] { brownian_path<2>({1, nan}); }, "date 2 = nan: ");
  refused([] { gaussian_path<2>({2, 1}, [](double, double) { return 1.0; }); }, "date 2 = 1: ");
  refused([] { gaussian_path<2>({{1, 0.5}, {0.4, 1}}); }, "covariance of dates 1 and 2 = 0.5: must be symmetric");
  refused([=] { gaussian_path<2>({{1, nan}, {nan, 1}}); }, "covariance of dates 1 and 2 = nan: must be finite");
  refused([] { gaussian_path<2>(std::vector<std::vector<double>>{{1, 0}}); }, "number of rows of the covariance = 1: ");
  for (auto const by : every_way)
    refused([=] { gaussian_path<2>({{1, 2}, {2, 1}}, by); }, "least eigenvalue of the covariance = -");
  refused([] { gaussian_path<2>({{-1, 0}, {0, 1}}, PathBy::steps); }, "variance of date 1 = -1: ");
}

enum Payoff { exponential, squares, call };

/// exp(W(t_D)); the sum of W^2; a call on the geometric mean of a price.
struct OfPath {
  Payoff kind;

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& w) const {
    Real sum = 0, square = 0;
    for (int i = 0; i < D; ++i) {
      sum += w[i];
      square += w[i] * w[i];
    }
    return kind == exponential ? Kokkos::exp(w[D - 1])
           : kind == squares   ? square
                               : Kokkos::fmax(Kokkos::exp(Real(0.2) * sum / D) - Real(1.05), Real(0));
  }
};

TEST(Paths, HaveExpectationsInClosedForm) {
  constexpr int D = 8;
  auto const dates = uneven(D);
  double sum = 0, variance = 0;
  for (double const s : dates) {
    sum += s;
    for (double const t : dates)
      variance += std::min(s, t) / (D * D);
  }
  double const deviation = 0.2 * std::sqrt(variance), d = (std::log(1 / 1.05) + deviation * deviation) / deviation;
  auto const below = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
  double const price = std::exp(deviation * deviation / 2) * below(d) - 1.05 * below(d - deviation);
  for (auto const by : every_way) {
    auto const path = brownian_path<D>(dates, by);
    auto const expect = [&](auto const& method, Payoff kind, double value, double relative) {
      auto const result = integrate(method, OfPath{kind}, path);
      EXPECT_NEAR(result.value, value, 5 * result.error) << result;
      EXPECT_LT(result.error, relative * value) << result;
    };
    QuasiMonteCarlo<> const lattice{.evaluations = 1 << 16};
    expect(lattice, exponential, std::exp(dates.back() / 2), 1e-3);
    expect(lattice, squares, sum, 1e-3);
    expect(lattice, call, price, 1e-3);
    expect(VegasPlus<>{.evaluations = 20'000, .iterations = 10}, call, price, 1e-2);
  }
}

/// In single precision, and by cubature in few variables.
TEST(Paths, ServeOtherMethodsAndPrecisions) {
  auto const path = brownian_path<2>({0.5, 1});
  auto const expect = [&](auto const& method, double relative) {
    auto const result =
        integrate(method, OfPath{exponential}, path, {.relative = relative}, {.evaluations = 3'000'000});
    EXPECT_NEAR(result.value, std::exp(0.5), 5 * result.error) << result;
    EXPECT_LT(result.error, 3 * relative * result.value) << result;
  };
  expect(Pagani<>{}, 1e-6);
  expect(QuasiMonteCarlo<Fp32>{}, 1e-4);
}

} // namespace
} // namespace path_test
