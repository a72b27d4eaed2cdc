#include "points.hpp"
#include "spaces.hpp"

#include <kubature/automatic.hpp>
#include <kubature/integrate.hpp>
#include <kubature/integrate_many.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

/// Points that integrands of other kinds are given.
namespace points_integrands_test {
namespace {

using namespace kubature;
using namespace points;

/// Evaluates several points side by side.
template <class Space, int D>
struct SideBySide : Watched<Space, D> {
  using Watched<Space, D>::operator();
  template <class Real, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&values)[W]) const {
    for (int w = 0; w < W; ++w)
      values[w] = (*this)(x[w]);
  }
};

template <class Space, int D>
struct TwoValues {
  Watched<Space, D> watched;
  template <class Real>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    Real const value = watched(x);
    return {value, value * (x[0] > Real(0) ? Real(2) : Real(1))};
  }
};

TYPED_TEST_SUITE(AllPoints, spaces::All, spaces::Names);

TYPED_TEST(AllPoints, GivenSideBySide) {
  auto const make = [](Watched<TypeParam, 2> const& watched) { return SideBySide<TypeParam, 2>{watched}; };
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<VegasPlus<>>(1), make, 50);
  this->template expect_all_inside<2>(qmc_methods<Fp64>(), make, 64);
  this->template expect_all_inside<2>(std::vector<Pagani<>>(1), make, 50);
}

TYPED_TEST(AllPoints, OfSeveralComponents) {
  auto const make = [](Watched<TypeParam, 2> const& watched) { return TwoValues<TypeParam, 2>{watched}; };
  this->template expect_all_inside<2>(std::vector<MCubes<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<Auto<>>(1), make, 50);
  this->template expect_all_inside<2>(std::vector<MixedPrecision<Fp64>>(1), make, 50);
}

/// One of many integrals, each over its own box.
template <class Space>
struct Which {
  Watched<Space, 2> const* watched;
};
struct WatchedOfMany {
  template <class Real, class Space>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x, Which<Space> const& which) const {
    return (*which.watched)(x);
  }
};

TYPED_TEST(AllPoints, OfManyIntegrals) {
  std::mt19937_64 random(5);
  std::vector<Box<2>> boxes;
  using One = Watched<TypeParam, 2>;
  std::vector<One> each;
  for (int k = 0; k < 100; ++k) {
    boxes.push_back(box_of<2>(random));
    each.push_back({Border<TypeParam, 2>(boxes.back()), Poles<2>(boxes.back(), k % 2 == 0, 0.45)});
  }
  if constexpr (Kokkos::SpaceAccessibility<TypeParam, Kokkos::HostSpace>::accessible) {
    std::vector<Which<TypeParam>> parameters;
    for (auto const& one : each)
      parameters.push_back({&one});
    integrate_many(this->exec, Pagani<>{.non_finite = NonFinite::discard}, WatchedOfMany{}, boxes, parameters,
                   {.relative = 1e-9}, {.seconds = 5});
    integrate_many(this->exec, VegasPlus<>{.evaluations = 1000, .iterations = 8, .non_finite = NonFinite::discard},
                   WatchedOfMany{}, boxes, parameters);
    for (auto const& one : each)
      one.border.expect_none_on_it();
  }
}

} // namespace
} // namespace points_integrands_test
