#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace kubature {

/// What a callback is told.
struct Progress {
  std::string_view method; ///< the method's name
  /// Iterations done so far.
  int iteration;
  /// Calls of the integrand so far.
  std::uint64_t evaluations;
  /// The estimate so far, of the first component; NaN while a method still leaves its iterations out.
  double value;
  double error;   ///< its error, likewise
  double seconds; ///< since the call began
};

/// Called on the host after each iteration, and about ten times a second while one takes long; returns false to stop,
/// and the call then ends with Status::stopped. An iteration that was not finished stays out of the result.
using Callback = std::function<bool(Progress const&)>;

} // namespace kubature
