#include "points.hpp"
#include "spaces.hpp"

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <vector>

/// PAGANI's points lie inside the box, as those of other methods do (points_test.cpp).
namespace points_pagani_five_variables_test {
namespace {

using namespace kubature;
using namespace points;

TYPED_TEST_SUITE(Points, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(Points, OfPaganiInFiveVariables) {
  using Precision = typename TestFixture::P;
  this->template expect_all_inside<5>(std::vector<Pagani<Precision>>(1), 30);
}

} // namespace
} // namespace points_pagani_five_variables_test
