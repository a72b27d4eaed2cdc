#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/batches.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/epsilon.hpp>
#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/direction_numbers.hpp>
#include <kubature/detail/quasi_monte_carlo/doublings.hpp>
#include <kubature/detail/quasi_monte_carlo/fold.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/map_training.hpp>
#include <kubature/detail/quasi_monte_carlo/peak.hpp>
#include <kubature/detail/quasi_monte_carlo/qmc_points.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/quasi_monte_carlo/shifts.hpp>
#include <kubature/detail/sampling/launch.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/sampling/pilot.hpp>
#include <kubature/detail/sampling/products.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/detail/solver.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/qmc_choices.hpp>
#include <kubature/result.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature::detail {

/// What quasi-Monte Carlo keeps from call to call.
/// @tparam QmcOptions QuasiMonteCarlo<P>
template <class QmcOptions, class P, class Space>
struct QmcMemory {
  using Options = QmcOptions;
  using Precision = P;
  using ExecutionSpace = Space;

  Space exec;
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

/// Draws the points of one call, through the map and the rotation, or to the peak, that it holds, and sums the values.
/// @tparam Memory   a QmcMemory
/// @tparam F        the integrand in its form on the device
/// @tparam Sequence Lattice or Sobol
template <class Memory, class F, int D, class Sequence>
class QmcSampler {
protected:
  using P = typename Memory::Precision;
  using Space = typename Memory::ExecutionSpace;
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  using Sample = typename P::sample_type;
  using Value = ResultValue<F, Eval, D>;
  using Keep = KeepMoments<Acc, ValueTraits<Value>::components>;
  using Sums = typename Keep::Sums;

  QmcSampler(Memory& memory, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits,
             Callback const& callback, std::source_location where)
      : memory_(memory), options_(memory.options), f_(f), box_(box), bytes_(limits.bytes),
        evaluations_(std::min(options_.evaluations, limits.evaluations / 2)),
        transform_(box, CoordinateFormat::of_arguments<P>()), fold_(options_.transform),
        run_(epsilon<P>, 1 - transform_.inner(), options_.shifts, std::min(options_.evaluations, limits.evaluations),
             Sequence::longest, with_products<Keep::components>(options_, where, [](bool full) { return full; }),
             components(), tolerance, limits, callback, where, memory.ranks) {
    check_transform(options_.transform, box.dimension(), where);
  }

  /// Those that the integrand has.
  int components() const { return used_components<Keep::components>(f_); }

  void hold(PiecewiseCubic map) { map_ = memory_.map.hold(memory_.exec, std::move(map), box_.dimension()); }
  void hold(Peak const& peak) {
    straighten();
    peak_ = memory_.peak.hold(memory_.exec, peak);
  }
  /// Holds nothing.
  void straighten() {
    map_ = {};
    rotation_ = {};
    peak_ = {};
  }
  void hold(std::vector<double> rotation) { rotation_ = memory_.rotation.hold(memory_.exec, std::move(rotation)); }

  /// The sums of each shift over all 2^power points, or over those that are not among the first half. Empty if the
  /// call has ended.
  std::vector<Sums> draw(int power, bool all, Stream random) {
    ShiftPartition const cut(memory_.exec, memory_.ranks, options_.shifts,
                             std::uint64_t{1} << (all ? power : power - 1));
    if constexpr (std::is_same_v<Sequence, Lattice<D>>)
      return sample(Sequence(box_.dimension(), power, all, random), fold_, cut, options_.shifts);
    else
      return sample(Sequence(memory_.directions.hold(memory_.exec), power, all, random), fold_, cut, options_.shifts);
  }

