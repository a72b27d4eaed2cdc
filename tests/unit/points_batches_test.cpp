#include "points.hpp"
#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/batched.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// Points that functions of batches are given.
namespace points_batches_test {
namespace {

using namespace kubature;
using namespace points;

/// A function of batches, whose unused slots count as well.
template <class Space, int D>
struct InBatches {
  Watched<Space, D> watched;
  int components = 1;

  struct Kernel {
    Watched<Space, D> watched;
    BatchPoints<Space> points;
    BatchValues<Space> values;
    KOKKOS_FUNCTION void operator()(std::int64_t k) const {
      auto const at = [&](int i) { return points(k, i); };
      watched.border.look(at);
      for (std::size_t c = 0; c < values.extent(1); ++c)
        values(k, c) = watched.poles(at) * static_cast<double>(c + 1);
    }
  };
  void operator()(Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) const {
    Kokkos::parallel_for("test::points::evaluate",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             exec, 0, static_cast<std::int64_t>(points.extent(0))),
                         Kernel{watched, points, values});
  }
};

TYPED_TEST_SUITE(AllPoints, spaces::All, spaces::Names);

TYPED_TEST(AllPoints, OfBatches) {
  auto const make = [](auto const& watched) { return batched<1>(InBatches<TypeParam, 2>{watched}); };
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<VegasPlus<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MCubes<>>(1), make, 50);
  this->template expect_all_inside<2>(qmc_methods<Fp64>(), make, 64);
  this->template expect_all_inside<2>(std::vector<Pagani<>>(1), make, 100);
  this->template expect_all_inside<2>(std::vector<Auto<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MixedPrecision<Fp64>>{{}, {.strategy = Strategy::hybrid}}, make, 50);
}

TYPED_TEST(AllPoints, OfComponentsAtRunTime) {
  auto const make = [](auto const& watched) { return batched(InBatches<TypeParam, 2>{watched}, 3); };
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<VegasPlus<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MCubes<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MixedPrecision<Fp64>>{{}, {.strategy = Strategy::hybrid}}, make, 50);
}

} // namespace
} // namespace points_batches_test
