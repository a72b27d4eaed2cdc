#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_call.hpp>
#include <kubature/detail/quasi_monte_carlo/transform_choice.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace kubature::detail {

/// The decisions of one call of quasi-Monte Carlo: how points are mapped to the box, their transform, when another map
/// is trained, and when to double the points. It may pause between its iterations and then continue as if it had not.
class QmcStrategy {
public:
  QmcStrategy(QmcRequest const& request, QmcEngine& engine, ShiftEstimates& estimates, Communicator const& ranks)
      : call_(request, engine, estimates), ranks_(ranks) {}
  QmcStrategy(QmcStrategy const&) = delete; // the choice of a transform refers to the call

  /// Draws points until the call ends, or pauses before an iteration or the training of another map.
  /// @param pause pause(call, n) returns whether to pause before about n evaluations; the same on all ranks
  /// @returns whether the call has ended
  bool go_on(std::function<bool(CallState const&, std::uint64_t)> const& pause);

private:
  bool adapted() const;
  bool prepare();
  int fit_in_time();
  bool place();
  void choose_map(std::vector<double> const& edges);
  int worth_training() const;
  void begin_anew(int power);
  bool iterate();

  QmcCall call_;
  TransformChoice transforms_{call_};
  Communicator ranks_;
  bool prepared_ = false; ///< whether the first map was trained
};

} // namespace kubature::detail
