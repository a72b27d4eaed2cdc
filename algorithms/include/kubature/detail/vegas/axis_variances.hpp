#pragma once

#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/sample_in_batches.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/detail/vegas/cube_points.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/integrand.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kubature::detail {

/// The parts of an axis in which that integral is estimated.
inline constexpr int axis_parts = 5;

/// The parts of all axes that samples fall into, and their Jacobians, slot by slot.
template <class Space>
struct SamplesInParts {
  static constexpr bool kept = true;
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> jacobian; ///< 0 in slots without a sample
  Kokkos::View<std::uint8_t**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged> part;
  int bins; ///< of the map

  template <class Points>
  KOKKOS_FUNCTION void sample(std::uint64_t slot, Points const& drawn, int w, bool live) const {
    jacobian(slot) = live ? static_cast<double>(drawn.jacobian[w]) : 0;
    for (int i = 0; i < drawn.x[w].size(); ++i)
      part(slot, i) = static_cast<std::uint8_t>(std::int64_t{axis_parts} * drawn.interval[i][w] / bins);
  }
  KOKKOS_FUNCTION void close(std::uint64_t, PartOfStratum const&) const {}
};

/// Multiplies the Jacobian of a sample by what trains the map, for values given one by one.
/// @param share the weight of each component
template <class Share, class Value>
KOKKOS_FUNCTION void weigh(double& weight, int components, Share const& share, Value const& value) {
  double drive = 0;
  for (int c = 0; c < components; ++c)
    drive += share(c) > 0 ? share(c) * Kokkos::abs(value(c)) : 0;
  weight = weight != 0 && Kokkos::isfinite(drive) ? weight * drive : 0;
}

/// Does so for all samples of an integrand.
template <class Space, class Eval, class F, int D, class Drive>
struct WeighSamples {
  F f;
  StoredPoints<Space> points;
  Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged> weight;
  Drive drive;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    Point<Eval, D> x;
    x.set_size(static_cast<int>(points.extent(1)));
    for (int i = 0; i < x.size(); ++i)
      x[i] = static_cast<Eval>(points(k, i));
    auto const value = f(x);
    using Traits = ValueTraits<std::remove_const_t<decltype(value)>>;
    weigh(weight(k), Traits::components, drive, [&](int c) { return static_cast<double>(Traits::get(value, c)); });
  }
};

/// Sums of weights, and of their squares, in each part of an axis.
struct SumsInParts {
  double sum[axis_parts] = {}, squares[axis_parts] = {};

  KOKKOS_FUNCTION void join(SumsInParts const& other) {
    for (int k = 0; k < axis_parts; ++k) {
      sum[k] += other.sum[k];
      squares[k] += other.squares[k];
    }
  }
};

/// The variance along an axis of the integral over all other axes, in the coordinates that the map makes equally
/// likely, in `axis_parts` steps (vegas 6.4, restratify); less the variance from the samples' noise alone.
struct VarianceAlong {
  double variance = 0, noise = 0;

  VarianceAlong(SumsInParts const& sums, double samples);

  /// Whether it exceeds the noise.
  bool clear() const { return variance > 4 * noise; }
};

/// Determines from a few samples how strata are to be distributed among the axes.
template <class Space>
class AxisVariances {
public:
  /// The variance along each axis. Every rank draws the same samples.
  /// @param samples to draw; on return the number drawn
  /// @param drive   the components that train the map
  template <class P, class F, int D>
  std::vector<double> measure(Space const& exec, F const& f, Box<D> const& box, DeviceMap<Space> const& map,
                              Stream const& stream, std::uint64_t& samples, double factor,
                              ComponentWeights const& drive) {
    using Source = CubePoints<Space, P, D>;
    int const d = box.dimension();
    auto const row = sizeof(double) * (static_cast<std::size_t>(d) + 2 + static_cast<std::size_t>(values_of_point(f)));
    Strata<D> const cubes(d, std::min<std::uint64_t>(samples, most_bytes / row));
    samples = cubes.cubes * cubes.samples;
    Partition const chunks(exec, Communicator(), cubes.cubes, cubes.samples);
    Slots const slots{0, static_cast<std::uint64_t>(chunks.count) * Tuning<Space>::segments,
                      chunks.length * cubes.samples};
    auto const n = static_cast<std::size_t>(slots.segments * slots.steps), axes = static_cast<std::size_t>(d);
    double* const memory = memory_.template as<double>(exec, n * (axes + 1 + (axes + 7) / 8)).data();
    StoredPoints<Space> const points(memory, n, axes);
    SamplesInParts<Space> const kept{
        decltype(SamplesInParts<Space>::jacobian)(memory + n * axes, n),
        decltype(SamplesInParts<Space>::part)(reinterpret_cast<std::uint8_t*>(memory + n * (axes + 1)), n, axes),
        map.bins()};
    Source const source{{box, map, cubes, stream, 0, false, factor}, cubes};
    StorePoints<Space, Source, SamplesInParts<Space>>{source, chunks, points, slots, kept}.launch(exec);
    weigh_all<P, D>(exec, f, points, kept, drive);

    return along_axes(exec, kept, static_cast<double>(samples));
  }

  /// Whether the variance along any axis is clear.
  bool clear() const { return clear_; }

private:
  template <class P, int D, class F>
  void weigh_all(Space const& exec, F const& f, StoredPoints<Space> const& points, SamplesInParts<Space> const& kept,
                 ComponentWeights const& drive) {
    if constexpr (is_batched<F>) {
      auto const each = static_cast<std::size_t>(values_of_point(f));
      BatchValues<Space> const values(values_.template as<double>(exec, points.extent(0) * each).data(),
                                      points.extent(0), each);
      f.f(exec, BatchPoints<Space>(points), values);
      weigh_values(exec, values, kept, drive);
    } else {
      using Eval = typename P::eval_type;
      using Drive = DriverWeights<ValueTraits<ResultValue<F, Eval, D>>::components>;
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>> const policy(
          exec, 0, static_cast<std::int64_t>(points.extent(0)));
      Kokkos::parallel_for("kubature::vegas::weigh", as_argument(policy),
                           WeighSamples<Space, Eval, F, D, Drive>{f, points, kept.jacobian, drive.as<Drive>()});
    }
  }

  /// The same for values in memory.
  void weigh_values(Space const& exec, BatchValues<Space> const& values, SamplesInParts<Space> const& kept,
                    ComponentWeights const& drive);
  /// The variance along each axis, estimated from weighed samples.
  std::vector<double> along_axes(Space const& exec, SamplesInParts<Space> const& kept, double samples);

  /// Maximum number of bytes of points and values.
  static constexpr std::size_t most_bytes = std::size_t{1} << 26;

  bool clear_ = false;
  Buffer<Space> memory_{"kubature::vegas::axis_points"}, values_{"kubature::vegas::axis_values"},
      sums_{"kubature::vegas::axis_sums"}, drive_{"kubature::vegas::axis_drive"};
};

} // namespace kubature::detail
