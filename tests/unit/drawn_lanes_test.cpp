#include <kubature/detail/vegas/mapped_points.hpp>
#include <kubature/precision.hpp>

#include <gtest/gtest.h>

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

TEST(DrawnLanes, ByAvx2AreThoseOfTheCompiler) { compare_all(Instructions::avx2); }
TEST(DrawnLanes, ByAvx512AreThoseOfTheCompiler) { compare_all(Instructions::avx512); }

} // namespace drawn_lanes_test
