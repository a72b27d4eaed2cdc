#pragma once

#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/peak.hpp>
#include <kubature/detail/quasi_monte_carlo/shift_sums.hpp>
#include <kubature/detail/sampling/scaling.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/qmc_choices.hpp>

#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Draws the points of one call of quasi-Monte Carlo and sums the values: all that QmcStrategy needs to know of the
/// integrand, the box and the device. Each draw is one launch; its sums are empty if the call has ended.
class QmcEngine {
public:
  explicit QmcEngine(ValueScale const& scale) : scale_(scale) {}
  virtual ~QmcEngine() = default;

  /// The sums of each shift over all 2^power points, or over those that are not among the first half.
  virtual ShiftSums draw(int power, bool all, Stream random) = 0;
  /// Those of each slab (see Slabs), of 2^power points, by one of the shifts.
  virtual ShiftSums draw_slabs(int octaves, int power, std::uint64_t round, Stream random) = 0;
  // For rotations and peaks, which are searched for in up to max_dimension variables.

  /// Those of pairs of points around 2^power others (see Differences).
  virtual ShiftSums draw_differences(int power, Stream random) = 0;
  /// Those of each of 2^power points by itself, of one of the shifts.
  virtual ShiftSums draw_single(int power, std::uint64_t shift, Stream random) = 0;
  /// These points in the unit cube, through the map or the peak that is held.
  virtual std::vector<double> single_points(int power, std::uint64_t shift, Stream random) const = 0;
  /// Whether the sums of this many groups of points fit into memory.
  virtual bool fits(int groups, std::uint64_t points_of_each) const = 0;

  /// Trains a map by a fraction of this many evaluations. @returns the edges of all axes; empty if the call has ended
  virtual std::vector<double> train(std::uint64_t evaluations) = 0;

  // Maps of the points: a transform along each axis, then a map of the axes, then a rotation, or a peak.
  virtual void transform(QmcTransform transform) = 0;
  virtual void hold(PiecewiseCubic map) = 0;
  virtual void hold(std::vector<double> rotation) = 0;
  virtual void hold(Peak const& peak) = 0;
  virtual void drop_map() = 0;
  virtual void drop_rotation() = 0;
  virtual void drop_peak() = 0;

  /// The scaling of values in launches.
  ValueScale& scale() { return scale_; }
  ValueScale const& scale() const { return scale_; }

private:
  ValueScale scale_;
};

} // namespace kubature::detail
