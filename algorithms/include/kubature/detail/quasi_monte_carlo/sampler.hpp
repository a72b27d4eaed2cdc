#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/iterations/launch_sampling.hpp>
#include <kubature/detail/launch/total.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/differences.hpp>
#include <kubature/detail/quasi_monte_carlo/direction_numbers.hpp>
#include <kubature/detail/quasi_monte_carlo/fold.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/map_training.hpp>
#include <kubature/detail/quasi_monte_carlo/peak.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_engine.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_points.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/quasi_monte_carlo/shift_estimates.hpp>
#include <kubature/detail/quasi_monte_carlo/shifts.hpp>
#include <kubature/detail/quasi_monte_carlo/slabs.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/sampling/products.hpp>
#include <kubature/detail/sampling/scaling.hpp>
#include <kubature/qmc_choices.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Quasi-Monte Carlo's memory, kept from call to call.
/// @tparam QmcOptions QuasiMonteCarlo<P>
template <class QmcOptions, class P, class Space>
struct QmcMemory {
  using Options = QmcOptions;
  using Precision = P;
  using ExecutionSpace = Space;

  HostThreads<Space> threads;
  Communicator ranks;
  Options options;
  MapTraining<P, Space> training;
  std::uint32_t call = 0; ///< its number
  CoordinateMapMemory<Space> map = {};
  RotationMemory<Space> rotation = {};
  PeakMemory<Space> peak = {};
  DirectionNumbers<Space> directions = {};
  Buffer<Space> partials{"kubature::qmc::partials"};
  Total<Space> total{"kubature::qmc::total"};
  Batches<Space> batches{"kubature::qmc::batches"};
  PointValues<Space> values = {};
};

/// The engine of one call: draws its points, through the map and the rotation, or in the peak, that it holds, and sums
/// the values.
/// @tparam Memory   a QmcMemory
/// @tparam F        the integrand in its form on the device
/// @tparam Sequence Lattice or Sobol
template <class Memory, class F, int D, class Sequence>
class QmcSampler : public QmcEngine {
  using P = typename Memory::Precision;
  using Space = typename Memory::ExecutionSpace;
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  using Sample = typename P::sample_type;
  using Value = ResultValue<F, Eval, D>;
  using Keep = KeepMoments<Acc, ValueTraits<Value>::components>;
  using Sums = typename Keep::Sums;

public:
  static constexpr bool lattice = std::is_same_v<Sequence, Lattice<D>>;
  static constexpr int kernel_components = Keep::components;

  /// @param estimates of the call, which a draw may end
  QmcSampler(Memory& memory, F const& f, Box<D> const& box, ShiftEstimates& estimates, Request const& request)
      : QmcEngine(ValueScale::of<Acc>()), memory_(memory), options_(memory.options), f_(f), box_(box), run_(estimates),
        bytes_(request.limits.bytes), callback_(request.callback), where_(request.where),
        transform_(box, CoordinateFormat::of<typename P::sample_type>()), fold_(options_.transform) {}

  void transform(QmcTransform transform) override { fold_ = Fold<Sample>(transform); }
  void hold(PiecewiseCubic map) override { map_ = memory_.map.hold(exec(), std::move(map), box_.dimension()); }
  void hold(std::vector<double> rotation) override { rotation_ = memory_.rotation.hold(exec(), std::move(rotation)); }
  void hold(Peak const& peak) override { peak_ = memory_.peak.hold(exec(), peak); }
  void drop_map() override { map_ = {}; }
  void drop_rotation() override { rotation_ = {}; }
  void drop_peak() override { peak_ = {}; }

