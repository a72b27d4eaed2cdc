#include <kubature/detail/sampling/shifted_sums.hpp>
#include <kubature/detail/sampling/uniform_points.hpp>
#include <kubature/detail/vegas/mapped_points.hpp>
#include <kubature/precision.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace kubature;
using namespace kubature::detail;

namespace drawn_lanes_test {

using Space = Kokkos::DefaultHostExecutionSpace;

/// Points, their intervals and the histogram after one round of records, by these functions.
template <int D>
struct Drawn {
  using Map = MappedPoints<Space, Fp64, D>;
  typename Map::Points points{};
  std::vector<std::uint64_t> histogram;
  double largest = 0;

  Drawn(int d, int bins, Box<D> const& box, LaneFunctions const* functions, int live)
      : histogram(static_cast<std::size_t>(bins * d)) {
    Space const exec;
    DeviceMap<Space> device;
    device.reset(exec, d, bins);
    Strata<D> const strata(d, 5000);
    Map map(box, device, strata, Stream(7, 3), 1, true, 1.25);
    map.by_vectors = functions;
    map.edges_in_scratch = true;
    map.scale = 0x1p10;
    std::vector<double> edges;
    for (int i = 0; i < d; ++i)
      for (int k = 0; k <= bins; ++k)
        edges.push_back((i + 1) * (k + 0.3 * k * k) / (bins + 0.3 * bins * bins));
    typename Map::Corner corner;
    std::uint64_t numbers[Map::lanes];
    for (int w = 0; w < Map::lanes; ++w) {
      numbers[w] = (std::uint64_t{1} << 32) - 10 + 3 * static_cast<unsigned>(w);
      map.place(corner, w, numbers[w] % strata.cubes, strata);
    }
    typename Map::Table const table{
        typename Map::template Scratch<double>(edges.data(), edges.size()), histogram.data(), {1, 1}};
    map.draw_at(numbers, corner, table, points);
    map.template place_in_box<true>(points);
    double values[Map::lanes] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 0x1p-40,
                                 3e-300,
                                 1e300,
                                 0x1p9,
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN(),
                                 1.0 / 3,
                                 0x1.fffffffffffffp8};
    for (int w = 12; w < Map::lanes; ++w)
      values[w] = 0.37 * (w - 20);
    for (int w = live; w < Map::lanes; ++w)
      values[w] = 0;
    typename Map::Turn turn(1, 1);
    map.record(turn, table, points, values, LaneBits{live < 32 ? (1u << live) - 1 : LaneBits::all}, largest);
  }
};

template <int D>
void compare(int d, int bins, Box<D> const& box, Instructions instructions) {
  auto const* const functions = lane_functions(instructions);
  if (!functions)
    GTEST_SKIP() << "no such instructions";
  for (int live : {32, 13}) {
    Drawn<D> const one(d, bins, box, nullptr, live), other(d, bins, box, functions, live);
    for (int w = 0; w < 32; ++w) {
      EXPECT_EQ(std::memcmp(&one.points.jacobian[w], &other.points.jacobian[w], sizeof(double)), 0) << w;
      for (int i = 0; i < d; ++i) {
        double const x = one.points.x[w][i], y = other.points.x[w][i];
        EXPECT_EQ(x, y) << d << ' ' << i << ' ' << w;
        EXPECT_EQ(one.points.interval[i][w], other.points.interval[i][w]);
      }
    }
    EXPECT_EQ(one.histogram, other.histogram);
    EXPECT_EQ(one.largest, other.largest);
    EXPECT_EQ(one.largest, 1e300);
  }
}

void compare_all(Instructions instructions) {
  compare<dynamic>(1, 1000, Box<dynamic>({{0, 1}}), instructions);
  compare<2>(2, 37, Box<2>(), instructions);
  compare<3>(3, 500, Box<3>(), instructions);
  compare<dynamic>(5, 500, Box<dynamic>(std::vector<Side>{{-1, 3}}, 5), instructions);
  compare<dynamic>(9, 50, Box<dynamic>(std::vector<Side>{{0, infinity}}, 9), instructions);
}

template <int D>
void compare_uniform(Box<D> const& box, Instructions instructions) {
  auto const* const functions = lane_functions(instructions);
  if (!functions)
    GTEST_SKIP() << "no such instructions";
  using Uniform = UniformPoints<Fp64, D, 32>;
  Uniform source{{Transform<double, D>(box, CoordinateFormat::of<double>()), Stream(7, 3), box.dimension(), 1.25}};
  Partition chunks;
  chunks.items = 32 * 100 - 1234;
  chunks.length = 100;
  auto const at = Uniform::start({}, chunks, 0);
  typename Uniform::Points one, other;
  source.by_vectors = nullptr;
  source.draw(at, {}, one);
  source.template place_in_box<true>(one);
  source.by_vectors = functions;
  source.draw(at, {}, other);
  source.template place_in_box<true>(other);
  for (int w = 0; w < 32; ++w) {
    EXPECT_EQ(one.jacobian[w], other.jacobian[w]) << w;
    for (int i = 0; i < box.dimension(); ++i)
      EXPECT_EQ(one.x[w][i], other.x[w][i]) << i << ' ' << w;
  }
}

