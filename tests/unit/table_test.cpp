#include "spaces.hpp"

#include <kubature/table.hpp>

#include <cmath>

namespace table_test {
namespace {

template <class Space>
class Table : public ::testing::Test {};
TYPED_TEST_SUITE(Table, spaces::All, spaces::Names);

template <class TableType, class Real, int D>
struct Read {
  TableType table;
  Kokkos::View<Real* [3], typename TableType::memory_space> at;
  Kokkos::View<Real*, typename TableType::memory_space> out;

  KOKKOS_FUNCTION void operator()(int i) const {
    if constexpr (D == 1)
      out(i) = table(at(i, 0));
    else if constexpr (D == 2)
      out(i) = table(at(i, 0), at(i, 1));
    else
      out(i) = table(at(i, 0), at(i, 1), at(i, 2));
  }
};

template <class Real, int D, class Space, kubature::Interpolation interpolation>
std::vector<Real> read(kubature::Table<D, Space, interpolation> const& table,
                       std::vector<std::array<Real, 3>> const& points) {
  Kokkos::View<Real* [3], typename Space::memory_space> const at("test::at", points.size());
  Kokkos::View<Real*, typename Space::memory_space> const out("test::out", points.size());
  auto const host = Kokkos::create_mirror_view(at);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      host(i, k) = points[i][k];
  Kokkos::deep_copy(at, host);
  Kokkos::parallel_for("test::read", Kokkos::RangePolicy<Space>(0, static_cast<int>(points.size())),
                       Read<kubature::Table<D, Space, interpolation>, Real, D>{table, at, out});
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  return {result.data(), result.data() + result.size()};
}

TYPED_TEST(Table, InterpolatesOneAxis) {
  std::vector<double> const values{1, 3, 2};
  kubature::Table1D<TypeParam> const table({{{0, 1, 4}}}, values);
  EXPECT_EQ((read<double>(table, {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {2.5, 0, 0}, {4, 0, 0}})),
            (std::vector<double>{1, 2, 3, 2.5, 2}));
}

TYPED_TEST(Table, KeepsItsEdgeValuesOutside) {
  std::vector<double> const values{1, 3, 2};
  kubature::Table1D<TypeParam> const table({{{0, 1, 4}}}, values);
  EXPECT_EQ((read<double>(table, {{-5, 0, 0}, {9, 0, 0}})), (std::vector<double>{1, 2}));
  EXPECT_TRUE(std::isnan(read<double>(table, {{NAN, 0, 0}})[0]));
}

/// A function that is linear along each axis is reproduced exactly.
double linear(double x, double y, double z) { return 1 + 2 * x - 3 * y + 0.5 * z + x * y - 2 * y * z + x * y * z; }

TYPED_TEST(Table, ReproducesMultilinearFunctionsInTwoAndThreeAxes) {
  std::vector<double> const x{-1, 0, 2}, y{0, 1}, z{0, 0.5, 3, 4};
  std::vector<double> two, three;
  for (double a : x)
    for (double b : y) {
      two.push_back(linear(a, b, 0));
      for (double c : z)
        three.push_back(linear(a, b, c));
    }
  std::vector<std::array<double, 3>> const points{{-1, 0, 0}, {0.7, 0.3, 1.1}, {2, 1, 4}, {-0.5, 0.9, 3.5}};
  std::vector<std::array<float, 3>> const single{{0.5f, 0.25f, 1.5f}};
  kubature::Table2D<TypeParam> const table2({x, y}, two);
  kubature::Table3D<TypeParam> const table3({x, y, z}, three);
  auto const r2 = read<double>(table2, points), r3 = read<double>(table3, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto const [a, b, c] = points[i];
    EXPECT_NEAR(r2[i], linear(a, b, 0), 1e-14);
    EXPECT_NEAR(r3[i], linear(a, b, c), 1e-14);
  }
  EXPECT_NEAR(read<float>(table3, single)[0], linear(0.5, 0.25, 1.5), 1e-6);
}

/// A function that is a parabola along each axis is reproduced exactly by cubic interpolation.
double parabolic(double x, double y, double z) {
  return (1 + x - 2 * x * x) * (2 - y + 0.5 * y * y) * (1 + z * z) - x * y * z;
}

TYPED_TEST(Table, InterpolatesParabolasExactly) {
  using kubature::Interpolation;
  std::vector<double> const x{-1, 0, 2, 2.5}, y{0, 1, 4}, z{0, 0.5, 3, 4, 6};
  std::vector<double> one, two, three;
  for (double a : x) {
    one.push_back(parabolic(a, 0, 0));
    for (double b : y) {
      two.push_back(parabolic(a, b, 0));
      for (double c : z)
        three.push_back(parabolic(a, b, c));
    }
  }
  kubature::Table1D<TypeParam, Interpolation::cubic> const table1({x}, one);
  kubature::Table2D<TypeParam, Interpolation::cubic> const table2({x, y}, two);
  kubature::Table3D<TypeParam, Interpolation::cubic> const table3({x, y, z}, three);
  std::vector<std::array<double, 3>> const points{{-1, 0, 0},    {0.7, 0.3, 1.1}, {2.5, 4, 6}, {-0.5, 0.9, 3.5},
                                                  {2.2, 3.9, 5}, {2, 1, 0.5},     {0, 2, 0.1}};
  auto const r1 = read<double>(table1, points), r2 = read<double>(table2, points), r3 = read<double>(table3, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto const [a, b, c] = points[i];
    EXPECT_NEAR(r1[i], parabolic(a, 0, 0), 1e-13);
    EXPECT_NEAR(r2[i], parabolic(a, b, 0), 1e-12);
    EXPECT_NEAR(r3[i], parabolic(a, b, c), 1e-10);
  }
  EXPECT_NEAR(read<float>(table2, {{0.5f, 0.25f, 0}})[0], parabolic(0.5, 0.25, 0), 1e-5);
}

/// With two nodes the cubic is linear; its slope is continuous; and outside it keeps the value at the edge.
TYPED_TEST(Table, ContinuesCubicsAcrossNodesAndKeepsTheirEdges) {
  using Cubic = kubature::Table1D<TypeParam, kubature::Interpolation::cubic>;
  std::vector<double> const two{1, 3}, values{1, 3, -2, 0, 0.5};
  EXPECT_EQ((read<double>(Cubic({{{0, 4}}}, two), {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {5, 0, 0}})),
            (std::vector<double>{1, 1, 1.5, 3, 3}));
  Cubic const table({{{0, 1, 1.5, 4, 5}}}, values);
  double const h = 1e-5;
  for (double const node : {1.0, 1.5, 4.0}) {
    auto const near = read<double>(table, {{node - h, 0, 0}, {node, 0, 0}, {node + h, 0, 0}});
    EXPECT_NEAR((near[1] - near[0]) / h, (near[2] - near[1]) / h, 1e-3) << node;
  }
  EXPECT_EQ((read<double>(table, {{-9, 0, 0}, {1, 0, 0}, {9, 0, 0}})), (std::vector<double>{1, 3, 0.5}));
  EXPECT_TRUE(std::isnan(read<double>(table, {{NAN, 0, 0}})[0]));
}

TEST(TableArguments, AreChecked) {
  std::vector<double> const values{1, 2};
  EXPECT_THROW(kubature::Table1D<>({{{0}}}, values), kubature::InvalidArgument);
  EXPECT_THROW(kubature::Table1D<>({{{0, 0}}}, values), kubature::InvalidArgument);
  EXPECT_THROW(kubature::Table1D<>({{{0, NAN}}}, values), kubature::InvalidArgument);
  EXPECT_THROW(kubature::Table1D<>({{{0, 1, 2}}}, values), kubature::InvalidArgument);
}

} // namespace
} // namespace table_test
