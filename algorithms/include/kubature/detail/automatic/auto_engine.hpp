#pragma once

#include <kubature/detail/call/pausable_call.hpp>
#include <kubature/progress.hpp>
#include <kubature/several_result.hpp>
#include <kubature/tolerance.hpp>

#include <cstdint>

namespace kubature::detail {

/// The methods that Auto chooses from, for one integrand: all that AutoStrategy needs to know. Callbacks must stay
/// valid until the next call of the same method.
class AutoEngine {
public:
  virtual ~AutoEngine() = default;

  /// Each method begins a call, which replaces its last one.
  virtual PausableCall& begin_cubature(Limits const& limits, Callback const& callback) = 0;
  virtual PausableCall& begin_lattice(std::uint64_t first_iteration, Limits const& limits,
                                      Callback const& callback) = 0;
  /// PAGANI's result from a first grid of a level (see CloseLook).
  virtual SeveralResult look(int level, Limits const& limits, Callback const& callback) = 0;
  /// VEGAS+ begins with the map from its earlier calls.
  /// @param number of the call, which selects its random numbers
  virtual PausableCall& begin_sampling(std::uint64_t first_iteration, double redistribute, int number,
                                       Limits const& limits, Callback const& callback) = 0;
};

} // namespace kubature::detail
