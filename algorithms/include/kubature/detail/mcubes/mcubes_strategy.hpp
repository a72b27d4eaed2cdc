#pragma once

#include <kubature/detail/vegas/map_strategy.hpp>
#include <kubature/mcubes_options.hpp>

#include <cstdint>

namespace kubature::detail {

/// One call of m-Cubes: trains the map for some iterations, and samples the frozen map in the others.
class McubesStrategy : MapStrategy {
public:
  /// Throws InvalidArgument if the user's map has other axes than the call.
  /// @param driver see driving_component()
  McubesStrategy(MCubes<Fp64> const& options, MapEngine& engine, MapMemory& memory, Estimates& estimates,
                 Communicator const& ranks, Request const& request, int dimension, int driver, ValueScale const& scale);

  /// Makes iterations until the call ends.
  void run();

private:
  bool iterate(int i);
  void set_samples(std::uint64_t samples);

  MCubes<Fp64> const& options_;
  int axes_;
  std::uint64_t samples_; ///< of an iteration
  int bins_;
  bool fresh_; ///< whether the call began with an untrained map
  Strata<dynamic> strata_;
};

} // namespace kubature::detail
