#include <kubature/box.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace box_test {
namespace {

using kubature::Box;
using kubature::infinity;
using kubature::InvalidArgument;
using kubature::Side;

TEST(Box, IsTheUnitCubeByDefault) {
  Box<3> const box;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(box[i], (Side{0, 1}));
}

TEST(Box, OneSideServesAllAxes) {
  EXPECT_EQ((Box<3>(0.0, 2.0)[2]), (Side{0, 2}));
  EXPECT_EQ((Box<3>{{0, 2}}[2]), (Side{0, 2}));
  std::vector<Side> const one{{-1, 1}};
  Box<> const box(one, 20);
  EXPECT_EQ(box.dimension(), 20);
  EXPECT_EQ(box[19], (Side{-1, 1}));
}

TEST(Box, TakesASideForEachAxis) {
  Box<2> const fixed{{0, 1}, {2, infinity}};
  EXPECT_EQ(fixed[1], (Side{2, infinity}));
  Box const open{{0, 1}, {0, 2}, {0, 3}};
  static_assert(std::is_same_v<decltype(open), Box<kubature::dynamic> const>);
  EXPECT_EQ(open.dimension(), 3);
}

TEST(Box, TakesListsOfBounds) {
  std::vector<double> const lower{0, -infinity, 2}, upper{1, 0, 5};
  Box<> const any(lower, upper);
  Box const deduced(lower, upper);
  static_assert(std::is_same_v<decltype(deduced), Box<kubature::dynamic> const>);
  Box<3> const fixed(lower, upper);
  Box<kubature::dynamic_many> const many(lower, upper);
  for (std::size_t i = 0; i < 3; ++i) {
    Side const side{lower[i], upper[i]};
    int const axis = static_cast<int>(i);
    EXPECT_TRUE(any[axis] == side && deduced[axis] == side && fixed[axis] == side && many[axis] == side);
  }
  EXPECT_EQ(any.dimension(), 3);
}

TEST(Box, MayGetItsDimensionAtRunTimeFirst) {
  Box<> const any{{0, 1}, {2, infinity}, {-1, 0}};
  Box<3> const box(any);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(box[i], any[i]);
  static_assert(!std::is_convertible_v<Box<>, Box<3>>);
  EXPECT_THROW(Box<2>{any}, InvalidArgument);
}

void expect_refused(std::function<void()> const& make, std::string const& what) {
  try {
    make();
    ADD_FAILURE() << "accepted, should say: " << what;
  } catch (InvalidArgument const& error) {
    EXPECT_EQ(error.what(), what);
    EXPECT_NE(std::string(error.where().file_name()).find("box_test"), std::string::npos);
  }
}

TEST(Box, RefusesListsOfBoundsThatDoNotMatch) {
  std::vector<double> const one{0}, two{1, 1}, three{2, 2, 2};
  expect_refused([&] { Box<>(one, two); },
                 "number of upper bounds = 2: give one for each lower bound, of which there are 1");
  expect_refused([&] { Box<3>(two, std::vector<double>{2, 3}); },
                 "number of sides = 2: give one side, or one for each of the 3 axes");
  expect_refused([&] { Box<>(std::vector<double>(), std::vector<double>()); },
                 "dimension = 0: a box has between 1 and 20 sides");
  expect_refused([&] { Box<>(two, std::vector<double>{2, 0}); },
                 "Box side 2 = 1:0: the lower bound must be below the upper bound");
}

TEST(Box, RefusesUnusableSides) {
  expect_refused([] { Box<1>{{3, 1}}; }, "Box side 1 = 3:1: the lower bound must be below the upper bound");
  expect_refused([] { Box<2>{{0, 1}, {1, 1}}; }, "Box side 2 = 1:1: the lower bound must be below the upper bound");
  expect_refused([] { Box<1>{{0, NAN}}; }, "Box side 1 = 0:nan: a bound is not a number");
  expect_refused([] { Box<1>{{infinity, infinity}}; },
                 "Box side 1 = inf:inf: the lower bound must be below the upper bound");
  expect_refused([] { Box<1>{{0, -infinity}}; }, "Box side 1 = 0:-inf: the lower bound must be below the upper bound");
  expect_refused([] { Box<1>{{-0x1p1023, 0x1p1023}}; },
                 "Box side 1 = -8.9884656743115795e+307:8.9884656743115795e+307: the side has no usable length");
}

TEST(Box, RefusesUnusableDimensions) {
  std::vector<Side> const one{{0, 1}}, two{{0, 1}, {0, 1}};
  expect_refused([&] { Box<>(one, 0); }, "dimension = 0: a box has between 1 and 20 sides");
  expect_refused([&] { Box<>(one, 21); }, "dimension = 21: a box has between 1 and 20 sides");
  expect_refused([&] { Box<>(two, 3); }, "number of sides = 2: give one side, or one for each of the 3 axes");
  expect_refused([&] { Box<3>(one, 2); }, "dimension = 2: the box's type fixes the dimension at 3");
  expect_refused([] { Box<>(std::initializer_list<Side>{}); }, "dimension = 0: a box has between 1 and 20 sides");
}

/// The midpoint rule in t must integrate f over the side if x(t) and its derivative are consistent.
double midpoint(Side side, std::function<double(double)> const& f) {
  kubature::detail::Transform<double, 1> const transform(Box<1>{side});
  int const n = 100'000;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    kubature::Point<double, 1> x;
    x[0] = transform.place(0, (k + 0.5) / n);
    double const jacobian = transform.map<double>(x);
    sum += f(x[0]) * jacobian * transform.volume() / n;
  }
  return sum;
}

