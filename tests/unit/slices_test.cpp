#include <kubature/detail/launch/slices.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace slices_test {
namespace {

using namespace kubature;

/// A watched call that never ends by itself.
struct Watched {
  bool watched() const { return true; }
  double seconds_left() const { return 100; }
  bool look(bool) const { return true; }
};

/// The sizes of the slices in which 64 items are launched, of which up to 16 take 60 ms together.
std::vector<std::uint64_t> slices(std::uint64_t filling) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t slice = 16, next = 3;
  Watched run;
  detail::in_slices(Kokkos::DefaultHostExecutionSpace(), {}, run, 3, 64, filling, slice,
                    [&](std::uint64_t first, std::uint64_t count, detail::Deadline const&) {
                      EXPECT_EQ(first, next);
                      next += count;
                      sizes.push_back(count);
                      std::this_thread::sleep_for(std::chrono::milliseconds(60));
                    });
  EXPECT_EQ(next, 67);
  return sizes;
}

TEST(Slices, KeepAllThreadsBusy) {
  EXPECT_EQ(slices(16), (std::vector<std::uint64_t>{16, 16, 16, 16}));
  EXPECT_GT(slices(1).size(), 4u);
}

TEST(Slices, TakeTheirTime) {
  EXPECT_EQ(detail::next_slice(100, 0.1), 50u);
  EXPECT_EQ(detail::next_slice(100, 1e-9), 800u);
  EXPECT_EQ(detail::next_slice(1, 10), 1u);
  // A slice that fills a device may take longer, but not any time.
  EXPECT_EQ(detail::next_slice(100, 0.1, 80, 0.5), 80u);
  EXPECT_EQ(detail::next_slice(100, 0.1, 1000, 0.5), 500u);
  EXPECT_EQ(detail::next_slice(100, 5, 80, 0.5), 10u);
}

} // namespace
} // namespace slices_test
