#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

/// Which pairs of samples lie in which cube, and how fast maps learn.
namespace vegas_plus_allocation_test {
namespace {

using namespace kubature;

using Host = Kokkos::DefaultHostExecutionSpace;
using Allocation = detail::Allocation<Host>;

void expect_every_pair_in_its_cube(Allocation const& allocation) {
  std::uint64_t next = 0;
  for (auto cube = allocation.find(0).cube;; cube = allocation.next(cube)) {
    ASSERT_GE(cube.pairs, allocation.least);
    for (std::uint64_t pair : {next, next + cube.pairs / 2, next + cube.pairs - 1}) {
      auto const found = allocation.find(pair);
      ASSERT_EQ(found.first, next);
      ASSERT_EQ(found.cube.index, cube.index);
      ASSERT_EQ(found.cube.pairs, cube.pairs);
      ASSERT_EQ(found.cube.fraction, cube.fraction);
    }
    next += cube.pairs;
    if (cube.index + 1 == allocation.cubes)
      break;
  }
  EXPECT_EQ(next, allocation.pairs());
}

TEST(Allocation, WithoutWeightsIsEven) {
  for (std::uint64_t cubes : {1u, 2u, 31u, 32u, 33u, 1000u}) {
    detail::Stratification<Host> strata;
    strata.cut(Host(), 1, {static_cast<int>(cubes)});
    auto const allocation = strata.allocate(Host(), 2, 10 * cubes + 7);
    expect_every_pair_in_its_cube(allocation);
    EXPECT_LE(2 * allocation.pairs(), 10 * cubes + 7);
    EXPECT_GE(2 * allocation.pairs(), 10 * cubes + 4);
  }
}

TEST(Allocation, FollowsTheWeightsAndUsesTheBudget) {
  Host exec;
  std::vector<float> weights(1000);
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = k == 500 ? 1e6f : k % 3 == 0 ? 0.0f : static_cast<float>(k);
  detail::Stratification<Host> strata;
  strata.restore(exec, 3, {10, 10, 10}, std::accumulate(weights.begin(), weights.end(), 0.0), weights);
  auto const allocation = strata.allocate(exec, 6, 200'000);
  exec.fence("test");
  expect_every_pair_in_its_cube(allocation);
  EXPECT_LE(allocation.pairs(), 100'000u);
  EXPECT_GE(allocation.pairs(), 99'998u);
  double const whole = std::accumulate(weights.begin(), weights.end(), 0.0);
  auto cube = allocation.find(0).cube;
  for (std::size_t k = 0; k < weights.size(); ++k, cube = k < weights.size() ? allocation.next(cube) : cube)
    EXPECT_NEAR(static_cast<double>(cube.pairs), 3 + 97'000 * static_cast<double>(weights[k]) / whole, 1.01);
}

TEST(Allocation, CountsBeyond32Bits) {
  Allocation allocation;
  allocation.cubes = std::uint64_t{1} << 34;
  allocation.least = 2;
  allocation.even = 3u << Allocation::fraction_bits;
  EXPECT_EQ(allocation.pairs(), std::uint64_t{5} << 34);
  std::uint64_t const pair = (std::uint64_t{5} << 33) + 12;
  auto const found = allocation.find(pair);
  EXPECT_EQ(found.cube.index, pair / 5);
  EXPECT_EQ(found.first, pair / 5 * 5);
}

TEST(Stratification, CarriesItsWeightsOverToFinerCubes) {
  Host exec;
  detail::Stratification<Host> strata;
  strata.restore(exec, 2, {2, 1}, 4, {1, 3});
  strata.cut(exec, 2, {4, 3});
  EXPECT_EQ(strata.weights(exec), (std::vector<float>{1, 1, 3, 3, 1, 1, 3, 3, 1, 1, 3, 3}));
  EXPECT_EQ(strata.sum(), 24);
  strata.cut(exec, 3, {2, 2, 2}); // nothing is known in another dimension
  EXPECT_EQ(strata.sum(), 0);
}

TEST(Stratification, CarriesItsWeightsOverToCubesThatManyTeamsShare) {
  Host exec;
  struct Cuts {
    std::vector<int> before, after;
  };
  for (auto const& [before, after] :
       {Cuts{{7, 5, 3}, {31, 17, 9}}, Cuts{{31, 17, 9}, {7, 40, 8}}, Cuts{{40'000}, {100'000}}}) {
    auto const axes = static_cast<int>(before.size());
    detail::Stratification<Host>::Counts old_counts{}, counts{};
    int all = 1, cubes = 1;
    for (int i = 0; i < axes; ++i) {
      all *= old_counts[i] = before[static_cast<std::size_t>(i)];
      cubes *= counts[i] = after[static_cast<std::size_t>(i)];
    }
    std::vector<float> weights(static_cast<std::size_t>(all)), expected;
    std::iota(weights.begin(), weights.end(), 1.0f);
    for (int k = 0; k < cubes; ++k) {
      std::int64_t rest = k, old = 0, stride = 1;
      for (int i = 0; i < axes; ++i) {
        old += (2 * (rest % counts[i]) + 1) * old_counts[i] / (2 * counts[i]) * stride;
        rest /= counts[i];
        stride *= old_counts[i];
      }
      expected.push_back(weights[static_cast<std::size_t>(old)]);
    }
    detail::Stratification<Host> strata;
    strata.restore(exec, axes, old_counts, 1, weights);
    strata.cut(exec, axes, counts);
    EXPECT_EQ(strata.weights(exec), expected) << cubes;
    double const sum = std::accumulate(expected.begin(), expected.end(), 0.0);
    EXPECT_NEAR(strata.sum(), sum, 1e-12 * sum);
  }
}

// A given damping is used as it is; otherwise the map learns fast from 1e5 samples on, and less and less once it is
// trained.
TEST(Training, FallsUnlessItsDampingIsGiven) {
  using detail::damping;
  EXPECT_EQ(damping(0.3, 1'000'000, 5, 0).alpha, 0.3);
  EXPECT_EQ(damping(0.3, 1'000'000, 2, 0).reach, 0);
  EXPECT_EQ(damping(own_choice, 99'999, 5, 0).alpha, 0.75);
  EXPECT_EQ(damping(own_choice, 99'999, 2, 0).reach, 0);
  EXPECT_EQ(damping(own_choice, 100'000, 5, 7).alpha, 1.5);
  EXPECT_EQ(damping(own_choice, 100'000, 5, 14).alpha, 0.75);
  EXPECT_EQ(damping(own_choice, 100'000, 5, 199).alpha, 0.5);
  EXPECT_EQ(damping(own_choice, 100'000, 5, -1).alpha, 0.75);
  EXPECT_GT(damping(own_choice, 100'000, 2, 0).reach, damping(own_choice, 100'000, 5, 0).reach);
}

} // namespace
} // namespace vegas_plus_allocation_test
