#include <kubature/suite/cuts.hpp>
#include <kubature/suite/random_genz.hpp>

#include <kubature/expression.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace random_genz_test {
namespace {

using namespace kubature;
using suite::CutFunction, suite::CutShape, suite::GenzFunction, suite::RandomGenz;

Point<double, dynamic> point(suite::Draws& draw, int dimension) {
  Point<double, dynamic> x;
  x.set_size(dimension);
  for (int i = 0; i < dimension; ++i)
    x[i] = draw();
  return x;
}

struct KnownGenz {
  std::uint64_t index;
  double value;
};

void expect_values(std::initializer_list<KnownGenz> all, std::uint64_t dimensions) {
  for (auto const& known : all) {
    RandomGenz const one(1, known.index, dimensions);
    EXPECT_NEAR(one.f.value() / known.value, 1, 2e-14) << known.index << ": " << one.f.text();
  }
}

/// Computed by mpmath with 60 digits, from the formulas with their cancellation. They also pin the parameters: another
/// generator would give another set.
TEST(RandomGenz, TrueValues) {
  expect_values({{0, -0.14439045257791994},
                 {1, 11.566551403904984},
                 {2, 0.35087719298245613},
                 {3, 0.35622266685595361},
                 {4, 0.13843793618744094},
                 {5, 0.17876899280837747},
                 {42, -0.29985901660703592},
                 {43, 52.26015343292296},
                 {44, 0.0051579416798559326},
                 {45, 0.028751622026289019},
                 {46, 0.0001828923628040551},
                 {47, 18.775599818402286},
                 {138, 9.6848929952856076e-9},
                 {139, 16459169165583.217},
                 {140, 7.4722955943900071e-8},
                 {141, 4.1950529784341952e-8},
                 {142, 3.8897441099647169e-11},
                 {143, 3.746349675827081e+24}},
                RandomGenz::usual_dimensions);
}

/// Computed the same way, in nine variables, and in twelve at the least and the greatest difficulty.
TEST(RandomGenz, TrueValuesInTwelveVariables) {
  expect_values({{48, -0.098295077082857132},
                 {49, 254.58948033314494},
                 {50, 0.0024950238389017525},
                 {51, 0.052165976959333883},
                 {52, 8.4182189640579143e-5},
                 {53, 30.899724505895115},
                 {66, 0.14796753798294514},
                 {67, 6.3746051785222921},
                 {68, 0.00046401196237437849},
                 {69, 0.022889183468148779},
                 {70, 1.7177611685525871e-5},
                 {71, 5.1275591242331062},
                 {210, 1.8704787280872605e-10},
                 {211, 1.8507168472354364e+18},
                 {212, 1.0401083759587523e-11},
                 {213, 3.709885525974915e-11},
                 {214, 3.1201033462575517e-15},
                 {215, 1.9174350699446584e+29}},
                12);
}

TEST(RandomGenz, MeansWhatItsTextSays) {
  suite::Draws draw(7, 0);
  for (std::uint64_t index = 0; index < 216; ++index) {
    auto const f = RandomGenz(1, index, 12).f;
    std::vector<std::string> names;
    for (int i = 1; i <= f.dimension; ++i)
      names.push_back("x" + std::to_string(i));
    auto const text = Expression::parse(f.text(), names);
    for (int k = 0; k < 3; ++k) {
      auto const x = point(draw, f.dimension);
      std::vector<double> coordinates;
      for (int i = 0; i < f.dimension; ++i)
        coordinates.push_back(x[i]);
      double const value = f(x);
      EXPECT_NEAR(text(coordinates), value, 1e-11 * std::abs(value) + 1e-14) << f.text();
    }
  }
}

TEST(RandomGenz, IsAsDifficultAsAskedFor) {
  for (std::uint64_t index = 0; index < 3000; ++index) {
    RandomGenz const one(3, index);
    double sum = 0;
    for (int i = 0; i < one.f.dimension; ++i) {
      sum += one.f.a[i];
      EXPECT_TRUE(one.f.u[i] > 0 && one.f.u[i] < 1);
    }
    EXPECT_NEAR(sum, one.difficulty * suite::usual_difficulty(one.f.family, one.f.dimension), 1e-12 * sum);
  }
  EXPECT_EQ(RandomGenz(1, 5).difficulty, 1);
  EXPECT_EQ(RandomGenz(1, 48).difficulty, 3);
  EXPECT_EQ(RandomGenz(1, 143).difficulty, 10);
  EXPECT_EQ(RandomGenz(1, 144).difficulty, 1);
  EXPECT_EQ(RandomGenz(1, 48, 12).difficulty, 1);
  EXPECT_EQ(RandomGenz(1, 215, 12).difficulty, 10);
  EXPECT_EQ(RandomGenz(1, 216, 12).difficulty, 1);
}

/// Balls by Bessel functions, half spaces by iterated integrals, both by mpmath with 30 digits.
TEST(Cuts, TrueValues) {
  struct Known {
    CutShape shape;
    int dimension;
    std::uint64_t index;
    double value;
  };
  for (Known const& known : {Known{CutShape::ball, 1, 0, 0.690940396406792804},
                             {CutShape::ball, 2, 1, 0.301047297131167349},
                             {CutShape::ball, 3, 2, 0.0770221064707129905},
                             {CutShape::ball, 4, 0, 0.0647970119534823939},
                             {CutShape::ball, 8, 2, 0.0000886039241527147532},
                             {CutShape::half_space, 1, 0, 0.362136833486273746},
                             {CutShape::half_space, 2, 2, 0.310989383618192815},
                             {CutShape::half_space, 3, 0, 0.147553331756183445},
                             {CutShape::half_space, 3, 1, 0.122439135372110265}})
    EXPECT_NEAR(suite::random_cut(known.shape, known.dimension, 1, known.index).value() / known.value, 1, 1e-14)
        << to_string(known.shape) << ' ' << known.dimension;
}

/// The fraction of points within, independently of how the true value is computed.
TEST(Cuts, InHighDimensions) {
  for (int const dimension : {5, 8}) {
    auto const f = suite::random_cut(CutShape::half_space, dimension, 1, 0);
    suite::Draws draw(9, 0);
    double sum = 0, squares = 0;
    constexpr int samples = 200'000;
    for (int k = 0; k < samples; ++k) {
      double const value = f(point(draw, dimension));
      sum += value;
      squares += value * value;
    }
    double const mean = sum / samples, error = std::sqrt((squares / samples - mean * mean) / samples);
    EXPECT_LT(std::abs(mean - f.value()), 4 * error) << mean << " beside " << f.value();
  }
}

} // namespace
} // namespace random_genz_test
