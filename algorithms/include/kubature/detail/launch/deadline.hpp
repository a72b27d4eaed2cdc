#pragma once

#include <Kokkos_Core.hpp>

#include <chrono>
#include <cstdint>
#include <limits>

namespace kubature::detail {

/// The time at which a kernel on a host abandons its work: a chunk may take long there, and nothing else can stop it.
/// On devices, where a slice of an iteration is short, it never does.
class Deadline {
public:
  /// No deadline.
  Deadline() = default;
  explicit Deadline(double seconds_left) {
    if (seconds_left < 1e9)
      at_ = now() + static_cast<std::int64_t>(1e9 * seconds_left);
  }

  /// Checked by a thread in every step of its loop. It reads the clock only in some steps: the shorter the steps, the
  /// fewer.
  class Watch {
  public:
    KOKKOS_FUNCTION explicit Watch([[maybe_unused]] Deadline const& deadline) {
      KOKKOS_IF_ON_HOST((at_ = deadline.at_;))
    }
    KOKKOS_FUNCTION bool over() {
      KOKKOS_IF_ON_HOST((return at_ != never && ++steps_ >= wait_ && look();))
      KOKKOS_IF_ON_DEVICE((return false;))
    }

  private:
    bool look() {
      std::int64_t const time = now();
      wait_ = last_ != 0 && time - last_ < interval ? 2 * wait_ : 1;
      steps_ = 0;
      last_ = time;
      return time >= at_;
    }

    std::int64_t at_ = never, last_ = 0;
    std::int64_t steps_ = 0, wait_ = 1;
  };

private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t interval = 2'000'000; ///< nanoseconds between two readings

  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  std::int64_t at_ = never;
};

} // namespace kubature::detail
