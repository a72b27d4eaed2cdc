#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/launch/host_threads.hpp>
#include <kubature/detail/vegas/axis_variances.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas/map_strategy.hpp>
#include <kubature/vegas_map.hpp>

#include <cstdint>
#include <string>

namespace kubature::detail {

/// The state that the solvers of m-Cubes and VEGAS+ keep from call to call: the map that their calls train, and memory.
/// @tparam Memory MapMemory, or an extension of it
template <class Space, class Memory = MapMemory>
class TrainedMap {
public:
  /// The map as the calls so far have trained it.
  VegasMap map() const { return vegas_map(exec(), map_); }

  /// From now on, calls start from this map and keep its number of intervals. It must have an axis for each variable,
  /// or a single one with the option `one_map`.
  void use(VegasMap const& map) {
    load(exec(), map_, map);
    memory_.shape.clear();
    memory_.given = true;
  }

  Space const& exec() const { return threads_.all(); }
  HostThreads<Space> const& threads() const { return threads_; }
  Communicator const& ranks() const { return ranks_; }
  DeviceMap<Space>& device_map() { return map_; }
  AxisVariances<Space>& variances() { return variances_; }
  SamplingMemory<Space>& samples() { return samples_; }
  std::string const& label() const { return label_; }

protected:
  /// @param label of Views and kernels
  TrainedMap(Space const& exec, Communicator const& ranks, std::string const& label, Memory memory = {})
      : threads_(exec), ranks_(ranks), memory_(std::move(memory)), label_(label), samples_(label) {}

  /// Has a call's samples audited, in the map at that time.
  template <class P, class F, int D>
  void audit(Estimates& run, F const& f, Box<D> const& box, std::uint64_t seed) {
    if constexpr (!summed_elsewhere<F>) {
      run.locate_by(
          [this, &f, &box](std::uint64_t count) { return where_not_finite<P>(threads_, values_, f, box, count); });
      run.audit_by([this, &run, &f, &box, seed](std::uint64_t most) {
        auto edges = map_.read(exec());
        for (double& edge : edges)
          edge /= map_.bins();
        Drawing drawing{reach_of_rounding(box, CoordinateFormat::of_arguments<P>()), axis_map(edges, map_.axes()),
                        run.included(), seed};
        note_reach(drawing.reach, drawing.map, drawing.samples, 0x1p-33 / map_.bins());
        return audit_points<P>(threads_, values_, f, box, drawing, most,
                               draw_through(drawing.map, box.dimension(), most / 2, seed));
      });
    }
  }

  HostThreads<Space> threads_;
  Communicator ranks_;
  DeviceMap<Space> map_;
  Memory memory_;

private:
  std::string label_;
  AxisVariances<Space> variances_;
  SamplingMemory<Space> samples_;
  PointValues<Space> values_;
};

} // namespace kubature::detail
