#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/call/call_state.hpp>

#include <cstdint>
#include <functional>
#include <limits>

namespace kubature::detail {

/// The iteration whose random numbers pilots use; no call gets that far.
inline constexpr std::uint32_t pilot_stream = 0xFFFFFFFEu;

/// The sizes of a call's iterations.
struct Schedule {
  std::uint64_t samples; ///< per iteration
  int iterations;        ///< their maximum number
  /// Evaluations for which there is time.
  double left = std::numeric_limits<double>::infinity();
};

/// The schedule of a call. If its time is limited, it begins with a pilot: draws of 8, 64, 512 ... samples, until the
/// duration of an iteration can be predicted. If that is more than a quarter of the time limit, and all iterations
/// exceed half of it, iterations are shortened until 16 fit, and their number grows by the same factor. So a limit
/// never leaves a call without an estimate, unless there is no time even for the first draw. Other calls are unchanged.
/// @param draw draw(n) draws about n samples and keeps their estimate in reserve; returns their number, or 0 if the
///             call has ended
Schedule find_schedule(Communicator const& ranks, CallState const& call, std::uint64_t samples, int iterations,
                       std::function<std::uint64_t(std::uint64_t)> const& draw);

} // namespace kubature::detail
