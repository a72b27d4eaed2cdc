#include "refused.hpp"
#include "spaces.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace vegas_map_test {
namespace {

using namespace kubature;

/// The path of a file that is removed at the end.
class TemporaryFile {
public:
  explicit TemporaryFile(std::string const& name)
      : path_((std::filesystem::temp_directory_path() / ("kubature-" + std::to_string(::getpid()) + '-' + name))
                  .string()) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string const& path() const { return path_; }
  void write(std::string const& text) const { std::ofstream(path_) << text; }

private:
  std::string path_;
};

template <class Space>
class Maps : public ::testing::Test {
protected:
  Space exec;

  /// A map that was trained on a peak.
  VegasMap trained() const {
    Integrator integrator(exec, VegasPlus{.evaluations = 20'000, .bins = 100});
    integrator.integrate(suite::F4<5>{}, Box<5>{});
    return integrator.map();
  }
};
TYPED_TEST_SUITE(Maps, spaces::All, spaces::Names);

TYPED_TEST(Maps, CrowdWhereThePeakIs) {
  auto const map = this->trained();
  EXPECT_EQ(map.axes(), 5);
  EXPECT_EQ(map.bins(), 100);
  for (int axis = 0; axis < 5; ++axis) {
    EXPECT_GT(map.edges(axis)[10], 0.4);
    EXPECT_LT(map.edges(axis)[90], 0.6);
  }
}

TYPED_TEST(Maps, ComeBackFromAFileAsTheyWere) {
  auto const map = this->trained();
  TemporaryFile const file("map");
  map.save(file.path());
  auto const loaded = VegasMap::load(file.path());
  ASSERT_EQ(loaded.axes(), map.axes());
  for (std::size_t k = 0; k < map.edges().size(); ++k)
    EXPECT_EQ(loaded.edges()[k], map.edges()[k]);
}

TYPED_TEST(Maps, ServeAnotherIntegration) {
  Integrator plus(this->exec, VegasPlus{.evaluations = 20'000, .iterations = 3, .adapt = 0, .skip = 0});
  auto const untrained = plus.integrate(suite::F4<5>{}, Box<5>{});
  plus.use(this->trained());
  auto const result = plus.integrate(suite::F4<5>{}, Box<5>{});
  EXPECT_LT(20 * result.error, untrained.error);
  EXPECT_NEAR(result.value, 1.79132603674878596e-06, 5 * result.error);
  EXPECT_EQ(plus.map().bins(), 100); // frozen: as it was given

  Integrator mcubes(this->exec, MCubes{.evaluations = 20'000, .iterations = 3, .adapt = 0, .skip = 0});
  mcubes.use(this->trained());
  EXPECT_LT(20 * mcubes.integrate(suite::F4<5>{}, Box<5>{}).error, untrained.error);
  EXPECT_THROW(mcubes.integrate(suite::Linear<3>{}, Box<3>{}), InvalidArgument);
}

TYPED_TEST(Maps, GivePointsWithWeights) {
  std::uint64_t const n = 100'003;
  Box<5> const box(-1.0, 3.0); // the peak lies at 1
  auto const drawn = this->trained().sample(this->exec, box, n, 7);
  ASSERT_EQ(drawn.points.extent(0), n);
  ASSERT_EQ(drawn.points.extent(1), 5u);
  auto const x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), drawn.points);
  auto const w = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), drawn.weights);
  double peak = 0, squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    Point<double, 5> t;
    for (int i = 0; i < 5; ++i) {
      ASSERT_GT(x(k, i), -1);
      ASSERT_LT(x(k, i), 3);
      t[i] = (x(k, i) + 1) / 4;
    }
    double const value = suite::F4<5>{}(t)*w(k);
    peak += value;
    squares += value * value;
  }
  auto const samples = static_cast<double>(n);
  double const mean = peak / samples, error = std::sqrt((squares / samples - mean * mean) / samples);
  double const truth = 1.79132603674878596e-06 * 1024;
  EXPECT_NEAR(mean, truth, 5 * error);
  EXPECT_LT(error, 0.02 * truth); // uniform points would give 0.5

  auto const again =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), this->trained().sample(this->exec, box, n, 7).points);
  EXPECT_EQ(again(n - 1, 4), x(n - 1, 4));

  auto const even = VegasMap(1, 1, {0, 1}).sample(this->exec, box, 10);
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), even.weights)(9), 1024);
}

TEST(VegasMaps, AreRefusedWhereTheyAreNone) {
  expect_refused([] { VegasMap(0, 1, {}); }, "VegasMap.axes", "0");
  expect_refused([] { VegasMap(1, 0, {0}); }, "VegasMap.bins", "0");
  expect_refused([] { VegasMap(1, 2, {0, 1}); }, "VegasMap.edges", "2");
  expect_refused([] { VegasMap(1, 2, {0, 0.5, 2}); }, "VegasMap.edges", "2");
  expect_refused([] { VegasMap(1, 3, {0, 0.5, 0.25, 1}); }, "VegasMap.edges", "0.25");
  expect_refused([] { VegasMap(1, 2, {0, NAN, 1}); }, "VegasMap.edges", "nan");
}

TEST(VegasMaps, FilesAreRefusedByName) {
  TemporaryFile const file("bad");
  EXPECT_THROW(VegasMap::load(file.path()), InvalidArgument); // there is no such file
  EXPECT_THROW(VegasMap::load("/"), InvalidArgument);
  for (std::string const text : {"", "something else", "kubature-vegas-map 2\n1 1\n0 1\n", "kubature-vegas-map 1\n1\n",
                                 "kubature-vegas-map 1\n1 2\n0 0.5\n", "kubature-vegas-map 1\n1 2\n0 x 1\n",
                                 "kubature-vegas-map 1\n1 2\n0 0.5 0.9\n"}) {
    file.write(text);
    EXPECT_THROW(VegasMap::load(file.path()), InvalidArgument) << text;
  }
  file.write("kubature-vegas-map 1\n1 2\n0 0.5 1\n");
  EXPECT_EQ(VegasMap::load(file.path()).edges(0)[1], 0.5);
  EXPECT_THROW(VegasMap(1, 1, {0, 1}).save("/no/such/folder/map"), InvalidArgument);
}

} // namespace
} // namespace vegas_map_test
