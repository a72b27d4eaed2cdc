#pragma once

#include <kubature/detail/call/pausable_call.hpp>
#include <kubature/detail/vegas/map_strategy.hpp>
#include <kubature/detail/vegas_plus/checkpoint_file.hpp>
#include <kubature/detail/vegas_plus/redistribution.hpp>
#include <kubature/detail/vegas_plus/restratification.hpp>
#include <kubature/detail/vegas_plus/transfer.hpp>
#include <kubature/detail/vegas_plus/vegas_engine.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kubature::detail {

/// The state that calls of VEGAS+ pass to later ones, besides the map and the weights of strata.
struct VegasMemory : MapMemory {
  Redistribution redistribution;
  Restratification restratification;
  std::size_t granted = 0; ///< bytes of strata for which memory has been found to suffice

  explicit VegasMemory(VegasPlus<Fp64> const& options)
      : redistribution(options.redistribute, options.evaluations),
        restratification(options.restratify, options.evaluations) {}

  /// Returns to the state before the first call.
  void forget_strata() {
    redistribution.restart();
    restratification.restart();
  }
};

/// The data of its integrand and box that a call of VEGAS+ needs.
struct VegasCall {
  int dimension;
  int driver;            ///< see driving_component()
  StepLayout layout;     ///< of the estimates in a checkpoint
  std::string agreement; ///< that a checkpoint must have
};

/// One call of VEGAS+: iterations that train the map and the strata as they go.
class VegasStrategy : MapStrategy {
public:
  /// Throws InvalidArgument if the user's map has other axes than the call, or no iteration would count.
  VegasStrategy(VegasPlus<Fp64> const& options, CheckpointFile const& file, VegasEngine& engine, VegasMemory& memory,
                Estimates& estimates, Communicator const& ranks, Request const& request, VegasCall const& call,
                ValueScale const& scale);

  /// Starts from the checkpoint, from the training of earlier calls, or afresh, or continues where it paused, and makes
  /// iterations until the call ends or pauses. A call that ends leaves a checkpoint from which a later one can resume,
  /// or none if nothing remains to be done.
  /// @returns whether the call has ended
  bool go_on(PausableCall::Pause const& pause);

private:
  void begin();
  void fit_in_time();
  bool iterate();
  void save_now_and_then();
  void leave_checkpoint();
  void save();
  void resume(Archive& archive, std::string const& other);
  void transfer(Archive& archive, bool estimates);

  bool weighted() const;
  Strata<dynamic> stratify(bool adapting);
  Strata<dynamic> allocate(bool adapting);
  std::optional<Drawn> draw_iteration(Strata<dynamic> const& strata, Purpose purpose, bool adapting);
  bool try_others(Strata<dynamic> const& strata, Drawn const& drawn);
  void adapt(Strata<dynamic> const& strata, Drawn const& drawn, int training);
  bool differs(Strata<dynamic> const& even, Strata<dynamic> const& shaped) const;

  std::size_t bytes() const { return engine_.bytes(evaluations_, {}, axes_, bins_); }
  std::size_t bytes_left() const { return limits_.bytes - std::min(limits_.bytes, bytes()); }

  VegasPlus<Fp64> options_;
  CheckpointFile const& file_;
  VegasEngine& vegas_;
  VegasMemory& kept_;
  VegasCall call_;
  bool asked_; ///< whether the call has a tolerance
  int iterations_;
  std::uint64_t budget_; ///< samples of the first iteration
  int axes_, bins_;
  std::uint64_t evaluations_;       ///< of the next iteration
  bool fresh_;                      ///< whether the call began with an untrained map
  bool trial_pays_ = false;         ///< whether the strata that a trial set aside replace those in use
  std::vector<double> other_shape_; ///< of those strata
  bool begun_ = false;
  std::uint64_t allocated_ = 0; ///< evaluations of the allocation; 0 if it has to be made
  Kokkos::Timer since_saved_;
};

} // namespace kubature::detail
