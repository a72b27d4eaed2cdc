#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace kubature {

/// The state of a call in progress, for a callback.
struct Progress {
  std::string_view method; ///< the method's name
  /// Iterations done so far.
  int iteration;
  /// Evaluations of the integrand so far.
  std::uint64_t evaluations;
  /// The estimate of the first component so far; NaN while the method does not yet include its iterations.
  double value;
  double error;   ///< the error of value
  double seconds; ///< since the call began
};

/// Called on the host after each iteration, and about ten times a second during a long one. It returns false to stop
/// the call, which then ends with Status::stopped. An unfinished iteration does not enter the result.
using Callback = std::function<bool(Progress const&)>;

} // namespace kubature
