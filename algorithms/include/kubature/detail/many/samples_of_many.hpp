#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/many/sample_many.hpp>
#include <kubature/detail/many/vegas_many.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas_plus/shares.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace kubature::detail {

/// The engine of one call of integrate_many() by VEGAS+.
template <class Space, class F, class Parameters, int D>
class SamplesOfMany final : public ManySamplesEngine {
public:
  static constexpr int components = ValueTraits<IntegrandValue<AtParameters<F, Parameters>, double, D>>::components;

private:
  using Kernel = SampleMany<Space, F, Parameters, D, components>;
  using G = typename Kernel::G;
  using Sums = typename Kernel::Sums;
  template <class T>
  using List = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

public:
  using Value = ResultValue<G, double, D>;

  /// @param first number of the first integral among those of all ranks
  SamplesOfMany(Space const& exec, VegasPlus<Fp64> const& method, F const& f, std::vector<Box<D>> const& boxes,
                std::vector<Parameters> const& parameters, std::uint64_t first)
      : exec_(exec), method_(method), f_(f), boxes_(boxes), first_(first), dimension_(boxes[0].dimension()) {
    list_ = parameters_.template as<Parameters>(exec, parameters.size());
    upload(exec, list_, parameters);
    exec.fence("kubature::many::upload");
  }

  std::size_t room(Strata<dynamic> const& strata, std::uint64_t samples, int bins, std::size_t most) const override {
    auto const chunks = static_cast<unsigned>(cut(samples).count);
    auto const bytes = DeviceMap<Space>::bytes(exec_, dimension_, bins) + 2 * strata.cubes * sizeof(float) +
                       (blocks(strata) + 1) * sizeof(std::uint64_t) + sizeof(SamplingTask<D>) + chunks * sizeof(Sums);
    return std::min(std::min({most, free_memory(exec_) / 2, most_bytes}) / bytes, most_teams / chunks);
  }

  void begin(std::size_t first, std::size_t size, Strata<dynamic> const& strata, int bins, bool weighted) override {
    map_.reset(exec_, dimension_ * static_cast<int>(size), bins);
    strata_ = strata;
    tasks_of_wave_.clear();
    for (std::size_t k = 0; k < size; ++k) {
      auto const number = first + k;
      auto const& box = boxes_[boxes_.size() > 1 ? number : 0];
      MappedPoints<Space, Fp64, D> const points(box, map_, Strata<D>(strata), Stream(0, 0), 0, false);
      tasks_of_wave_.push_back({points.transform, points.boxes, Stream(0, 0), std::numeric_limits<double>::infinity(),
                                0, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(k)});
    }
    if (weighted) {
      weights_.template as<float>(exec_, size * strata.cubes);
      next_.template as<float>(exec_, size * strata.cubes);
      sums_.template as<std::uint64_t>(exec_, size * (blocks(strata) + 1));
    }
  }

  std::vector<Drawn> draw(ManyPlan const& plan) override {
    auto const even = spread_evenly<Space>(plan.strata.cubes, plan.strata.samples, plan.samples);
    auto const tasks = upload_tasks(plan, even);
    auto const drive = drive_.template as<double>(exec_, plan.drive.size());
    upload(exec_, drive, plan.drive);
    auto const cubes = tasks_of_wave_.size() * strata_.cubes;
    ManyStrata<Space> const memory{map_.edges().data(),
                                   map_.weights().data(),
                                   map_.counts().data(),
                                   plan.weighted ? weights_.template as<float>(exec_, cubes).data() : nullptr,
                                   plan.weighted && plan.adapting ? next_.template as<float>(exec_, cubes).data()
                                                                  : nullptr,
                                   plan.weighted ? sums_.template as<std::uint64_t>(exec_, 1).data() : nullptr,
                                   drive.data(),
                                   strata_.cubes,
                                   blocks(strata_)};
    if (plan.weighted)
      SumShares<Space, D>{even, memory, tasks.data()}.launch(exec_, tasks.size());
    auto const chunks = cut(plan.samples);
    auto const partials = partials_.template as<Sums>(exec_, tasks.size() * static_cast<std::size_t>(chunks.count));
    Strata<D> const strata(plan.strata);
    typename Kernel::Source source{
        {{boxes_[0], map_, strata, Stream(0, 0), plan.adapting ? 1u : 0u, plan.estimates}, strata, even}};
    source.axes = dimension_;
    typename Kernel::Keep const keep{{}, static_cast<float>(method_.beta / 2), 0, {}};
    Kernel kernel{{G{}, source, keep, chunks, partials, method_.non_finite},
                  f_,
                  list_.data(),
                  list_.size() > 1 ? 1u : 0u,
                  tasks.data(),
                  memory};
    kernel.launch(exec_, tasks.size());
    return read(partials, tasks.size(), plan.strata.cubes);
  }

  void adapt(Damping const& damping, bool weighted) override {
    map_.refine(exec_, damping, 0);
    if (weighted)
      std::swap(weights_, next_);
  }

private:
  /// Maximum memory of a wave, enough to keep the device busy, and its maximum number of teams.
  static constexpr std::size_t most_bytes = std::size_t{1} << 31, most_teams = std::size_t{1} << 22;

  static std::uint64_t blocks(Strata<dynamic> const& strata) { return Partition::ceil(strata.cubes, cubes_per_block); }
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

  List<SamplingTask<D>> upload_tasks(ManyPlan const& plan, Allocation<Space> const& even) {
    auto& tasks = tasks_of_draw_; // which the device may still read when this returns
    tasks.clear();
    for (auto const& own : plan.tasks) {
      auto& task = tasks.emplace_back(tasks_of_wave_[own.slot]);
      task.scale = own.scale;
      task.share_scale = share_of_weights(even, plan.samples, plan.weighted ? own.weights : 0);
      task.stream = Stream(method_.seed + first_ + task.number, plan.iteration);
    }
    auto const on_device = tasks_.template as<SamplingTask<D>>(exec_, tasks.size());
    upload(exec_, on_device, tasks);
    return on_device;
  }

  /// The sums of each task, from those of its chunks.
  std::vector<Drawn> read(List<Sums> const& partials, std::size_t tasks, std::uint64_t cubes) const {
    std::vector<Sums> all(partials.size()), joined(tasks);
    Kokkos::deep_copy(exec_, Kokkos::View<Sums*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(all.data(), all.size()),
                      partials);
    exec_.fence("kubature::many::read");
    for (std::size_t k = 0; k < all.size(); ++k)
      joined[k * tasks / all.size()].join(all[k]);
    std::vector<Drawn> drawn;
    for (auto const& sums : joined)
      drawn.push_back(drawn_from(f_, sums, sums.template estimate<Value>(cubes), ValueScale(), {}));
    return drawn;
  }

  Space exec_;
  DeviceMap<Space> map_;
  VegasPlus<Fp64> method_;
  F f_;
  std::vector<Box<D>> const& boxes_;
  std::uint64_t first_;
  int dimension_;
  Strata<dynamic> strata_;
  std::vector<SamplingTask<D>> tasks_of_wave_, tasks_of_draw_;
  Buffer<Space> parameters_{"kubature::many::parameters"}, tasks_{"kubature::many::tasks"},
      partials_{"kubature::many::partials"}, weights_{"kubature::many::weights"}, next_{"kubature::many::next"},
      sums_{"kubature::many::sums"}, drive_{"kubature::many::drive"};
  List<Parameters> list_;
};

} // namespace kubature::detail
