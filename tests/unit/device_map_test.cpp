#include "spaces.hpp"

#include <kubature/detail/sampling/strata.hpp>
#include <kubature/detail/vegas/device_map.hpp>

#include <cmath>
#include <vector>

namespace device_map_test {
namespace {

using kubature::detail::FixedPoint;

template <class Space>
class DeviceMap : public ::testing::Test {
protected:
  using Map = kubature::detail::DeviceMap<Space>;

  template <class View>
  static auto host(View const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }

  /// Refines a fresh one-axis map with the given mean weights, `count` samples in every interval.
  static std::vector<double> refined(std::vector<std::uint64_t> const& weights, std::uint64_t count, double alpha,
                                     int reach = 0) {
    Space exec;
    Map map;
    map.reset(exec, 1, static_cast<int>(weights.size()));
    auto const w = host(map.weights()), n = host(map.counts());
    for (std::size_t k = 0; k < weights.size(); ++k) {
      w(k) = weights[k] * count;
      n(k) = count;
    }
    Kokkos::deep_copy(exec, map.weights(), w);
    Kokkos::deep_copy(exec, map.counts(), n);
    map.refine(exec, {alpha, reach}, 1);
    exec.fence("test");
    auto const cleared = host(map.weights());
    EXPECT_EQ(cleared(0), 0u);
    auto edges = map.read(exec);
    for (double& edge : edges)
      edge /= static_cast<double>(weights.size());
    return edges;
  }
};
TYPED_TEST_SUITE(DeviceMap, spaces::All, spaces::Names);

TYPED_TEST(DeviceMap, StartsWithEqualIntervals) {
  TypeParam exec;
  typename TestFixture::Map map;
  map.reset(exec, 3, 4);
  exec.fence("test");
  auto const edges = this->host(map.edges());
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k <= 4; ++k)
      EXPECT_EQ(edges(axis * 5 + k), k);
}

TYPED_TEST(DeviceMap, ConstantWeightsLeaveItAsItWas) {
  auto const edges = this->refined(std::vector<std::uint64_t>(500, 77), 1000, 1.5);
  for (int k = 0; k <= 500; ++k)
    EXPECT_NEAR(edges[static_cast<std::size_t>(k)], k / 500.0, 1e-13);
}

TYPED_TEST(DeviceMap, ZeroWeightsLeaveItAsItWas) {
  auto const edges = this->refined(std::vector<std::uint64_t>(8, 0), 1000, 1.5);
  for (int k = 0; k <= 8; ++k)
    EXPECT_EQ(edges[static_cast<std::size_t>(k)], k / 8.0);
}

TYPED_TEST(DeviceMap, NoDampingExponentLeavesItAsItWas) {
  auto const edges = this->refined({1, 5, 1, 0}, 10, 0);
  for (int k = 0; k <= 4; ++k)
    EXPECT_EQ(edges[static_cast<std::size_t>(k)], k / 4.0);
}

TYPED_TEST(DeviceMap, NewIntervalsHoldEqualSharesOfTheDampedWeights) {
  // Two intervals with weights 3 and 1: smoothed (7 w0 + w1) / 8 = 2.75 and 1.25, shares 0.6875 and 0.3125.
  auto const damped = [](double w) { return std::pow((1 - w) / -std::log(w), 0.5); };
  double const r0 = damped(0.6875), r1 = damped(0.3125);
  auto const edges = this->refined({3, 1}, 10, 0.5);
  EXPECT_EQ(edges[0], 0);
  EXPECT_NEAR(edges[1], 0.5 * ((r0 + r1) / 2) / r0, 1e-14);
  EXPECT_EQ(edges[2], 1);
}

// 1, 3, 3, 1, ... is mirrored beyond its ends, and (1, 2, 3, 4, 3, 2, 1) / 16 turns it into 2 everywhere.
TYPED_TEST(DeviceMap, WeightsAreAveragedAsFarAsTheDampingReaches) {
  std::vector<std::uint64_t> weights;
  for (int k = 0; k < 100; ++k)
    weights.insert(weights.end(), {1, 3, 3, 1});
  auto const far = this->refined(weights, 10, 1.5, 3), near = this->refined(weights, 10, 1.5);
  for (std::size_t k = 0; k <= 400; ++k)
    EXPECT_NEAR(far[k], static_cast<double>(k) / 400, 1e-13);
  EXPECT_GT(near[1], 1.01 / 400); // 1.25, 2.75, 2.75, 1.25
  // A reach beyond the number of intervals.
  EXPECT_NEAR(this->refined({1, 1, 1}, 10, 1.5, 10)[1], 1. / 3, 1e-15);
}

TYPED_TEST(DeviceMap, EdgesAscendWhateverTheWeights) {
  std::vector<std::uint64_t> weights(500, 0);
  weights[250] = 1'000'000'000'000ull;
  weights[7] = 1;
  auto const edges = this->refined(weights, 3, 1.5);
  EXPECT_EQ(edges.front(), 0);
  EXPECT_EQ(edges.back(), 1);
  for (std::size_t k = 1; k < edges.size(); ++k)
    EXPECT_LE(edges[k - 1], edges[k]);
}

TEST(FixedPoint, HoldsAChunkOfTheLargestWeights) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < FixedPoint::most_records; ++i)
    sum += FixedPoint::pack(1e300, 1);
  EXPECT_EQ(FixedPoint::count(sum), FixedPoint::most_records);
  EXPECT_EQ(FixedPoint::weight(sum), FixedPoint::most_records * static_cast<std::uint64_t>(FixedPoint::most));
}

