#include "ranks.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

namespace {

using namespace kubature;

/// A function that jumps within the box: cubature gives way to samples.
Result<> by_all(Callback const& callback = {}) {
  return integrate(Kokkos::DefaultExecutionSpace(), ranks(), Auto{}, suite::F6<6>{}, Box<6>{}, {.relative = 0.01}, {},
                   callback);
}

TEST(RanksOfAuto, ChooseTogether) {
  auto const together = by_all();
  auto const alone = integrate(Kokkos::DefaultExecutionSpace(), Auto{}, suite::F6<6>{}, Box<6>{}, {.relative = 0.01});
  EXPECT_EQ(together.status, Status::converged);
  EXPECT_EQ(together.method, "vegas+");
  EXPECT_EQ(together.evaluations, alone.evaluations);
  EXPECT_EQ(together.value, alone.value);
  EXPECT_EQ(together.error, alone.error);
}

/// Even if that is the iteration after which cubature gives way.
TEST(RanksOfAuto, StopWhereOneAsks) {
  int last = 0;
  bool others = false; // a second look calls cubature again
  by_all([&](Progress const& progress) {
    others = others || progress.method != "pagani";
    last = others ? last : progress.iteration;
    return true;
  });
  ASSERT_GT(last, 2);
  for (int const when : {1, last - 1, last}) {
    auto const result = by_all([&](Progress const& progress) {
      return ranks().rank() + 1 < ranks().size() || progress.method != "pagani" || progress.iteration != when;
    });
    EXPECT_EQ(result.status, Status::stopped) << when;
    EXPECT_EQ(result.method, "pagani");
  }
}

} // namespace
