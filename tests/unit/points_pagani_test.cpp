#include "points.hpp"
#include "spaces.hpp"

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <vector>

/// PAGANI's points lie inside the box, as those of other methods do (points_test.cpp).
namespace points_pagani_test {
namespace {

using namespace kubature;
using namespace points;

TYPED_TEST_SUITE(Points, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(Points, OfPaganiInTwoVariables) {
  using Precision = typename TestFixture::P;
  this->template expect_all_inside<2>(std::vector<Pagani<Precision>>(1), 200);
}

} // namespace
} // namespace points_pagani_test
