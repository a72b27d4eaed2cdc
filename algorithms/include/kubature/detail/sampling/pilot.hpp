#pragma once

#include <kubature/communicator.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace kubature::detail {

/// The iteration whose random numbers pilots use; no call gets that far.
inline constexpr std::uint32_t pilot_stream = 0xFFFFFFFEu;

/// How large a call's iterations are.
struct Schedule {
  std::uint64_t samples; ///< of an iteration
  int iterations;        ///< at most
  /// Evaluations that there is time for.
  double left = std::numeric_limits<double>::infinity();
};

/// The schedule of a call. If its time is limited it begins with a pilot: draws of 8, 64, 512 ... samples, until the
/// duration of an iteration can be predicted. If that is more than a quarter of the time limit, and all iterations
/// exceed half of it, iterations are shortened until 16 fit, and their number grows by the same factor. So a limit
/// never leaves a call without an estimate, unless not even the first draw has time. Other calls are left as they are.
/// @param draw draw(n) draws about n samples and keeps their estimate in reserve; returns how many there were; 0 if the
///             call has ended
template <class Run, class Draw>
Schedule find_schedule(Communicator const& ranks, Run const& run, std::uint64_t samples, int iterations,
                       Draw const& draw) {
  constexpr double of_time = 0.25, measured = 1.0 / 128, room_for = 16;
  constexpr std::uint64_t growth = 8, least = 8;
  if (!run.timed())
    return {samples, iterations};
  auto const shortest = [&](double seconds) { // of all processes
    return 1e-6 * static_cast<double>(ranks.least(static_cast<std::uint64_t>(1e6 * std::clamp(seconds, 0.0, 1e12))));
  };
  for (std::uint64_t n = least; !run.ended(); n *= growth) {
    double const before = shortest(run.seconds_left());
    std::uint64_t const drawn = draw(std::min(n, samples));
    if (drawn == 0)
      break;
    double const left = shortest(run.seconds_left()), taken = std::max(before - left, 1e-6);
    double const rate = static_cast<double>(drawn) / taken, wanted = static_cast<double>(samples) / rate;
    double const shorter = std::max(static_cast<double>(least), rate * left / room_for);
    if (wanted <= of_time * left || wanted * iterations <= 2 * of_time * left ||
        shorter >= static_cast<double>(samples))
      return {samples, iterations, rate * left};
    if (taken < measured * left && growth * n < samples)
      continue;
    double const more = iterations * (static_cast<double>(samples) / shorter);
    return {static_cast<std::uint64_t>(shorter), static_cast<int>(std::min(more, 1e9)), rate * left};
  }
  return {samples, iterations};
}

} // namespace kubature::detail
