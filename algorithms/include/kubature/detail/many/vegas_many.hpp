#pragma once

#include <kubature/backend.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/estimates.hpp>
#include <kubature/detail/call/solver.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/many/course.hpp>
#include <kubature/detail/many/sample_many.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/vegas/map_strategy.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/detail/vegas_plus/redistribution.hpp>
#include <kubature/detail/vegas_plus/shares.hpp>
#include <kubature/detail/vegas_plus/training.hpp>
#include <kubature/many_results.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <source_location>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The course of one call of integrate_many() by VEGAS+. Each integral has a map, strata and a Run of its own, and one
/// launch is an iteration of all that have not ended. As many integrals are worked on at once, a wave, as there is
/// memory for.
template <class Space, class F, class Parameters, int D>
class VegasMany {
  using Kernel = SampleMany<Space, F, Parameters, D,
                            ValueTraits<IntegrandValue<AtParameters<F, Parameters>, double, D>>::components>;
  using G = typename Kernel::G;
  using Value = ResultValue<G, double, D>;
  using Sums = typename Kernel::Sums;
  template <class T>
  using List = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

public:
  VegasMany(Space const& exec, VegasPlus<Fp64> const& method, F const& f, std::vector<Box<D>> const& boxes,
            std::vector<Parameters> const& parameters, ManyRows const& rows, Request const& request)
      : exec_(exec), method_(method), f_(f), boxes_(boxes), rows_(rows), request_(request),
        dimension_(boxes[0].dimension()), count_(rows.size), iterations_(method.iterations > 0       ? method.iterations
                                                                         : request.tolerance.asked() ? 200
                                                                                                     : 20),
        budget_(first_iteration(method.evaluations, share(), method.skip, iterations_)),
        bins_(bins_for(wanted_bins(method.bins, method.evaluations), one_iteration(method.evaluations, share()))),
        driver_(driving_component(method, Kernel::Keep::components, request.where)),
        strata_(dimension_, spread_evenly(part_by_weight(method.redistribute), budget_)) {
    require(method.skip < iterations_, "VegasPlus.skip", method.skip,
            "at least one of the " + std::to_string(iterations_) + " iterations must be included", request.where);
    list_ = parameters_.template as<Parameters>(exec, parameters.size());
    upload(exec, list_, parameters);
    exec.fence("kubature::many::upload");
    results_ = unknown_results<Value>(count_, Described<VegasPlus<>>::name, Space::name(), precision_name(fp64));
  }

  ManyResults<Value> compute(Callback const& callback) {
    auto const wave = this->wave();
    for (std::size_t first = 0; wave > 0 && first < count_;) {
      auto const size = std::min(wave, count_ - first);
      if (!compute(first, size, callback)) {
        for (std::size_t i = first + size; i < count_; ++i)
          results_.status[i] = stopped_ ? Status::stopped : Status::time_limit;
        break;
      }
      first += size;
    }
    results_.seconds = timer_.seconds();
    return std::move(results_);
  }

private:
  /// One integral of a wave.
  struct Integral {
    Estimates run;
    SamplingTask<D> task;
    ComponentWeights drive;
    double sum = 0; ///< of the strata's weights; 0: unknown
    bool ended = false;

    Integral(SamplingTask<D> const& own, int driver, int dimension, Request const& request)
        : run(epsilon<Fp64>, Described<VegasPlus<>>::name, Kernel::Keep::components, Kernel::Keep::components, request),
          task(own), drive(driver, Kernel::Keep::components) {
      run.count_early(dimension);
    }
  };

  /// The limits of each integral; time is kept for all together.
  Limits share() const {
    auto limits = request_.limits;
    limits.seconds = Limits{}.seconds;
    if (limits.evaluations < Limits{}.evaluations)
      limits.evaluations = std::max<std::uint64_t>(1, limits.evaluations / rows_.total);
    return limits;
  }

  bool weighted() const { return method_.beta > 0 && part_by_weight(method_.redistribute) > 0; }
  std::uint64_t blocks() const { return Partition::ceil(strata_.cubes, Allocation<Space>::block); }
  /// The chunks of an integral, in which every sample can be recorded.
  static Partition cut(std::uint64_t samples) {
    constexpr auto segments = std::uint64_t{Tuning<Space>::segments};
    Partition chunks;
    chunks.items = samples / 2;
    chunks.length = std::clamp<std::uint64_t>(Partition::ceil(chunks.items, segments), 1,
                                              FixedPoint::most_records / (2 * segments));
    chunks.count = chunks.mine = static_cast<int>(Partition::ceil(chunks.items, chunks.length * segments));
    return chunks;
  }
  std::uint64_t samples() const { return std::max(budget_, strata_.cubes * strata_.samples); }

