#include "batched.hpp"
#include "spaces.hpp"

#include <kubature/batched.hpp>
#include <kubature/detail/peaks/modes.hpp>
#include <kubature/peaks.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace peaks_test {
namespace {

using namespace kubature;
using suite::Gaussians, suite::random_gaussians;

/// A Gaussian of height 7 at (1, -3), with standard deviations 0.02 and 0.3 and a correlation of 0.8.
struct Correlated {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    Real const u = (x[0] - 1) / Real(0.02), v = (x[1] + 3) / Real(0.3);
    return 7 * Kokkos::exp(-(u * u - Real(1.6) * u * v + v * v) / Real(0.72));
  }
};

template <int Value>
struct Constant {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const&) const {
    return Value;
  }
};

std::vector<std::vector<double>> places(std::vector<Peak> const& peaks) {
  std::vector<std::vector<double>> result;
  for (auto const& peak : peaks)
    result.push_back(peak.at);
  return result;
}

template <int D, class Space>
void find_random_ones(Space const& exec, int& all, int& seen, int& peaks) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    auto const f = random_gaussians<D>(100 * D + seed);
    auto const result = find_peaks(exec, f, Box<D>{});
    all += f.count;
    seen += f.seen(places(result), 1);
    peaks += static_cast<int>(result.size());
  }
}

template <class Space>
class Peaks : public ::testing::Test {};
TYPED_TEST_SUITE(Peaks, spaces::All);

TYPED_TEST(Peaks, FindsNarrowOnes) {
  int all = 0, seen = 0, peaks = 0;
  find_random_ones<2>(TypeParam(), all, seen, peaks);
  find_random_ones<4>(TypeParam(), all, seen, peaks);
  find_random_ones<6>(TypeParam(), all, seen, peaks);
  EXPECT_GE(seen, 0.95 * all) << all;
  EXPECT_LE(peaks, 1.2 * all) << all;
}

TYPED_TEST(Peaks, HaveTheCovarianceOfGaussians) {
  double const infinity = std::numeric_limits<double>::infinity();
  for (auto const& box : {Box<2>{{0, 3}, {-5, 5}}, Box<2>{{0, infinity}, {-infinity, infinity}}}) {
    auto const peaks = find_peaks(TypeParam(), Correlated(), box);
    ASSERT_EQ(peaks.size(), 1u);
    EXPECT_NEAR(peaks[0].log_height, std::log(7.0), 0.02);
    EXPECT_NEAR(peaks[0].at[0], 1, 0.02 / 5);
    EXPECT_NEAR(peaks[0].at[1], -3, 0.3 / 5);
    EXPECT_NEAR(peaks[0].covariance[0] / (0.02 * 0.02), 1, 0.2);
    EXPECT_NEAR(peaks[0].covariance[3] / (0.3 * 0.3), 1, 0.2);
    EXPECT_NEAR(peaks[0].covariance[1] / (0.8 * 0.02 * 0.3), 1, 0.2);
  }
}

TYPED_TEST(Peaks, AreThoseOfBatches) {
  auto const f = random_gaussians<3>(1);
  std::size_t batches = 0, points = 0;
  auto const in_batches = batched(batches::Evaluate<TypeParam, 1, 3, Gaussians<3>>{f, &batches, &points});
  auto const one = find_peaks(TypeParam(), f, Box<3>{}, {.evaluations = 100000});
  auto const other = find_peaks(TypeParam(), in_batches, Box<3>{}, {.evaluations = 100000});
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t k = 0; k < one.size(); ++k)
    EXPECT_EQ(one[k].at, other[k].at);
  EXPECT_GE(points, 90000u);
}

TYPED_TEST(Peaks, OfNothing) {
  EXPECT_TRUE(find_peaks(TypeParam(), Constant<0>(), Box<2>{}).empty());
  auto const constant = find_peaks(TypeParam(), Constant<3>(), Box<2>{});
  ASSERT_EQ(constant.size(), 1u);
  EXPECT_NEAR(constant[0].covariance[0], 1.0 / 12, 1e-12);
}

TEST(PeaksOfBadInput, NameTheArgument) {
  EXPECT_THROW(find_peaks(Constant<1>(), Box<2>{}, {.evaluations = 999}), InvalidArgument);
}

/// Ends on a line: a dip between two of them makes two modes.
TEST(Modes, AreApartIfThereIsADip) {
  auto const two = [](double distance) {
    return [distance](std::vector<double> const& points) {
      std::vector<double> heights;
      for (double const t : points)
        heights.push_back(std::log(std::exp(-50 * std::pow((t - 0.5 + distance / 2) / 0.5, 2)) +
                                   0.9 * std::exp(-50 * std::pow((t - 0.5 - distance / 2) / 0.5, 2))));
      return heights;
    };
  };
  for (double const distance : {0.05, 0.3}) {
    auto const heights = two(distance);
    detail::EndsOfAscents ends{1, {}, {}};
    for (double t = 0.3; t < 0.7; t += 0.01)
      ends.at.push_back(t);
    ends.height = heights(ends.at);
    detail::Modes modes;
    modes.add(ends, heights, 100000);
    EXPECT_EQ(modes.sorted().size(), distance < 0.2 ? 1u : 2u);
  }
}

} // namespace
} // namespace peaks_test
