#pragma once

#include <algorithm>

namespace kubature::detail {

/// Whether work on a host is given to all threads or stays on the calling one: the other threads have to save more time
/// than waking them costs. That is a tenth of a millisecond if they sleep, some microseconds if they still wait for
/// work, plus some of the system's time slices if the cores have other work. Launches on all threads show which: even
/// with half of every core they take at most twice as long as one undisturbed thread; those that take longer have
/// waited for each other.
class Waking {
public:
  /// @param seconds of one thread for the work
  bool pays(double seconds) const { return seconds >= least_; }

  /// Reports work that stayed on the calling thread.
  void stayed(double seconds) {
    if (seconds > asleep)
      least_ = std::min(least_, std::max(asleep, (1 - forgotten) * least_));
  }
  /// Reports work that went to all threads.
  /// @param seconds estimated for one thread
  /// @param taken   seconds measured
  void went(double seconds, double taken) {
    if (taken > 2 * seconds)
      least_ = std::min(longest, std::max(least_, taken - seconds));
    else if (taken < clearly * seconds)
      least_ = std::max(awake, std::min(least_, seconds) / 2); // half of it may pay as well
    else
      least_ = std::min(least_, std::max(asleep, least_ / 2));
  }

private:
  /// In seconds: what costs more than waking threads that wait for work, or that sleep, and what is worth waiting for.
  static constexpr double awake = 4e-5, asleep = 1e-4, longest = 0.05;
  /// The fraction of one thread's time in which work is finished that has clearly paid.
  static constexpr double clearly = 0.8;
  /// The fraction of `least_` that is forgotten with each piece of work that stays.
  static constexpr double forgotten = 1.0 / 16;

  double least_ = asleep; ///< shorter work stays on the calling thread, in seconds
};

} // namespace kubature::detail