  /// The number of integrals that there is memory for.
  std::size_t wave() const {
    auto const bytes = DeviceMap<Space>::bytes(exec_, dimension_, bins_) + 2 * strata_.cubes * sizeof(float) +
                       (blocks() + 1) * sizeof(std::uint64_t) + sizeof(SamplingTask<D>) +
                       static_cast<unsigned>(cut(samples()).count) * sizeof(Sums);
    auto const room = std::min({request_.limits.bytes, free_memory(exec_) / 2, most_bytes});
    auto const teams = std::size_t{1} << 22;
    return std::min({room / bytes, count_, teams / static_cast<unsigned>(cut(samples()).count)});
  }

  /// @returns false if time is up, or the callback has stopped the call
  bool compute(std::size_t first, std::size_t size, Callback const& callback) {
    begin(first, size);
    measure_scales();
    for (int i = 0;; ++i) {
      std::vector<std::uint32_t> open;
      for (std::size_t k = 0; k < size; ++k) {
        auto& integral = integrals_[k];
        if (!integral.ended && !integral.run.wants_more(iterations_, samples()))
          end(integral);
        if (!integral.ended)
          open.push_back(static_cast<std::uint32_t>(k));
      }
      done_ = first + size - open.size();
      stopped_ = callback && !callback(progress(results_, done_, timer_.seconds()));
      bool const over = timer_.seconds() >= request_.limits.seconds;
      if (stopped_ || over)
        for (auto const k : open) {
          end(integrals_[k]);
          results_.status[integrals_[k].task.number] = stopped_ ? Status::stopped : Status::time_limit;
        }
      if (stopped_ || over || open.empty())
        return !stopped_ && !over;
      iterate(open, i);
    }
  }

  /// Prepares maps, strata and tasks of the integrals from `first` on.
  void begin(std::size_t first, std::size_t size) {
    map_.reset(exec_, dimension_ * static_cast<int>(size), bins_);
    static Callback const none;
    integrals_.clear();
    for (std::size_t k = 0; k < size; ++k) {
      auto const number = first + k;
      auto const& box = boxes_[boxes_.size() > 1 ? number : 0];
      MappedPoints<Space, Fp64, D> const points(box, map_, strata_, Stream(0, 0), 0, false);
      SamplingTask<D> const task{points.transform,
                                 points.boxes,
                                 Stream(0, 0),
                                 std::numeric_limits<double>::infinity(),
                                 0,
                                 static_cast<std::uint32_t>(number),
                                 static_cast<std::uint32_t>(k)};
      integrals_.emplace_back(task, driver_, dimension_, request_.within(share()).reporting_to(none));
    }
    if (weighted()) {
      weights_.template as<float>(exec_, size * strata_.cubes);
      next_.template as<float>(exec_, size * strata_.cubes);
      sums_.template as<std::uint64_t>(exec_, size * (blocks() + 1));
    }
  }

  /// Determines from a few samples of each integral how large its weights are; from others before, in which shares its
  /// components drive.
  void measure_scales() {
    Strata<D> const few(dimension_, samples_for_scale(budget_));
    std::vector<std::uint32_t> all(integrals_.size());
    std::iota(all.begin(), all.end(), 0u);
    Allocation<Space> even;
    even.cubes = few.cubes;
    even.least = few.samples / 2;
    int const draws = integrals_[0].drive.balanced() ? 2 : 1;
    for (int left = draws; left > 0; --left) {
      auto const found = draw(all, few, even, 0, false, true);
      for (auto const k : all) {
        integrals_[k].run.count(found[k].count);
        set_scale(integrals_[k], found[k].largest);
        if (left > 1)
          integrals_[k].drive.learn(found[k].all_magnitudes());
      }
    }
  }
  static void set_scale(Integral& integral, double largest) {
    if (largest > 0)
      integral.task.scale = FixedPoint::target / largest;
  }

  /// Makes an iteration of the integrals that have not ended.
  void iterate(std::vector<std::uint32_t> const& open, int i) {
    bool const adapting = i < method_.adapt;
    auto const even = spread_evenly<Space>(strata_.cubes, strata_.samples, budget_);
    for (auto const k : open)
      integrals_[k].task.share_scale = share_of_weights(even, budget_, integrals_[k].sum);
    auto const found = draw(open, strata_, even, static_cast<std::uint32_t>(i) + 1, true, adapting);
    if (adapting) {
      map_.refine(exec_, damping(method_.alpha, method_.evaluations, dimension_, i), 0);
      if (weighted())
        std::swap(weights_, next_);
    }
    for (std::size_t n = 0; n < open.size(); ++n) {
      auto& integral = integrals_[open[n]];
      auto const& sums = found[n];
      if (adapting) {
        set_scale(integral, integral.drive.learn(sums.all_magnitudes()) * sums.largest);
        integral.sum = sums.weights;
      }
      auto iteration = sums.template estimate<Value>(strata_.cubes);
      iteration.included = i >= method_.skip;
      auto step = drawn_from(f_, sums, iteration, ValueScale(), {}).step;
      step.adaptive = adapting;
      step.largest = driver_ == 0 ? sums.largest : 0;
      integral.run.add(std::move(step), method_.non_finite);
    }
  }