TEST(FixedPoint, TinyAndHugeValuesWeighAsTheyShould) {
  for (double size : {1e-250, 1.0, 1e250}) {
    double const scale = FixedPoint::target / size;
    EXPECT_NEAR(static_cast<double>(FixedPoint::weight(FixedPoint::pack(0.5 * size, scale))), 0x1p28, 2);
  }
}

TEST(FixedPoint, KeepsProportionsAndLosesNoPositiveWeight) {
  double const scale = FixedPoint::target / 5.0;
  EXPECT_NEAR(static_cast<double>(FixedPoint::weight(FixedPoint::pack(2.5, scale))),
              0.25 * FixedPoint::target * FixedPoint::target, 2);
  EXPECT_EQ(FixedPoint::weight(FixedPoint::pack(1e-300, scale)), 1u);
  EXPECT_EQ(FixedPoint::pack(0, scale), 1u);
  EXPECT_EQ(FixedPoint::pack(0, INFINITY), 1u);
  EXPECT_EQ(FixedPoint::weight(FixedPoint::pack(1e-9, INFINITY)), static_cast<std::uint64_t>(FixedPoint::most));
}

template <int D>
void expect_strata(std::uint64_t evaluations) {
  kubature::detail::Strata<D> const strata(D, evaluations);
  std::uint64_t product = 1;
  for (int i = 0; i < D; ++i) {
    EXPECT_GE(strata.counts[i], 1);
    EXPECT_LE(strata.counts[0] - strata.counts[i], 1);
    product *= static_cast<std::uint64_t>(strata.counts[i]);
  }
  EXPECT_EQ(strata.cubes, product);
  EXPECT_GE(strata.samples, 2u);
  if (evaluations >= 2) {
    EXPECT_LE(strata.cubes * strata.samples, evaluations);
    EXPECT_GT(3 * strata.cubes * strata.samples, evaluations); // most of the budget is used
  }
}

TEST(Strata, FillTheBudgetInEveryDimension) {
  for (std::uint64_t n : {2ull, 3ull, 10ull, 1000ull, 999'999ull, 1'000'000'000ull, 10'000'000'000'000ull}) {
    expect_strata<2>(n);
    expect_strata<3>(n);
    expect_strata<5>(n);
    expect_strata<10>(n);
    expect_strata<20>(n);
  }
  expect_strata<1>(1'000'000'000ull);
}

TEST(Strata, EqualPartsWhereTheyFit) {
  kubature::detail::Strata<3> const strata(3, 2000);
  EXPECT_EQ(strata.cubes, 1000u);
  EXPECT_EQ(strata.samples, 2u);
}

} // namespace
} // namespace device_map_test
