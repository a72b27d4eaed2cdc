#include "domains.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace domains_test {
namespace {

struct FirstAndSecond {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    return {x[0], x[1]};
  }
};

TEST(Domains, SimplicesHaveTheirVolumeAndMoments) {
  expect(one, Simplex<2>(), 1 / factorial(2));
  expect(one, Simplex<5>(), 1 / factorial(5), 2'000'000);
  expect(squares, Simplex<3>(), 3 * 2 / factorial(5));
  expect(exponential, Simplex<3>(), std::numbers::e / 2 - 1);
  expect(one, Ordered<4>(0, 2), 16 / factorial(4), 1'000'000);
  Simplex<2> const triangle({{{1, 1}, {4, 1}, {1, 3}}});
  expect(one, triangle, 3);
  auto const centre = integrate(FirstAndSecond{}, triangle, {.relative = 1e-8});
  EXPECT_NEAR(centre.value[0], 3 * 2, 1e-7); // area times the mean of the vertices
  EXPECT_NEAR(centre.value[1], 3 * 5 / 3.0, 1e-7);
}

TEST(Domains, BallsHaveTheirVolumeAndMoments) {
  expect(one, Ball<2>(), volume_of_ball(2));
  expect(one, Ball<3>(), volume_of_ball(3));
  expect(one, Ball<4>(), volume_of_ball(4), 1'000'000);
  expect(squares, Ball<3>(), 4 * pi / 5);
  expect(one, Ball<3>({1, 2, 3}, 2), 8 * volume_of_ball(3), 300'000);
  expect(one, Shell<3>({0, 0, 0}, 1, 2), 7 * volume_of_ball(3));
  expect(one, Sphere<3>({0, 0, 0}, 2), 16 * pi);
  expect(squares, Sphere<2>(), 2 * pi);
  expect(one, Ellipsoid<3>({0, 0, 0}, {1, 2, 3}), 6 * volume_of_ball(3));
  expect(exponential, Ball<2>(), 2 * pi * std::cyl_bessel_i(1, std::sqrt(2.0)) / std::sqrt(2.0));
}

} // namespace
} // namespace domains_test
