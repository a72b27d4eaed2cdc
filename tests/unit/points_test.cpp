#include "points.hpp"
#include "spaces.hpp"

#include <kubature/expression.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mixed_precision.hpp>

#include <gtest/gtest.h>

#include <vector>

/// Every point that an integrand is given lies strictly inside the box, in every method and precision, whether its
/// value is used or not: user code may look up a table there.
namespace points_test {
namespace {

using namespace kubature;
using namespace points;

TYPED_TEST_SUITE(Points, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(Points, OfPlainMonteCarlo) {
  this->template expect_all_inside<2>(std::vector<PlainMonteCarlo<typename TestFixture::P>>(1), 200);
}

TYPED_TEST(Points, OfMCubes) {
  using Precision = typename TestFixture::P;
  this->template expect_all_inside<2>(std::vector<MCubes<Precision>>{{}, {.bins = 20, .alpha = 2}}, 200);
}

TYPED_TEST_SUITE(AllPoints, spaces::All, spaces::Names);

TYPED_TEST(AllPoints, OfMixedPrecision) {
  std::vector<MixedPrecision<>> methods;
  for (auto const strategy : {Strategy::term, Strategy::region, Strategy::hybrid})
    for (double const rounding : {0.1, 0.9})
      methods.push_back({.strategy = strategy, .rounding = rounding, .operations = 1000});
  auto const terms = [](auto const& watched) { return sum_of(watched, watched, watched); };
  this->template expect_all_inside<2>(methods, terms, 200);
}

} // namespace
} // namespace points_test
