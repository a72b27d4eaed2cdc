#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/iterations/sampling_loop.hpp>
#include <kubature/detail/vegas/map_engine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <vector>

namespace kubature::detail {

/// The state that calls of m-Cubes or VEGAS+ pass to later ones, besides the map.
struct MapMemory {
  std::vector<double> shape; ///< the number of strata along each axis is in proportion to this; empty: equal numbers
  std::uint32_t stream = 0;  ///< number of the next draw's random numbers
  bool given = false;        ///< whether the map was given by the user
};

/// Bytes for which free memory is not queried.
inline constexpr std::size_t little_memory = std::size_t{1} << 26;

/// The number of samples of an iteration within a limit. A limit below one iteration still leaves an eighth of the
/// budget for the samples that set the scale.
std::uint64_t one_iteration(std::uint64_t evaluations, Limits const& limits);

/// The samples of the first iteration: if a limit leaves no room for two iterations that count, they are shortened so
/// that twice as many fit.
/// @param skip       iterations that do not count
/// @param iterations their maximum number
std::uint64_t first_iteration(std::uint64_t evaluations, Limits const& limits, int skip, int iterations);

/// The number of samples, before the first iteration, from which the scale of the fixed-point weights of the first
/// histogram is determined.
std::uint64_t samples_for_scale(std::uint64_t budget);

/// The intervals of a new map: as many as wanted, but at most as many as 16 samples each allow. If there are many axes,
/// 16 for each interval of all axes: otherwise the noise of all of their weights would be larger than the integrand.
int bins_for(int wanted, int axes, std::uint64_t budget);

/// Decisions common to m-Cubes and VEGAS+.
class MapStrategy {
public:
  /// @param driver see driving_component()
  MapStrategy(MapEngine& engine, MapMemory& memory, Estimates& estimates, Communicator const& ranks,
              Request const& request, int dimension, int driver, std::uint64_t seed, NonFinite non_finite,
              ValueScale const& scale);

protected:
  /// The intervals of the call's map: those of a given map, or bins_for(). Throws InvalidArgument if a given map has
  /// other axes.
  int bins(int wanted, int axes, std::uint64_t budget) const;
  /// Whether the call has to train a map of its own.
  bool fresh(int axes, int bins) const;
  /// Whether these bytes fit the limit, and the memory of all ranks.
  bool fits(std::size_t bytes) const;
  /// Ends the call if its minimum of bytes does not fit; leaves the others to batches.
  void hold(std::size_t bytes);

  /// Draws by the next random numbers. @returns nothing if the call has ended
  std::optional<Drawn> draw(SamplingPlan plan);
  /// About this many samples, the same number in all strata, to determine a scale or the time per sample.
  SamplingPlan few(std::uint64_t samples, bool trains) const;
  /// Determines from a few samples how large the weights are; from earlier ones, the shares in which the components
  /// drive. @returns false if the call has ended
  bool measure_scale(std::uint64_t budget);
  /// Determines from a few samples how strata are to be distributed among the axes.
  void find_shape(std::uint64_t budget);
  /// Balances the components by their draws. @returns the factor by which what drives may grow
  double balance(Drawn const& drawn) { return engine_.weights().learn(drawn.magnitudes); }
  /// Refines the map by an iteration; that of many axes only by one that knows the integral well, since the noise of
  /// all of their weights is multiplied.
  /// @param growth see balance()
  void refine(Damping damping, Drawn const& drawn, double growth);
  /// Adds an iteration to the estimates.
  void add(Drawn&& drawn, bool adapting);

  MapEngine& engine_;
  MapMemory& memory_;
  Estimates& run_;
  Communicator const& ranks_;
  Limits limits_;
  std::source_location where_;
  int dimension_, driver_;
  std::uint64_t seed_;
  SamplingLoop loop_;
  bool clear_ = false; ///< whether find_shape() has found that any axis matters
};

} // namespace kubature::detail
