#include "cubatures.hpp"

#include <kubature/suite/random_genz.hpp>

#include <cmath>
#include <vector>

namespace second_opinion_test {
namespace {

using namespace kubature;
using namespace cubatures;
using suite::GenzFamily;
using suite::GenzFunction;

template <class Space>
class SecondOpinions : public Cubatures<Space> {
protected:
  Result<> integrate(GenzFunction const& f, double relative, Limits limits = {}) {
    Side const side;
    return kubature::integrate(this->exec, Pagani{.channels = Channels::never}, f,
                               Box<>(std::span(&side, 1), f.dimension), {.relative = relative}, limits);
  }

  void expect_right(GenzFunction const& f, double relative) {
    auto const result = integrate(f, relative);
    EXPECT_EQ(result.status, Status::converged) << result;
    EXPECT_NEAR(result.value / f.value(), 1, relative) << f.text() << '\n' << result;
  }
};

TYPED_TEST_SUITE(SecondOpinions, spaces::All, spaces::Names);

/// exp(-A |x - u|^2).
GenzFunction peak(int dimension, double A) {
  GenzFunction f{GenzFamily::gaussian, dimension, {}, {.123, .789, .4, .3, .21}};
  for (int i = 0; i < dimension; ++i)
    f.a[i] = std::sqrt(A);
  return f;
}

/// The peak's tail lies in a neighbour, which looks empty, of the small regions around it: off by 50 tolerances without
/// a second opinion.
TYPED_TEST(SecondOpinions, TailsInANeighbourThatLooksEmptyAreFound) {
  this->expect_right(peak(4, 1e5), 1e-4);
  this->expect_right(peak(4, 1e6), 1e-4);
  this->expect_right(peak(5, 1e4), 1e-4);
}

/// The first grid sees only the peak's far tail, of 1e-295: no reason to give up.
TYPED_TEST(SecondOpinions, ValuesOfAFarTailAreRefinedLikeZeros) { this->expect_right(peak(3, 1e6), 1e-4); }

/// Zero beyond x1 = u1 and beyond x2 = u2, where one of these is close to a plane along which regions are bisected.
TYPED_TEST(SecondOpinions, DiscontinuitiesAlongAFaceAreFound) {
  GenzFunction f{GenzFamily::discontinuous, 5, {1.84, 1.71, .455, .939, 1.86}, {.2531, .4112, .2505, .6707, .2519}};
  for (double const relative : {1e-3, 1e-4, 1e-5})
    this->expect_right(f, relative);
  f.a = {.135, .29, 2.78, 2.06, 1.53};
  f.u = {.0865, .2509, .3295, .6087, .5565};
  this->expect_right(f, 1e-3);
  for (double const beyond : {-1e-5, 1e-5, 1e-3}) {
    f.dimension = 3;
    f.u = {.5 + beyond, .7};
    this->expect_right(f, 1e-3);
  }
}

/// The same in the first grid, which ends at 1/4 and where nothing else calls for refinement.
TYPED_TEST(SecondOpinions, WhatTheFirstGridHidesIsFound) {
  this->expect_right({GenzFamily::discontinuous, 4, {.1, .1, .1, .1}, {.2531, 1, .5, .5}}, 1e-3);
  for (double const u : {.2535, .251})
    this->expect_right({GenzFamily::c0, 4, {2, 2, 2, 2}, {u, u, u, u}}, u == .2535 ? 1e-4 : 1e-5);
}

/// Corner peaks whose null rules fall off fast on the first grid of 2^d regions, while its sum is off by up to 4 times
/// their estimate: the whole box as one region tells.
TYPED_TEST(SecondOpinions, TheWholeBoxChecksTheFirstGrid) {
  this->expect_right(suite::RandomGenz(1, 1670).f, 1e-3); // 7 variables
  this->expect_right(suite::RandomGenz(1, 764).f, 1e-6);  // 8
  this->expect_right(suite::RandomGenz(2, 2528).f, 2e-4); // 6
}

/// 1 / |x - 1/2|^2, whose singularity is a point of the rule for the whole box, but not of those for the first grid.
struct AtTheCentre {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 5> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < 5; ++i)
      sum += (x[i] - Real(0.5)) * (x[i] - Real(0.5));
    return Real(1) / sum;
  }
};

TYPED_TEST(SecondOpinions, ASingularityAtTheCentreOfTheBoxDoesNoHarm) {
  auto const result = kubature::integrate(this->exec, Pagani{}, AtTheCentre{}, Box<5>{}, {.relative = 1e-2});
  EXPECT_EQ(result.status, Status::converged) << result;
  EXPECT_EQ(result.non_finite, 0u);
}

/// A limit of somewhat more evaluations than a call takes changes nothing: only regions that are told something may
/// evaluate the rule's points again. Once a limit had to suffice for all of them, or else those were doubted at once.
TYPED_TEST(SecondOpinions, ALimitThatSufficesChangesNothing) {
  GenzFunction wave{GenzFamily::oscillatory, 4, {9, 8, 7, 6}, {.1, .1, .1, .1}};
  for (auto const& f : {peak(4, 1e5), wave}) {
    auto const free = this->integrate(f, 1e-4);
    auto const limited = this->integrate(f, 1e-4, {.evaluations = free.evaluations * 5 / 4});
    EXPECT_EQ(limited.status, Status::converged) << f.text() << '\n' << limited;
    EXPECT_EQ(limited.value, free.value) << f.text();
    EXPECT_EQ(limited.evaluations, free.evaluations) << f.text();
  }
}

/// A hundred points or more per region; a second opinion asks for few more.
TYPED_TEST(SecondOpinions, TheyCostLittleWhereThereIsNothingToFind) {
  GenzFunction gaussian{GenzFamily::gaussian, 5, {}, {.5, .5, .5, .5, .5}};
  gaussian.a = {25, 25, 25, 25, 25};
  CubatureRule const rule(Rule::automatic, 5);
  auto const refined = this->integrate(gaussian, 1e-3);
  EXPECT_EQ(refined.status, Status::converged);
  EXPECT_GT(refined.evaluations, refined.regions * rule.points());
  EXPECT_LT(static_cast<double>(refined.evaluations), 1.12 * static_cast<double>(refined.regions * rule.points()));

  auto const once = this->integrate({GenzFamily::gaussian, 5, {1, 1, 1, 1, 1}, {.5, .5, .5, .5, .5}}, 1e-3);
  EXPECT_EQ(once.iterations.size(), 1u);
  // The centre, and three points per face; and once the whole box.
  EXPECT_EQ(once.evaluations, once.regions * (rule.points() + 6 * 5 + 1) + rule.points());
}

struct Odd {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    auto sum = Real(0);
    for (int i = 0; i < D; ++i)
      sum += x[i] - Real(0.5);
    return sum;
  }
};

/// An integral of zero has no relative error: rounding ends it, not memory.
TYPED_TEST(SecondOpinions, CancellationIsALimitOfPrecision) {
  auto const line = kubature::integrate(this->exec, Pagani{}, Odd{}, Box<1>{}, {.relative = 1e-3});
  EXPECT_EQ(line.status, Status::precision_limit) << line;
  EXPECT_LT(std::abs(line.value), 1e-15);
  auto const cube = kubature::integrate(this->exec, Pagani{}, Odd{}, Box<3>{}, {.relative = 1e-3});
  EXPECT_EQ(cube.status, Status::precision_limit) << cube;
  EXPECT_LT(std::abs(cube.value), 1e-14);
}

} // namespace
} // namespace second_opinion_test
