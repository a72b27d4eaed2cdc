#pragma once

#include <kubature/backend.hpp>
#include <kubature/detail/memory/workspace.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace kubature::detail {

/// Work whose time per item is measured.
struct TimedWork {
  double seconds = std::numeric_limits<double>::infinity(); ///< of one thread, per item: the shortest so far
  double measured = 0;                                      ///< seconds of the calling thread

  /// Of items that take this many times as long.
  TimedWork times(double factor) const { return {seconds * factor, measured}; }
};

/// Where kernels run: on all threads of a host, or on the calling one if the others would take longer to wake than the
/// work takes (Waking). On devices, where the caller asks. Results do not depend on it.
template <class Space>
class HostThreads {
public:
  explicit HostThreads(Space const& exec) : exec_(exec) {}

  Space const& all() const { return exec_; }

  /// The instance for work that takes one thread this many seconds.
  Space const& for_work(double seconds) const {
    if constexpr (!on_device_of_its_own<Space>)
      if (exec_.concurrency() > 1 && !workspace().waking().pays(seconds))
        return workspace().calling_thread();
    return exec_;
  }

  /// Launches `count` items by launch(exec, first, number), in one piece or several; on hosts it waits for them. The
  /// first items of unknown work are done by the calling thread, until it has been measured: the very first takes
  /// several times as long as others if it is short.
  template <class Launch>
  void run(TimedWork& work, std::uint64_t first, std::uint64_t count, Launch const& launch) const {
    if constexpr (on_device_of_its_own<Space>) {
      launch(exec_, first, count);
    } else if (exec_.concurrency() == 1) {
      launch(exec_, first, count);
      exec_.fence("kubature::host_threads::run");
    } else {
      auto& waking = workspace().waking();
      auto const timed = [&](bool all, std::uint64_t number) {
        Kokkos::Timer const timer;
        launch(all ? exec_ : workspace().calling_thread(), first, number);
        exec_.fence("kubature::host_threads::run");
        double const taken = timer.seconds(), items = static_cast<double>(number);
        if (all)
          waking.went(items * work.seconds, taken);
        else
          waking.stayed(taken);
        work.measured += all ? 0 : taken;
        work.seconds = std::min(work.seconds, (all ? exec_.concurrency() : 1) * taken / items);
        first += number;
        count -= number;
      };
      auto const pays = [&] { return waking.pays(static_cast<double>(count) * work.seconds); };
      for (std::uint64_t number = 1; count > 0 && work.measured < enough && pays(); number *= 4)
        timed(false, std::min(number, count));
      if (count > 0)
        timed(pays(), count);
    }
  }

  Workspace<Space> const& workspace() const {
    if (!workspace_)
      workspace_.emplace(exec_);
    return *workspace_;
  }

private:
  static constexpr double enough = 2e-5; ///< seconds to be measured, of work that would take longer on one thread

  Space exec_;
  mutable std::optional<Workspace<Space>> workspace_;
};

} // namespace kubature::detail