  ShiftSums draw(int power, bool all, Stream random) override {
    int const shifts = options_.shifts;
    ShiftPartition const cut(exec(), memory_.ranks, shifts, std::uint64_t{1} << (all ? power : power - 1));
    if constexpr (lattice)
      return sample(Sequence(box_.dimension(), power, all, random), fold_, cut, shifts);
    else
      return sample(Sequence(memory_.directions.hold(exec(), box_.dimension()), power, all, random), fold_, cut,
                    shifts);
  }
  ShiftSums draw_slabs(int octaves, int power, std::uint64_t round, Stream random) override {
    int const d = box_.dimension(), slabs = Slabs<D>::count(d, octaves);
    return sample(Slabs<D>(d, octaves, power, round, random), Fold<Sample>(QmcTransform::tent),
                  partition(slabs, std::uint64_t{1} << power), slabs);
  }
  ShiftSums draw_differences([[maybe_unused]] int power, [[maybe_unused]] Stream random) override {
    if constexpr (many_variables<D>)
      return {};
    else
      return each(Differences<D>(box_.dimension(), power, epsilon<P>, random),
                  Differences<D>::count(box_.dimension(), power));
  }
  ShiftSums draw_single([[maybe_unused]] int power, [[maybe_unused]] std::uint64_t shift,
                        [[maybe_unused]] Stream random) override {
    if constexpr (many_variables<D>)
      return {};
    else
      return each(SinglePoints<D>(box_.dimension(), power, shift, random), 1 << power);
  }
  std::vector<double> single_points(int power, std::uint64_t shift, Stream random) const override {
    return points_of(SinglePoints<D>(box_.dimension(), power, shift, random), 1 << power);
  }
  bool fits(int groups, std::uint64_t points_of_each) const override {
    auto const chunks = static_cast<std::size_t>(partition(groups, points_of_each).chunks.count);
    return chunks * sizeof(Sums) <= std::min(bytes_, most_bytes);
  }
  std::vector<double> train(std::uint64_t evaluations) override {
    return memory_.training.train(f_, box_, evaluations, run_, callback_, where_);
  }

  /// Points at which the integrand is not finite, out of this many.
  std::vector<double> not_finite(std::uint64_t count) {
    return where_not_finite<P>(memory_.threads, memory_.values, f_, box_, count);
  }
  /// Audits the points in the map that is held. The tail of weights is not examined if points are rotated.
  Audited audit(std::uint64_t most) {
    int const d = box_.dimension();
    auto const map = map_.any() ? memory_.map.on_host(d) : CoordinateMap<Kokkos::DefaultHostExecutionSpace>{};
    auto const peak = peak_.any() ? memory_.peak.on_host() : PeakMap<Kokkos::DefaultHostExecutionSpace>{};
    AxisMap const mapped = [&](int axis, double y, double& jacobian) { return map.any() ? map(axis, y, jacobian) : y; };
    // Poles are searched for along the axes of the box, however points are placed there.
    bool const straight = !rotation_.any() && !peak.any();
    Drawing drawing{reach_of_rounding(box_, CoordinateFormat::of_arguments<P>()),
                    straight ? mapped : [](int, double y, double&) { return y; }, run_.points(), options_.seed};
    if (straight)
      note_reach(drawing.reach, mapped, drawing.samples, 0);
    auto drawn = draw_through(mapped, d, rotation_.any() ? 0 : most / 2, options_.seed);
    for (std::size_t k = 0; peak.any() && k < drawn.factor.size(); ++k) {
      double* const t = drawn.t.data() + k * static_cast<std::size_t>(d);
      Point<double, D> x;
      x.set_size(d);
      std::copy_n(t, d, &x[0]);
      peak(x, drawn.factor[k]);
      std::copy_n(&x[0], d, t);
    }
    return audit_points<P>(memory_.threads, memory_.values, f_, box_, drawing, most, std::move(drawn));
  }

private:
  /// The sums of each of some shifts, of slabs, or of single points. Empty if the call has ended.
  template <class Of>
  ShiftSums sample(Of const& sequence, Fold<Sample> const& fold, ShiftPartition const& cut, int totals) {
    // Searches for rotations and peaks are for few variables.
    if constexpr (!requires { Of::never_rotated; } && !many_variables<D>)
      if (rotation_.any())
        return sample<Placing::rotated>(sequence, fold, cut, totals);
    if constexpr (!requires { Of::never_in_peak; } && !many_variables<D>)
      if (peak_.any())
        return sample<Placing::in_peak>(sequence, fold, cut, totals);
    return sample<Placing::straight>(sequence, fold, cut, totals);
  }

