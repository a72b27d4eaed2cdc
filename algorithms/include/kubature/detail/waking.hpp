#pragma once

#include <algorithm>

namespace kubature::detail {

/// Whether work on a host is for all threads, or stays on the calling one: what the others save has to be more than it
/// takes to wake them. That is a tenth of a millisecond, and some of the system's time slices where the cores have
/// other things to do. Launches by all threads show which: with half of every core they take no longer than twice what
/// one undisturbed thread takes; those that do have waited for each other.
class Waking {
public:
  /// @param seconds that the work takes one thread
  bool pays(double seconds) const { return seconds >= least_; }

  /// Tells of work that stayed on the calling thread.
  void stayed(double seconds) {
    if (seconds > shortest)
      least_ = std::max(shortest, (1 - forgotten) * least_);
  }
  /// Tells of work that went to all threads.
  /// @param seconds that it would have taken one thread, and that it took
  void went(double seconds, double taken) {
    least_ =
        taken > 2 * seconds ? std::min(longest, std::max(least_, taken - seconds)) : std::max(shortest, least_ / 2);
  }

private:
  /// In seconds. What takes longer than the latter is worth waiting for.
  static constexpr double shortest = 1e-4, longest = 0.05;
  /// The part of `least_` that is forgotten with each piece of work that stays.
  static constexpr double forgotten = 1.0 / 16;

  double least_ = shortest; ///< work of which less stays on the calling thread, in seconds
};

} // namespace kubature::detail
