#include "unit/spaces.hpp"

#include <kubature/detail/memory/waking.hpp>

namespace waking_test {
namespace {

using kubature::detail::Waking;

/// How many times work of this duration stays on the calling thread before it pays to wake the others; at most 100.
int stays(Waking& waking, double seconds) {
  int times = 0;
  for (; times < 100 && !waking.pays(seconds); ++times)
    waking.stayed(seconds);
  return times;
}

TEST(Waking, PaysFromATenthOfAMillisecondOn) {
  Waking const waking;
  EXPECT_FALSE(waking.pays(0.9e-4));
  EXPECT_TRUE(waking.pays(1e-4));
}

TEST(Waking, IsNotTriedForAWhileWhereThreadsHaveWaitedForEachOther) {
  Waking waking;
  waking.went(1e-3, 5e-3); // one thread would have done it in 1 ms, or in 2 ms on half of a core
  EXPECT_FALSE(waking.pays(3.9e-3));
  EXPECT_TRUE(waking.pays(4.1e-3)) << "the 4 ms that were lost are worth it here";
  int const times = stays(waking, 1e-3);
  EXPECT_GE(times, 20);
  EXPECT_LE(times, 30) << "ln 4 / ln (16/15) = 21.5: then it is tried again";
}

TEST(Waking, IsTriedAgainWhereItHasPaidForMoreWork) {
  Waking waking;
  waking.went(1e-3, 17e-3);
  EXPECT_FALSE(waking.pays(5e-3));
  waking.went(0.1, 0.06);
  waking.went(0.1, 0.06);
  EXPECT_TRUE(waking.pays(5e-3));
}

TEST(Waking, PaysForShorterWorkWhereThreadsStillWaitForSome) {
  Waking waking;
  EXPECT_FALSE(waking.pays(0.5e-4));
  waking.went(1e-4, 0.2e-4);
  EXPECT_TRUE(waking.pays(0.5e-4));
  waking.went(0.5e-4, 0.2e-4);
  EXPECT_FALSE(waking.pays(0.3e-4)) << "the launch itself takes some microseconds";
  waking.went(0.5e-4, 1.5e-4); // they slept
  EXPECT_FALSE(waking.pays(0.9e-4));
}

TEST(Waking, AlwaysPaysForLongWork) {
  Waking waking;
  for (int k = 0; k < 5; ++k)
    waking.went(0.1, 10);
  EXPECT_TRUE(waking.pays(0.051));
  EXPECT_FALSE(waking.pays(0.049));
}

TEST(Waking, ForgetsNothingByShortWorkThatAlwaysStays) {
  Waking waking;
  waking.went(1e-3, 5e-3);
  for (int k = 0; k < 1000; ++k)
    waking.stayed(0.5e-4);
  EXPECT_FALSE(waking.pays(3.9e-3));
}

} // namespace
} // namespace waking_test
