#pragma once

#include <kubature/detail/call/call_state.hpp>
#include <kubature/progress.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <cstdint>
#include <functional>

namespace kubature::detail {

/// A call that may pause, and then goes on as if it had not.
class PausableCall {
public:
  /// pause(call, n) tells whether to pause before an iteration of about n evaluations; the same on all processes.
  using Pause = std::function<bool(CallState const& call, std::uint64_t next)>;

  virtual ~PausableCall() = default;
  /// @returns whether the call has ended
  virtual bool go_on(Pause const& pause) = 0;
  /// Leaves at most so many evaluations to the call, those that it has made included.
  virtual void limit(std::uint64_t evaluations) = 0;
  virtual SeveralResult so_far() = 0; ///< of a call that has paused
  virtual SeveralResult finish() = 0; ///< of a call that has ended
};

/// The methods that Auto chooses from, for one integrand: all that AutoStrategy needs to know of it. Callbacks have to
/// stay where they are until the next call of the same method.
class AutoEngine {
public:
  virtual ~AutoEngine() = default;

  /// PAGANI and quasi-Monte Carlo begin a call, which replaces the last one.
  virtual PausableCall& begin_cubature(Limits const& limits, Callback const& callback) = 0;
  virtual PausableCall& begin_lattice(std::uint64_t first_iteration, Limits const& limits,
                                      Callback const& callback) = 0;
  /// What PAGANI finds from a first grid of a level (see CloseLook).
  virtual SeveralResult look(int level, Limits const& limits, Callback const& callback) = 0;
  /// A whole call of VEGAS+, in the map that it has from earlier ones.
  /// @param number of the call, for random numbers of its own
  virtual SeveralResult sample(std::uint64_t first_iteration, double redistribute, int number, Limits const& limits,
                               Callback const& callback) = 0;
};

} // namespace kubature::detail
