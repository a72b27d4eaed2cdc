#include "temporary.hpp"

#include <kubature/backend.hpp>
#include <kubature/detail/host_memory.hpp>
#include <kubature/detail/memory/workspace.hpp>
#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <gtest/gtest.h>

#include <list>
#include <string>
#include <string_view>

namespace memory_test {
namespace {

using namespace kubature;

/// Made-up folders /proc and /sys/fs/cgroup.
class Machine {
public:
  Machine() { folder_.write("proc/meminfo", "MemTotal:  4000 kB\nMemFree: 1000 kB\nMemAvailable:    2000 kB\n"); }

  void in_group(std::string const& lines) const { folder_.write("proc/self/cgroup", lines); }
  void write(std::string const& file, std::string const& text) const { folder_.write("cgroup/" + file, text); }
  std::size_t free() const { return detail::free_host_memory(folder_.path("proc"), folder_.path("cgroup")); }

private:
  TemporaryFolder folder_;
};

TEST(FreeHostMemory, IsWhatTheSystemCallsAvailable) {
  Machine const machine;
  EXPECT_EQ(machine.free(), 2000u * 1024);
  machine.in_group("0::/\n");
  EXPECT_EQ(machine.free(), 2000u * 1024); // there are no limits
}

TEST(FreeHostMemory, IsNoMoreThanAGroupLeaves) {
  Machine const machine;
  machine.in_group("0::/jobs/mine\n");
  machine.write("jobs/mine/memory.max", "max\n");
  machine.write("jobs/mine/memory.current", "70000\n");
  EXPECT_EQ(machine.free(), 2000u * 1024);
  machine.write("jobs/mine/memory.max", "100000\n");
  EXPECT_EQ(machine.free(), 30000u);
  machine.write("jobs/mine/memory.stat", "anon 50000\ninactive_file 15000\nactive_file 5000\n");
  EXPECT_EQ(machine.free(), 45000u);
  machine.write("jobs/memory.max", "300000\n"); // what the enclosing groups leave may be less
  machine.write("jobs/memory.current", "299000\n");
  EXPECT_EQ(machine.free(), 1000u);
  machine.write("jobs/memory.current", "300001\n");
  EXPECT_EQ(machine.free(), 0u);
}

TEST(FreeHostMemory, KnowsGroupsOfTheFirstVersion) {
  Machine const machine;
  machine.in_group("9:name=systemd:/\n4:cpu,memory:/outside/of/the/container\n0::/\n");
  machine.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.write("memory/memory.usage_in_bytes", "70000\n");
  EXPECT_EQ(machine.free(), 2000u * 1024);
  machine.write("memory/memory.limit_in_bytes", "100000\n");
  machine.write("memory/memory.stat", "inactive_file 1\ntotal_inactive_file 20000\n");
  EXPECT_EQ(machine.free(), 50000u);
}

TEST(FreeMemory, OfThisMachine) {
  Kokkos::DefaultHostExecutionSpace const exec;
  EXPECT_GT(free_memory(exec), std::size_t{1} << 20);
  EXPECT_EQ(sharers(exec, {}), 1);
}

TEST(MissingDevices, AreSaidInASentence) {
  EXPECT_EQ(missing_device(), ""); // otherwise this would not run
  EXPECT_EQ(detail::missing_device("GPUs", 2, ""), "");
  EXPECT_EQ(detail::missing_device("GPUs", 0, ""),
            "this build computes on GPUs, but the machine has none that it can use");
  EXPECT_EQ(detail::missing_device("GPUs", 0, "no driver"),
            "this build computes on GPUs, but the machine has none that it can use: no driver");
}

/// The next borrower may compute on another instance, which knows nothing of the last one's kernels.
TEST(Workspaces, ComeBackWithNothingAtWorkInThem) {
  static int fences = 0;
  Kokkos::DefaultExecutionSpace const exec;
  std::byte const* first = nullptr;
  Kokkos::Tools::Experimental::set_begin_fence_callback([](char const* name, std::uint32_t, std::uint64_t*) {
    fences += std::string_view(name) == "kubature::workspace::return";
  });
  {
    detail::Workspace<Kokkos::DefaultExecutionSpace> const workspace(exec);
    first = workspace.device().data();
    EXPECT_EQ(fences, 0);
  }
  EXPECT_EQ(fences, 1);
  Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
  std::list<detail::Workspace<Kokkos::DefaultExecutionSpace>> taken; // other tests have left some, too
  bool again = false;
  for (int k = 0; k < 32 && !again; ++k)
    again = taken.emplace_back(exec).device().data() == first;
  EXPECT_TRUE(again);
}

/// With so many intervals that their histogram does not fit into fast scratch: it counts as memory.
TEST(LimitsOfBytes, HoldForScratchInTheDevicesMemory) {
  auto const bytes_of_map =
      detail::DeviceMap<Kokkos::DefaultExecutionSpace>::bytes(Kokkos::DefaultExecutionSpace(), 5, 1 << 12);
  auto const status = [&](auto const& method, std::size_t bytes) {
    return integrate(method, suite::F4<5>{}, Box<5>{}, {}, {.iterations = 6, .bytes = bytes}).status;
  };
  std::size_t const scratch = 5 * (std::size_t{1} << 12) * sizeof(std::uint64_t);
  std::size_t const plenty = std::size_t{1} << 33;
  MCubes const mcubes{.evaluations = 1 << 16, .iterations = 6, .bins = 1 << 12};
  EXPECT_EQ(status(mcubes, bytes_of_map + scratch), Status::memory_exhausted);
  EXPECT_EQ(status(mcubes, plenty), Status::completed);
  VegasPlus const vegas_plus{.evaluations = 1 << 16, .iterations = 6, .bins = 1 << 12};
  EXPECT_EQ(status(vegas_plus, bytes_of_map + scratch), Status::memory_exhausted);
  EXPECT_EQ(status(vegas_plus, plenty), Status::completed);
}

} // namespace
} // namespace memory_test
