#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/policies/call_policy.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace kubature::detail {

/// The number of chunks that occupy the device, or all threads of the host.
template <class Space>
std::uint64_t filling_chunks(Space const& exec) {
  return Tuning<Space>::sampling_team == 1 ? static_cast<std::uint64_t>(exec.concurrency())
                                           : Tuning<Space>::filling_chunks;
}

/// The number of items for which the next launch takes about 50 ms, after one of `slice` items took `seconds`; but as
/// many as fill the device or the host, if these take no more than `longest` seconds.
inline std::uint64_t next_slice(std::uint64_t slice, double seconds, std::uint64_t filling = 1,
                                double longest = std::numeric_limits<double>::infinity()) {
  auto const in = [&](double target) {
    return static_cast<double>(slice) * std::clamp(target / std::max(seconds, 1e-6), 0.01, 8.0);
  };
  double const filled = std::min(in(longest), static_cast<double>(filling));
  return static_cast<std::uint64_t>(std::max({1.0, in(policy<CallPolicy>().launch_seconds), filled}));
}

/// Launches the items first ... first + count - 1 of a rank (chunks, or batches of regions) by launch(first, count,
/// deadline): all at once if the call is not watched, and in slices of about 50 ms if it has a time limit or a
/// callback, so that either can end it in between. The first slice has `slice` items; its duration determines the size
/// of the next, and `slice` becomes the first size of the next time. The results do not depend on the slices. No launch
/// has more than `most` items.
/// @param filling items that occupy the device, or all threads of the host, where one takes as long as all of these
/// @returns whether everything was launched; if not, the call has ended, on all ranks
template <class Space, class Run, class Launch>
bool in_slices(Space const& exec, Communicator const& ranks, Run& run, std::uint64_t first, std::uint64_t count,
               std::uint64_t filling, std::uint64_t& slice, Launch const& launch,
               std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  std::uint64_t const end = first + count;
  if (!ranks.any(run.watched())) {
    for (; first < end; first += std::min(most, end - first))
      launch(first, std::min(most, end - first), Deadline());
    return true;
  }
  slice = std::max<std::uint64_t>(1, slice);
  double const longest =
      on_device_of_its_own<Space> ? policy<CallPolicy>().filled_seconds : std::numeric_limits<double>::infinity();
  while (ranks.any(first < end)) {
    std::uint64_t const now = std::min({slice, most, end - first});
    bool const all = ranks.size() == 1 && first == end - count && now == count;
    if (now > 0) {
      Kokkos::Timer timer;
      launch(first, now, Deadline(run.seconds_left()));
      first += now;
      exec.fence("kubature::slices::wait");
      slice = next_slice(slice, timer.seconds(), filling, longest);
    }
    if (!run.look(first == end))
      return false;
    if (all)
      break;
  }
  return true;
}

} // namespace kubature::detail