  /// Leaves what is done before the first iteration, and this itself, no more than there is time for (see
  /// find_schedule).
  /// @returns the binary logarithm of the points of a shift that a map and a transform are to be chosen for
  int fit_in_time() {
    auto const shifts = static_cast<std::uint64_t>(options_.shifts);
    constexpr int as_long = 3; // as all iterations together the rest of a call may take
    auto const schedule =
        find_schedule(memory_.ranks, run_, evaluations_, as_long, [&](std::uint64_t n) -> std::uint64_t {
          int const power = static_cast<int>(std::bit_width(std::max<std::uint64_t>(1, n / shifts))) - 1;
          auto sums = draw(power, true, Stream(options_.seed, pilot_stream));
          while (!sums.empty() && scaling_.adjust(run_.estimate(sums)))
            sums = draw(power, true, Stream(options_.seed, pilot_stream));
          if (!sums.empty())
            run_.reserve(sums, scaling_, options_.non_finite);
          return sums.empty() ? 0 : shifts << power;
        });
    if (schedule.samples == evaluations_)
      return Sequence::longest;
    evaluations_ = schedule.samples;
    run_.begin_with(evaluations_);
    return static_cast<int>(std::bit_width(std::max<std::uint64_t>(1, evaluations_ / shifts))) - 1;
  }

  /// The sums of each of some shifts, of slabs, or of single points. Empty if the call has ended.
  template <class Of>
  std::vector<Sums> sample(Of const& sequence, Fold<Sample> const& fold, ShiftPartition const& cut, int totals) {
    if constexpr (!requires { Of::never_rotated; })
      if (rotation_.any())
        return sample<Placing::rotated>(sequence, fold, cut, totals);
    if constexpr (!requires { Of::never_in_peak; })
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

  /// Audits the points in the map that is held. The tail of weights is left alone where points are rotated.
  Audited audit(std::uint64_t most) {
    int const d = box_.dimension();
    auto const map = map_.any() ? memory_.map.on_host(d) : CoordinateMap<Kokkos::DefaultHostExecutionSpace>{};
    auto const peak = peak_.any() ? memory_.peak.on_host() : PeakMap<Kokkos::DefaultHostExecutionSpace>{};
    AxisMap const mapped = [&](int axis, double y, double& jacobian) { return map.any() ? map(axis, y, jacobian) : y; };
    // Poles are looked for along the axes of the box, whatever way points come there.
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
    return audit_points<P>(memory_.exec, memory_.values, f_, box_, drawing, most, std::move(drawn));
  }

private:
  template <class Of>
  static constexpr int lanes() {
    if constexpr (requires { Of::most_lanes; })
      return std::min(lanes_for<Space, F, Eval, D>, Of::most_lanes);
    else
      return lanes_for<Space, F, Eval, D>;
  }

  template <Placing placing, class Of>
  std::vector<Sums> sample(Of const& sequence, Fold<Sample> const& fold, ShiftPartition const& cut, int totals) {
    auto const& exec = memory_.exec;
    auto const count = static_cast<std::size_t>(cut.chunks.count);
    if (count * sizeof(Sums) > bytes_) {
      run_.end_for_memory();
      return {};
    }
    memory_.batches.limit(bytes_ - count * sizeof(Sums));
    auto const partials = memory_.partials.template as<Sums>(exec, count);
    using Points = QmcPoints<Space, P, D, lanes<Of>(), Of, placing>;
    Points const points{
        transform_, sequence,   fold,         rotation_,        peak_,
        map_,       cut.points, cut.segments, box_.dimension(), transform_.volume() * scaling_.factor()};
    SampleChunks<Space, Eval, F, Points, Keep> const kernel{f_, points, {}, cut.chunks, partials, options_.non_finite};
    if (!launch_sampling(exec, memory_.ranks, run_, kernel, "kubature::qmc::sample", &memory_.batches))
      return {};
    return memory_.total.join_each(exec, "kubature::qmc::join", partials, memory_.ranks, cut.chunks, totals);
  }

protected:
  Memory& memory_;
  typename Memory::Options const& options_;
  F f_;
  Box<D> const& box_;
  std::size_t bytes_;
  std::uint64_t
      evaluations_; ///< of which maps and trials take parts: those that are drawn in any case, or half a limit
  Transform<Sample, D> transform_;
  Fold<Sample> fold_;
  CoordinateMap<Space> map_;
  Rotation<Space> rotation_;
  PeakMap<Space> peak_;
  Scaling<Acc> scaling_;
  Doublings<Value, Sums> run_;
};

} // namespace kubature::detail
