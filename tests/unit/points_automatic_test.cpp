#include "points.hpp"
#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/integrate.hpp>
#include <kubature/vegas_map.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

/// Points that Auto draws, with the methods that it shares kernels with.
namespace points_automatic_test {
namespace {

using namespace kubature;
using namespace points;

TYPED_TEST_SUITE(Points, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(Points, OfVegasPlus) {
  using Precision = typename TestFixture::P;
  this->template expect_all_inside<2>(std::vector<VegasPlus<Precision>>{{}, {.bins = 20, .alpha = 2.0}}, 200);
}

TYPED_TEST(Points, OfQuasiMonteCarlo) {
  this->template expect_all_inside<2>(qmc_methods<typename TestFixture::P>(), 320);
}

TYPED_TEST(Points, OfAuto) { this->template expect_all_inside<2>(std::vector<Auto<typename TestFixture::P>>(1), 100); }

TYPED_TEST_SUITE(AllPoints, spaces::All, spaces::Names);

/// Points that are drawn from a map.
TYPED_TEST(AllPoints, OfAMap) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 50; ++k) {
    auto const box = box_of<2>(random);
    Border<TypeParam, 2> const border(box);
    Watched<TypeParam, 2> const watched{border, Poles<2>(box, k % 2 == 0, 0.45)};
    Integrator integrator(this->exec, VegasPlus<>{.evaluations = 1000, .iterations = 10, .alpha = 2.0});
    integrator.integrate(watched, box);
    auto const drawn = integrator.map().sample(this->exec, box, 1000);
    auto const points = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), drawn.points);
    for (std::size_t n = 0; n < points.extent(0); ++n)
      for (int i = 0; i < 2; ++i) {
        ASSERT_GT(points(n, i), box[i].lower);
        ASSERT_LT(points(n, i), box[i].upper);
      }
  }
}

} // namespace
} // namespace points_automatic_test