TEST(Transform, ChangesVariableOnEveryKindOfSide) {
  EXPECT_NEAR(midpoint({-1, 2}, [](double x) { return x * x; }), 3, 1e-9);
  EXPECT_NEAR(midpoint({1, infinity}, [](double x) { return std::exp(1 - x); }), 1, 1e-9);
  EXPECT_NEAR(midpoint({-infinity, 2}, [](double x) { return std::exp(x - 2); }), 1, 1e-9);
  EXPECT_NEAR(midpoint({-infinity, infinity}, [](double x) { return std::exp(-x * x); }), std::sqrt(M_PI), 1e-9);
  EXPECT_NEAR(midpoint({-infinity, infinity}, [](double x) { return 1 / (1 + x * x); }), M_PI, 1e-9);
}

/// Whether a transform for points takes the ends of the unit interval, or what is next to them, into the side.
template <class Real>
void expect_inside(Side side, double parts) {
  using kubature::detail::CoordinateFormat;
  kubature::detail::Transform<Real, 1> const transform(Box<1>{side}, CoordinateFormat::of<Real>(), parts);
  for (double const t : {0.0, 0x1p-60, 0x1p-33, 0.5, 1 - 0x1p-24, 1 - 0x1p-33, 1 - 0x1p-53, 1.0}) {
    kubature::Point<Real, 1> x;
    x[0] = transform.place(0, t * parts);
    transform.template map<double>(x);
    EXPECT_GT(x[0], side.lower) << side.lower << ':' << side.upper << " at " << t;
    EXPECT_LT(x[0], side.upper) << side.lower << ':' << side.upper << " at " << t;
    EXPECT_TRUE(std::isfinite(x[0]));
  }
}

TEST(Transform, StaysWithinTheEnds) {
  double const ends[] = {-infinity, -1e6,  -11.9, -3,  -1, -0.1, -1e-3, -1e-30,
                         0,         1e-30, 1e-3,  0.1, 1,  7.3,  1e6,   infinity};
  for (double const lower : ends)
    for (double const upper : ends)
      for (double const parts : {1, 500})
        if (lower < upper) {
          expect_inside<double>({lower, upper}, parts);
          expect_inside<float>({lower, upper}, parts);
        }
}

/// A multiple of 6e-8 is what half precision has next to zero.
TEST(Transform, RefusesSidesInWhichAFormatHasNoNumber) {
  kubature::detail::CoordinateFormat const half{0x1p-10, 0x1p-14, 65504};
  auto const placed = [&](Side side) { kubature::detail::Transform<float, 1>(Box<1>{side}, half); };
  for (Side const side : {Side{1e-30, 3e-30}, Side{-2e-30, 0}, Side{0, 1e-25}, Side{1e6, 1e6 + 1}, Side{1, 1.0001}})
    EXPECT_THROW(placed(side), kubature::InvalidArgument) << side.lower << ':' << side.upper;
  for (Side const side : {Side{1e-3, 2e-3}, Side{-1, 0}, Side{0, 1e-3}, Side{0, infinity}})
    EXPECT_NO_THROW(placed(side)) << side.lower << ':' << side.upper;
}

TEST(Transform, ComesCloseToAnEndAtZero) {
  kubature::detail::Transform<double, 1> const transform(Box<1>{{0, 1}},
                                                         kubature::detail::CoordinateFormat::of<double>());
  EXPECT_LT(transform.place(0, 0), 1e-300);
  EXPECT_NEAR(transform.place(0, 0x1p-200) * 0x1p200, 1, 1e-15);
}

} // namespace
} // namespace box_test
