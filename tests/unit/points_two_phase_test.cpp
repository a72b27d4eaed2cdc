#include "points.hpp"
#include "spaces.hpp"

#include <kubature/integrate.hpp>

#include <gtest/gtest.h>

#include <vector>

/// TwoPhase's points lie inside the box, as those of other methods do (points_test.cpp).
namespace points_two_phase_test {
namespace {

using namespace kubature;
using namespace points;

TYPED_TEST_SUITE(Points, spaces::WithPrecisions, spaces::Names);

TYPED_TEST(Points, OfTwoPhase) {
  this->template expect_all_inside<2>(std::vector<TwoPhase<typename TestFixture::P>>(1), 100);
}

} // namespace
} // namespace points_two_phase_test