  /// Draws the samples of these integrals, and adds up the sums of each.
  std::vector<Sums> draw(std::vector<std::uint32_t> const& which, Strata<D> const& strata,
                         Allocation<Space> const& even, std::uint32_t iteration, bool fill, bool adapting) {
    std::vector<SamplingTask<D>> tasks;
    for (auto const k : which) {
      auto& task = integrals_[k].task;
      task.stream = Stream(method_.seed + rows_.first + task.number, iteration);
      tasks.push_back(task);
    }
    auto const on_device = tasks_.template as<SamplingTask<D>>(exec_, tasks.size());
    upload(exec_, on_device, tasks);
    std::vector<double> drive;
    for (auto const& integral : integrals_)
      drive.insert(drive.end(), integral.drive.values().begin(), integral.drive.values().end());
    auto const drive_on_device = drive_.template as<double>(exec_, drive.size());
    upload(exec_, drive_on_device, drive);
    bool const shares = fill && weighted();
    auto const cubes = integrals_.size() * strata_.cubes;
    ManyStrata<Space> const memory{map_.edges().data(),
                                   map_.weights().data(),
                                   map_.counts().data(),
                                   shares ? weights_.template as<float>(exec_, cubes).data() : nullptr,
                                   shares && adapting ? next_.template as<float>(exec_, cubes).data() : nullptr,
                                   shares ? sums_.template as<std::uint64_t>(exec_, 1).data() : nullptr,
                                   drive_on_device.data(),
                                   strata_.cubes,
                                   blocks()};
    if (shares)
      SumShares<Space, D>{even, memory, on_device.data()}.launch(exec_, tasks.size());
    auto const chunks = cut(fill ? samples() : strata.cubes * strata.samples);
    auto const each = static_cast<std::size_t>(chunks.count);
    auto const partials = partials_.template as<Sums>(exec_, tasks.size() * each);
    using Source = typename Kernel::Source;
    Source source{{{boxes_[0], map_, strata, Stream(0, 0), adapting ? 1u : 0u, fill}, strata, even}};
    source.axes = dimension_;
    typename Kernel::Keep const keep{{}, static_cast<float>(method_.beta / 2), 0, {}};
    Kernel kernel{{G{}, source, keep, chunks, partials, method_.non_finite},
                  f_,
                  list_.data(),
                  list_.size() > 1 ? 1u : 0u,
                  on_device.data(),
                  memory};
    kernel.launch(exec_, tasks.size());
    std::vector<Sums> all(partials.size()), result(tasks.size());
    Kokkos::deep_copy(exec_, Kokkos::View<Sums*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(all.data(), all.size()),
                      partials);
    exec_.fence("kubature::many::read");
    for (std::size_t k = 0; k < all.size(); ++k)
      result[k / each].join(all[k]);
    return result;
  }

  void end(Integral& integral) {
    auto const result = integral.run.finish();
    auto const i = integral.task.number;
    results_.value[i] = to_value<Value>(result.value);
    results_.error[i] = to_value<Value>(result.error);
    results_.status[i] = result.status;
    results_.non_finite[i] = result.non_finite;
    results_.evaluations += result.evaluations;
    integral.ended = true;
  }

  /// Bytes of a wave that keep the device busy.
  static constexpr std::size_t most_bytes = std::size_t{1} << 31;

  Space exec_;
  DeviceMap<Space> map_;
  VegasPlus<Fp64> method_;
  F f_;
  std::vector<Box<D>> const& boxes_;
  ManyRows rows_;
  Request request_;
  int dimension_;
  std::size_t count_, done_ = 0;
  int iterations_;
  std::uint64_t budget_; ///< samples per iteration
  int bins_, driver_;
  Strata<D> strata_;
  bool stopped_ = false;
  Kokkos::Timer timer_;
  std::deque<Integral> integrals_; ///< of the wave
  Buffer<Space> parameters_{"kubature::many::parameters"}, tasks_{"kubature::many::tasks"},
      partials_{"kubature::many::partials"}, weights_{"kubature::many::weights"}, next_{"kubature::many::next"},
      sums_{"kubature::many::sums"}, drive_{"kubature::many::drive"};
  List<Parameters> list_;
  ManyResults<Value> results_;
};

} // namespace kubature::detail
