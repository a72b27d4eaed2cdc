#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/detail/cubature/poles.hpp>
#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

/// Poles that all nodes of a rule may miss.
namespace find_poles_test {
namespace {

using namespace kubature;
using detail::find_poles, detail::Pole;

using Function = std::function<double(double const* x)>;

/// What a search finds about a region; counts the points.
std::vector<Pole> found(Function const& f, std::vector<double> const& centre, double length,
                        std::size_t* count = nullptr) {
  auto const d = centre.size();
  return find_poles(
      [&](std::vector<double> const& points) {
        std::vector<double> values;
        for (std::size_t k = 0; k < points.size(); k += d) {
          for (std::size_t i = k; i < k + d; ++i) {
            EXPECT_GE(points[i], 0);
            EXPECT_LE(points[i], 1);
          }
          values.push_back(std::abs(f(&points[k])));
        }
        if (count)
          *count += values.size();
        return values;
      },
      centre, std::vector<double>(d, length));
}

TEST(FindPoles, AtAPoint) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.05, 0.95);
  for (int number = 0; number < 100; ++number) {
    std::size_t const d = 2 + static_cast<std::size_t>(number % 3);
    double const exponent = uniform(random) * static_cast<double>(d);
    if (exponent < 0.5)
      continue;
    std::vector<double> at, centre;
    double const length = 0.25;
    for (std::size_t i = 0; i < d; ++i) {
      at.push_back(number % 2 == 0 || i > 0 ? uniform(random) : 1); // on a face, too
      centre.push_back(std::clamp(at[i] + 0.8 * length * (uniform(random) - 0.5), length / 2, 1 - length / 2));
    }
    auto const poles = found(
        [&](double const* x) {
          double square = 0;
          for (std::size_t i = 0; i < d; ++i)
            square += (x[i] - at[i]) * (x[i] - at[i]);
          return std::pow(square, -exponent / 2);
        },
        centre, length);
    ASSERT_FALSE(poles.empty()) << exponent << " in " << d;
    auto const& pole = poles.front();
    EXPECT_EQ(pole.axes, (1u << d) - 1);
    for (std::size_t i = 0; i < d; ++i)
      EXPECT_NEAR(pole.centre[i], at[i], 1e-6);
    EXPECT_NEAR(std::log2(pole.part), -3 * (static_cast<double>(d) - exponent), 0.6) << exponent << " in " << d;
  }
}

TEST(FindPoles, AcrossOneAxis) {
  auto const poles =
      found([](double const* x) { return std::pow(std::abs(x[1] - 0.3), -0.75) * (1 + x[0]); }, {0.4, 0.35}, 0.2);
  ASSERT_EQ(poles.size(), 2u); // over both axes, too
  EXPECT_EQ(poles[1].axes, 2u);
  EXPECT_NEAR(poles[1].centre[1], 0.3, 1e-9);
  EXPECT_NEAR(std::log2(poles[1].part), -3 * 0.25, 0.2);
}

/// Rules are good at what begins at a region's end.
TEST(FindPoles, NotAtAnEndOfTheBox) {
  for (auto const& pole : found([](double const* x) { return 1 / std::sqrt(x[0]); }, {0.1, 0.5}, 0.2))
    EXPECT_EQ(pole.axes, 3u);
}

TEST(FindPoles, NoneInPeaksAndCusps) {
  for (double const width : {1e-2, 1e-1, 1.0}) {
    std::size_t count = 0;
    auto const peak = [&](double const* x) {
      return std::exp(-(std::pow(x[0] - 0.4, 2) + std::pow(x[1] - 0.6, 2)) / (width * width));
    };
    EXPECT_TRUE(found(peak, {0.41, 0.61}, 0.1, &count).empty()) << width;
    EXPECT_LE(count, width < 0.1 ? 700u : 250u);
    auto const cusp = [&](double const* x) { return std::exp(-(std::abs(x[0] - 0.4) + std::abs(x[1] - 0.6)) / width); };
    EXPECT_TRUE(found(cusp, {0.41, 0.61}, 0.1).empty()) << width;
    auto const jump = [](double const* x) { return x[0] < 0.405 ? 1.0 : 0.0; };
    EXPECT_TRUE(found(jump, {0.41, 0.61}, 0.1).empty()) << width;
  }
  EXPECT_TRUE(found([](double const*) { return 0.0; }, {0.5, 0.5}, 0.5).empty());
  EXPECT_TRUE(found([](double const*) { return std::nan(""); }, {0.5, 0.5}, 0.5).empty());
}

/// |x - u|^-a over a square, of which each of the four corners' rectangles is known by an integral over the angle.
struct PointPole {
  double u[2], exponent;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::pow((x[0] - u[0]) * (x[0] - u[0]) + (x[1] - u[1]) * (x[1] - u[1]), -exponent / 2);
  }
  double truth() const {
    double sum = 0;
    for (double const a : {u[0], 1 - u[0]})
      for (double const b : {u[1], 1 - u[1]})
        sum += triangle(a, b) + triangle(b, a);
    return sum;
  }

private:
  /// The integral of r^-exponent over 0 < x < a, 0 < y < b x / a.
  double triangle(double a, double b) const {
    constexpr int intervals = 2000;
    double const h = std::atan2(b, a) / intervals, power = 2 - exponent;
    double sum = 0;
    for (int k = 0; k <= intervals; ++k) // Simpson's rule
      sum += (k == 0 || k == intervals ? 1 : k % 2 == 1 ? 4 : 2) * std::pow(a / std::cos(k * h), power) / power;
    return a > 0 ? sum * h / 3 : 0;
  }
};

template <class Space>
class PolesByPagani : public ::testing::Test {};
TYPED_TEST_SUITE(PolesByPagani, spaces::All, spaces::Names);

TYPED_TEST(PolesByPagani, AreNotMissed) {
  TypeParam exec;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.02, 0.98);
  Integrator integrator(exec, Pagani{});
  int converged = 0;
  for (int number = 0; number < 100; ++number) {
    PointPole const f{{uniform(random), number % 2 == 0 ? uniform(random) : 1.0}, 0.25 + 1.6 * uniform(random)};
    double const truth = f.truth();
    for (double const relative : {1e-2, 1e-3, 1e-4}) {
      auto const result = integrator.integrate(f, Box<2>{}, {.relative = relative}, {.evaluations = 1'000'000});
      if (result.status != Status::converged)
        continue;
      ++converged;
      EXPECT_LE(std::abs(result.value - truth), relative * truth)
          << f.u[0] << ' ' << f.u[1] << ' ' << f.exponent << ' ' << relative << '\n'
          << result;
    }
  }
  EXPECT_GE(converged, 250);
}

} // namespace
} // namespace find_poles_test
