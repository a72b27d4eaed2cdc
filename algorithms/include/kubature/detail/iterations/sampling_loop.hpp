#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/call/schedule.hpp>
#include <kubature/detail/iterations/sampling_engine.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace kubature::detail {

/// The common part of all sampling methods in a call: draws in the scale that the values need, the pilot of a call with
/// a time limit, and iterations until the tolerance or a limit is met.
class SamplingLoop {
public:
  /// @param scale of the values, as far as known
  SamplingLoop(SamplingEngine& engine, Estimates& estimates, Communicator const& ranks, NonFinite non_finite,
               ValueScale const& scale)
      : engine_(engine), estimates_(estimates), ranks_(ranks), non_finite_(non_finite), scale_(scale) {}

  ValueScale& scale() { return scale_; }

  /// Draws, and draws again if the values turn out to need another scale; a trial is drawn once.
  /// @returns nothing if the call has ended
  std::optional<Drawn> draw(SamplingPlan const& plan);

  /// See detail::find_schedule(). The pilot's estimates are kept in reserve.
  /// @param pilot pilot(n) plans a draw of about n samples
  Schedule find_schedule(std::uint64_t samples, int iterations,
                         std::function<SamplingPlan(std::uint64_t)> const& pilot);

  /// Adds a draw to the estimates, as an iteration.
  void add(Drawn&& drawn) { estimates_.add(std::move(drawn.step), non_finite_); }

  /// Makes equal and independent iterations until the call ends.
  /// @param stream the number of the first one's random numbers; on return that of the next
  void iterate(int iterations, SamplingPlan plan, std::uint32_t& stream);

private:
  SamplingEngine& engine_;
  Estimates& estimates_;
  Communicator const& ranks_;
  NonFinite non_finite_;
  ValueScale scale_;
};

} // namespace kubature::detail
