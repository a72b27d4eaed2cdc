#pragma once

#include <kubature/backend.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/detail/vegas/axis_variances.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/error.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/vegas_map.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <vector>

namespace kubature::detail {

/// What the integrators of m-Cubes and VEGAS+ share: the map that their calls train, and access to it.
template <class Space>
class TrainedMap {
public:
  /// The map as the calls so far have trained it.
  VegasMap map() const { return vegas_map(exec_, map_); }

  /// From now on, calls start from this map and keep its number of intervals. It must have an axis for each variable,
  /// or a single one with the option `one_map`.
  void use(VegasMap const& map) {
    load(exec_, map_, map);
    shape_.clear();
    given_ = true;
  }

protected:
  TrainedMap(Space const& exec, Communicator const& ranks) : exec_(exec), ranks_(ranks) {}

  /// The number of samples of an iteration within a limit. A limit below one iteration still leaves an eighth of the
  /// budget for the samples that set the scale.
  static std::uint64_t one_iteration(std::uint64_t evaluations, Limits const& limits) {
    return std::max<std::uint64_t>(2,
                                   std::min(evaluations, limits.evaluations - Partition::ceil(limits.evaluations, 9)));
  }

  /// The samples of the first iteration: where a limit leaves no room for two iterations that count they are shorter,
  /// so that twice as many have room.
  /// @param skip       iterations that do not count
  /// @param iterations at most
  static std::uint64_t budget(std::uint64_t evaluations, Limits const& limits, int skip, int iterations) {
    auto const most = limits.evaluations, all = static_cast<std::uint64_t>(iterations);
    auto const least = static_cast<std::uint64_t>(skip) + 2;
    if (all > 1 && evaluations > most / least)
      evaluations = std::min(evaluations, most / std::min(2 * least, all + 1));
    return one_iteration(evaluations, limits);
  }

  /// The number of samples, before the first iteration, from which the scale of the fixed-point weights of the first
  /// histogram is determined.
  static std::uint64_t few(std::uint64_t budget) { return std::clamp<std::uint64_t>(budget / 8, 2, 1 << 17); }

  /// The intervals of a call's map: those of a given map, or as many as are wanted, but no more than 16 samples each
  /// allow. Throws InvalidArgument if a given map has other axes.
  int bins(int wanted, int axes, std::uint64_t budget, std::source_location where) const {
    require(!given_ || map_.axes() == axes, "axes of the map", map_.axes(),
            "the box and the options require " + std::to_string(axes), where);
    return given_ ? map_.bins()
                  : static_cast<int>(std::clamp<std::uint64_t>(budget / 16, 1, static_cast<unsigned>(wanted)));
  }

  /// Bytes for which free memory is not queried.
  static constexpr std::size_t small = std::size_t{1} << 26;

  /// This process's share of the free memory.
  std::size_t free_share() const { return free_memory(exec_) / static_cast<unsigned>(sharers(exec_, ranks_)); }

  /// Whether the bytes that a call cannot do without fit the limit, and the memory of all processes.
  bool fits(std::size_t bytes, std::size_t limit) const {
    return bytes <= limit && (bytes <= small || ranks_.least(free_share()) >= bytes);
  }

  /// Whether a call has to train a map of its own.
  bool fresh(int axes, int bins) const { return map_.axes() != axes || map_.bins() != bins; }

  /// Whether strata are redistributed among the axes before this iteration: the first that counts, unless an earlier
  /// call has done so.
  template <class Method>
  bool restratifies(Method const& method, int iteration, int skip) const {
    return method.restratify == true && iteration == skip && shape_.empty();
  }

  /// Determines from a few samples how to redistribute them.
  /// @returns how many these are
  template <class P, class F, int D>
  std::uint64_t find_shape(F const& f, Box<D> const& box, Stream const& stream, std::uint64_t budget, double factor,
                           ComponentWeights const& drive) {
    std::uint64_t samples = few(budget);
    shape_ = variances_.template measure<P>(exec_, f, box, map_, stream, samples, factor, drive);
    return samples;
  }

  /// Whether redistribution is likely to make a difference: some axis matters, and gets at least twice as many strata
  /// as it has.
  template <int D>
  bool differs(Strata<D> const& even, Strata<D> const& shaped, int dimension) const {
    return variances_.clear() && *std::max_element(shaped.counts.data(), shaped.counts.data() + dimension) >=
                                     2 * *std::max_element(even.counts.data(), even.counts.data() + dimension);
  }

  /// Has a run's samples audited, in the map as it will be then.
  template <class P, class F, int D, class Run>
  void audit(Run& run, F const& f, Box<D> const& box, std::uint64_t seed) {
    run.locate_by([this, &f, &box](std::uint64_t count) { return where_not_finite<P>(exec_, values_, f, box, count); });
    run.audit_by([this, &run, &f, &box, seed](std::uint64_t most) {
      auto edges = map_.read(exec_);
      for (double& edge : edges)
        edge /= map_.bins();
      Drawing drawing{reach_of_rounding(box, CoordinateFormat::of_arguments<P>()), axis_map(edges, map_.axes()),
                      run.included(), seed};
      note_reach(drawing.reach, drawing.map, drawing.samples, 0x1p-33 / map_.bins());
      return audit_points<P>(exec_, values_, f, box, drawing, most,
                             draw_through(drawing.map, box.dimension(), most / 2, seed));
    });
  }

  Space exec_;
  Communicator ranks_;
  DeviceMap<Space> map_;
  std::vector<double> shape_; ///< the number of strata along each axis is in proportion to this; empty: equal numbers

private:
  AxisVariances<Space> variances_;
  PointValues<Space> values_;
  bool given_ = false;
};

} // namespace kubature::detail
