#pragma once

#include <algorithm>

namespace kubature::detail {

/// Whether work on a host is given to all threads or stays on the calling one: the other threads have to save more time
/// than waking them costs. That is a tenth of a millisecond, plus some of the system's time slices if the cores have
/// other work. Launches on all threads show which: even with half of every core they take at most twice as long as one
/// undisturbed thread; those that take longer have waited for each other.
class Waking {
public:
  /// @param seconds of one thread for the work
  bool pays(double seconds) const { return seconds >= least_; }

  /// Reports work that stayed on the calling thread.
  void stayed(double seconds) {
    if (seconds > shortest)
      least_ = std::max(shortest, (1 - forgotten) * least_);
  }
  /// Reports work that went to all threads.
  /// @param seconds estimated for one thread
  /// @param taken   seconds measured
  void went(double seconds, double taken) {
    least_ =
        taken > 2 * seconds ? std::min(longest, std::max(least_, taken - seconds)) : std::max(shortest, least_ / 2);
  }

private:
  /// In seconds. Work longer than `longest` is worth waiting for.
  static constexpr double shortest = 1e-4, longest = 0.05;
  /// The fraction of `least_` that is forgotten with each piece of work that stays.
  static constexpr double forgotten = 1.0 / 16;

  double least_ = shortest; ///< shorter work stays on the calling thread, in seconds
};

} // namespace kubature::detail