void compare_all_uniform(Instructions instructions) {
  compare_uniform(Box<1>{{-3, 1e-300}}, instructions);
  compare_uniform(Box<5>(), instructions);
  compare_uniform(Box<dynamic>(std::vector<Side>{{-1, 3}}, 9), instructions);
  compare_uniform(Box<dynamic>(std::vector<Side>{{0, infinity}}, 3), instructions);
}

/// 32 numbers of either sign.
std::vector<double> numbers(double seed) {
  std::vector<double> all;
  for (int w = 0; w < 32; ++w)
    all.push_back(std::sin(seed + 1.7 * w) * std::exp(w - 20));
  return all;
}

void weigh_and_sum(Instructions instructions) {
  auto const* const functions = lane_functions(instructions);
  if (!functions)
    GTEST_SKIP() << "no such instructions";
  using Sums = ShiftedSums<double, 1, 32>;
  Sums expected{}, sums{};
  std::uint32_t const live[] = {~0u, ~0u, 0xffff0fffu, 0x7f}, first[] = {~0u, 0x80010010u, 0x00ff0f01u, 0};
  for (int step = 0; step < 4; ++step) {
    LaneBits const bits{live[step], first[step]};
    auto const of_f = numbers(step), jacobian = numbers(0.3 * step);
    double values[1][32], to[1][32];
    EXPECT_TRUE(functions->weigh(of_f.data(), jacobian.data(), bits.live, to[0]));
    for (int w = 0; w < 32; ++w) {
      values[0][w] = bits(w) ? of_f[w] * jacobian[w] : 0;
      if (bits(w))
        expected.add(values, w, first[step] >> w & 1);
    }
    EXPECT_EQ(std::memcmp(values, to, sizeof(values)), 0) << step;
    functions->add(to[0], bits, sums.shift[0], sums.s1[0], sums.s2[0]);
  }
  EXPECT_EQ(std::memcmp(&expected, &sums, sizeof(sums)), 0);
}

void tell_what_is_finite(Instructions instructions) {
  auto const* const functions = lane_functions(instructions);
  if (!functions)
    GTEST_SKIP() << "no such instructions";
  std::vector<double> const ones(32, 1);
  for (double const bad : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()})
    for (int w : {0, 3, 13, 31}) {
      auto of_f = ones;
      of_f[w] = bad;
      double to[32];
      EXPECT_FALSE(functions->weigh(of_f.data(), ones.data(), ~0u, to)) << w;
      EXPECT_EQ(std::isnan(to[w]), std::isnan(bad));
      EXPECT_TRUE(functions->weigh(of_f.data(), ones.data(), ~(1u << w), to)) << w;
      EXPECT_EQ(to[w], 0) << w;
      EXPECT_EQ(to[(w + 1) % 32], 1) << w;
    }
}

void count_place_and_unpack(Instructions instructions) {
  auto const* const functions = lane_functions(instructions);
  if (!functions)
    GTEST_SKIP() << "no such instructions";
  std::uint32_t left[32];
  for (int w = 0; w < 32; ++w)
    left[w] = w % 5 == 2 ? 1 : 3 + static_cast<std::uint32_t>(w);
  EXPECT_EQ(functions->count_down(left), 0x08421084u); // lanes 2, 7, 12, 17, 22 and 27
  EXPECT_EQ(left[2], 0u);
  EXPECT_EQ(left[31], 33u);

  for (int n : {1, 8, 37}) {
    std::vector<double> from, to(n + 1, -1), expected;
    std::vector<std::uint64_t> packed, weights(n + 1, 5), counts(n + 1, 7);
    for (int k = 0; k < n; ++k) {
      from.push_back(k + 1.0 / (k + 3));
      expected.push_back(0.1 + 0.7 * from.back());
      packed.push_back(std::uint64_t{12345678901u} * static_cast<unsigned>(k));
    }
    expected.push_back(-1);
    functions->place(from.data(), n, 0.1, 0.7, to.data());
    EXPECT_EQ(to, expected) << n;
    functions->unpack(packed.data(), packed.size(), weights.data(), counts.data());
    for (int k = 0; k < n; ++k) {
      EXPECT_EQ(weights[k], 5 + FixedPoint::weight(packed[k])) << k;
      EXPECT_EQ(counts[k], 7 + FixedPoint::count(packed[k])) << k;
    }
    EXPECT_EQ(weights[n], 5u);
    EXPECT_EQ(counts[n], 7u);
  }
}

class DrawnLanes : public testing::TestWithParam<Instructions> {};

TEST_P(DrawnLanes, AreThoseOfTheCompiler) { compare_all(GetParam()); }
TEST_P(DrawnLanes, AreThoseOfTheCompilerInABox) { compare_all_uniform(GetParam()); }
TEST_P(DrawnLanes, AreWeighedAndSummedAsByTheCompiler) { weigh_and_sum(GetParam()); }
TEST_P(DrawnLanes, TellWhichValuesAreFinite) { tell_what_is_finite(GetParam()); }
TEST_P(DrawnLanes, AreCountedAndAddedUp) { count_place_and_unpack(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Of, DrawnLanes,
                         testing::Values(Instructions::baseline, Instructions::avx2, Instructions::avx512),
                         [](auto const& of) {
                           return of.param == Instructions::baseline ? "Baseline"
                                  : of.param == Instructions::avx2   ? "Avx2"
                                                                     : "Avx512";
                         });

} // namespace drawn_lanes_test
