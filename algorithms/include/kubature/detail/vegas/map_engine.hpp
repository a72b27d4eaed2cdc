#pragma once

#include <kubature/detail/iterations/sampling_engine.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/detail/vegas/device_map.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubature::detail {

/// The variation along each axis of the integral over all other axes, see AxisVariances.
struct AxisShape {
  std::vector<double> variances;
  bool clear = false;        ///< whether the variance along any axis is more than noise
  std::uint64_t samples = 0; ///< samples drawn
};

/// A map as a checkpoint holds it.
struct MapContents {
  int axes = 0, bins = 0;
  double scale = 0;
  int exponent = 0;
  std::vector<double> edges; ///< from 0 to the number of intervals, axis by axis
};

/// A SamplingEngine whose samples go through a map that they train: the common part of m-Cubes and VEGAS+.
class MapEngine : public SamplingEngine {
public:
  virtual MapContents map() const = 0; ///< without the edges
  /// Equal intervals along this many axes.
  virtual void reset_map(int axes, int bins) = 0;
  /// Sets the scale of the histogram's weights by the largest |J f|.
  virtual void set_scale(double largest) = 0;
  /// Refines the map by the histogram of all ranks, and clears the histogram.
  virtual void refine_map(Damping const& damping, double largest) = 0;

  virtual AxisShape measure_axes(Stream const& stream, std::uint64_t samples, double factor) = 0;

  /// The weights of the integrand's components in the training of the map, and of those in Drawn::driving.
  virtual ComponentWeights& weights() = 0;
  virtual ComponentWeights const& driving() const = 0;

  /// The minimum device memory of a call, in bytes, for iterations of this many samples in these strata.
  virtual std::size_t bytes(std::uint64_t samples, Strata<dynamic> const& strata, int axes, int bins) const = 0;
  /// This rank's share of the free memory.
  virtual std::size_t free_share() const = 0;
  /// Leaves this many bytes to batches.
  virtual void limit_batches(std::size_t bytes) = 0;
};

} // namespace kubature::detail
