#pragma once

#include <kubature/detail/vegas/map_engine.hpp>

#include <Kokkos_Array.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Strata with weights as a checkpoint holds them.
struct StrataContents {
  int dimension = 0;
  Kokkos::Array<int, max_dimension> counts{}; ///< of cubes along each axis that is cut
  double sum = 0;                             ///< of the weights; 0: unknown
  std::vector<float> weights;                 ///< of all cubes, the first axis fastest
};

/// The engine of VEGAS+: a MapEngine with weights for the cubes, by which samples are allocated to them (see
/// Stratification).
class VegasEngine : public MapEngine {
public:
  /// Cuts the unit cube into these strata. Known weights are carried over.
  virtual void cut(Strata<dynamic> const& strata) = 0;
  /// Allocates the samples of later draws to these strata, by their weights.
  /// @param anew whether this differs from the last allocation
  virtual void allocate(Strata<dynamic> const& strata, std::uint64_t samples, bool anew) = 0;
  /// Adopts the weights that the last draw has recorded; `sum` is their total.
  virtual void accept_weights(double sum) = 0;
  /// Drops all weights: equal numbers of samples follow.
  virtual void forget_weights() = 0;
  /// The sum of the weights; 0 if none are known.
  virtual double sum_of_weights() const = 0;
  /// See Stratification.
  virtual double sum_of_powers(double power, double factor) = 0;
  /// Bytes of the strata.
  virtual std::size_t bytes_of_weights() const = 0;

  // A second set of strata, for a trial.
  virtual void begin_trial() = 0; ///< sets the strata aside; new ones have no weights
  virtual void exchange() = 0;    ///< of the two sets
  virtual void end_trial() = 0;   ///< drops the set that is aside

  // For checkpoints; reading waits for the device.
  virtual MapContents read_map() = 0;
  virtual void restore(MapContents const& map) = 0;
  virtual StrataContents read_strata() = 0;
  virtual void restore(StrataContents const& strata) = 0;
};

} // namespace kubature::detail
