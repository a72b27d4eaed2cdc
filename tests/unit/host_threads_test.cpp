#include "unit/spaces.hpp"

#include <kubature/detail/launch/host_threads.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace host_threads_test {
namespace {

using kubature::detail::HostThreads;
using kubature::detail::TimedWork;

template <class Space>
struct CountItems {
  Kokkos::View<int*, Space> times;
  KOKKOS_FUNCTION void operator()(std::uint64_t k) const { ++times(k); }
};

/// Runs this many items several times, and counts each.
template <class Space>
void expect_all_once(Space const& exec, std::uint64_t items) {
  constexpr int runs = 3;
  HostThreads<Space> const threads(exec);
  Kokkos::View<int*, Space> const times("times", items + 2);
  TimedWork work;
  for (int r = 0; r < runs; ++r)
    threads.run(work, 1, items, [&](Space const& on, std::uint64_t first, std::uint64_t count) {
      Kokkos::parallel_for("count",
                           Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(on, first, first + count),
                           CountItems<Space>{times});
    });
  exec.fence();
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), times);
  for (std::uint64_t k = 0; k < items + 2; ++k)
    EXPECT_EQ(found(k), 0 < k && k <= items ? runs : 0) << k << " of " << items;
}

template <class Space>
class OfSpace : public ::testing::Test {};
TYPED_TEST_SUITE(OfSpace, spaces::All, spaces::Names);

TYPED_TEST(OfSpace, RunsEachItemOnce) {
  for (std::uint64_t const items : {0, 1, 2, 5, 6, 1000})
    expect_all_once(TypeParam(), items);
}

#ifdef KOKKOS_ENABLE_OPENMP
/// Whether any of the launches is on all threads, of which there are two.
bool wakes_others(std::uint64_t items, double seconds) {
  HostThreads<Kokkos::OpenMP> const threads(Kokkos::OpenMP(2));
  TimedWork work;
  bool all = false;
  threads.run(work, 0, items, [&](Kokkos::OpenMP const& exec, std::uint64_t, std::uint64_t count) {
    all = all || &exec == &threads.all();
    for (Kokkos::Timer timer; timer.seconds() < seconds * static_cast<double>(count);) {
    }
  });
  return all;
}

TEST(HostThreads, RunEachItemOnceOnTwoThreads) {
  for (std::uint64_t const items : {0, 1, 2, 5, 6, 1000, 100000})
    expect_all_once(Kokkos::OpenMP(2), items);
}

TEST(HostThreads, WakeForWorkThatIsLongWhateverWakingCosts) { EXPECT_TRUE(wakes_others(30, 3e-3)); }

TEST(HostThreads, StayAsleepForWorkThatIsShorterThanWaking) {
  EXPECT_FALSE(wakes_others(1, 0)) << "a single item";
  HostThreads<Kokkos::OpenMP> const threads(Kokkos::OpenMP(2));
  EXPECT_NE(&threads.for_work(0), &threads.all());
  EXPECT_EQ(&threads.for_work(1), &threads.all());
}
#endif

} // namespace
} // namespace host_threads_test