  /// The points of a sequence in the unit cube, each of them the first of its row, not folded.
  template <class Of>
  std::vector<double> points_of(Of const& sequence, int count) const {
    int const d = box_.dimension();
    Fold<double> const fold(QmcTransform::none);
    auto const map = map_.any() ? memory_.map.on_host(d) : CoordinateMap<Kokkos::DefaultHostExecutionSpace>{};
    auto const peak = peak_.any() ? memory_.peak.on_host() : PeakMap<Kokkos::DefaultHostExecutionSpace>{};
    std::vector<double> result;
    for (int k = 0; k < count; ++k) {
      typename Of::template Lanes<1> at;
      std::uint64_t const begin[1] = {0};
      sequence.start(static_cast<std::uint64_t>(k), begin, d, at);
      Point<double, D> x;
      x.set_size(d);
      double jacobian = 1;
      for (int i = 0; i < d; ++i) {
        double const t = fold(one_and<double>(Of::position(at, i, 0)), jacobian);
        x[i] = map.any() ? map(i, t, jacobian) : t;
      }
      if (peak.any())
        peak(x, jacobian);
      for (int i = 0; i < d; ++i)
        result.push_back(x[i]);
    }
    return result;
  }

  template <class Of>
  static constexpr int lanes() {
    if constexpr (requires { Of::most_lanes; })
      return std::min(lanes_for<Space, F, Eval, D>, Of::most_lanes);
    else
      return lanes_for<Space, F, Eval, D>;
  }

  template <Placing placing, class Of>
  ShiftSums sample(Of const& sequence, Fold<Sample> const& fold, ShiftPartition const& cut, int totals) {
    auto const& exec = exec_for<F>(memory_.threads, cut.chunks);
    auto const count = static_cast<std::size_t>(cut.chunks.count);
    if (count * sizeof(Sums) > bytes_) {
      run_.end_for_memory();
      return {};
    }
    memory_.batches.limit(bytes_ - count * sizeof(Sums));
    auto const partials = memory_.partials.template as<Sums>(exec, count);
    using Points = QmcPoints<Space, P, D, lanes<Of>(), Of, placing>;
    Points const points{transform_, sequence,   fold,         rotation_,        peak_,
                        map_,       cut.points, cut.segments, box_.dimension(), transform_.volume() * scale().factor()};
    SampleChunks<Space, Eval, F, Points, Keep> const kernel{f_, points, {}, cut.chunks, partials, options_.non_finite};
    if (!launch_sampling(exec, memory_.ranks, run_, kernel, "kubature::qmc::sample", &memory_.batches))
      return {};
    return ShiftSums::of<Keep::components>(
        memory_.total.join_each(exec, "kubature::qmc::join", partials, memory_.ranks, cut.chunks, totals));
  }

  ShiftPartition partition(int groups, std::uint64_t points_of_each) const {
    return ShiftPartition(exec(), memory_.ranks, groups, points_of_each);
  }
  /// The value of each of some points.
  template <class Of>
  ShiftSums each(Of const& points, int count) {
    return sample(points, Fold<Sample>(QmcTransform::none), partition(count, 1), count);
  }

  static constexpr std::size_t most_bytes = std::size_t{1} << 26; ///< for the sums of slabs or single points

  Space const& exec() const { return memory_.threads.all(); }

  Memory& memory_;
  typename Memory::Options const& options_;
  F f_;
  Box<D> const& box_;
  ShiftEstimates& run_;
  std::size_t bytes_;
  Callback const& callback_;
  std::source_location where_;
  Transform<Sample, D> transform_;
  Fold<Sample> fold_;
  CoordinateMap<Space> map_;
  Rotation<Space> rotation_;
  PeakMap<Space> peak_;
};

} // namespace kubature::detail
