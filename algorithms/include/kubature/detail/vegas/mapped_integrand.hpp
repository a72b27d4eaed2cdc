#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/iterations/launch_sampling.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/launch/at_dimension.hpp>
#include <kubature/detail/vegas/map_engine.hpp>
#include <kubature/detail/vegas/record_turn.hpp>
#include <kubature/detail/vegas/trained_map.hpp>
#include <kubature/integrand.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace kubature::detail {

/// The engine of one call, except for the launches: an integrand over a box, and the map of its samples.
/// @tparam Interface MapEngine, or an extension of it
/// @tparam Sums      of a draw
template <class Interface, class Trained, class Space, class P, class F, int D, class Keep>
class MappedIntegrand : public Interface {
public:
  using Value = ResultValue<F, typename P::eval_type, D>;
  using Sums = typename Keep::Sums;

  /// @param driver see driving_component()
  template <class Options>
  MappedIntegrand(Trained& trained, F const& f, Box<D> const& box, Estimates& run, Options const& options, int driver)
      : trained_(trained), exec_(trained.exec()), ranks_(trained.ranks()), map_(trained.device_map()), f_(f), box_(box),
        run_(run), seed_(options.seed), non_finite_(options.non_finite),
        drive_(at_run_time ? 0 : driver, at_run_time ? 1 : used_components<Keep::components>(f)) {}

  MapContents map() const override { return {map_.axes(), map_.bins(), map_.scale(), map_.exponent(), {}}; }
  void reset_map(int axes, int bins) override { map_.reset(exec_, axes, bins); }
  void set_scale(double largest) override { map_.set_scale(largest); }
  void forget(int exponent) override { map_.forget(exec_, exponent); }
  /// A thread refines an interval in 20 to 40 ns.
  void refine_map(Damping const& damping, double largest) override {
    map_.sum(exec_, ranks_);
    map_.refine(exec_for(4e-8 * map_.axes() * map_.bins()), damping, largest);
  }

  AxisShape measure_axes(Stream const& stream, std::uint64_t samples, double factor) override {
    auto& axes = trained_.variances();
    auto along = axes.template measure<P>(exec_, f_, box_, map_, stream, samples, factor, weights());
    return {std::move(along), axes.clear(), samples};
  }

  ComponentWeights& weights() override {
    if constexpr (at_run_time)
      return f_.sums->drive();
    else
      return drive_;
  }
  ComponentWeights const& driving() const override { return drive_; }

  std::size_t free_share() const override { return free_memory(exec_) / static_cast<unsigned>(sharers(exec_, ranks_)); }
  void limit_batches(std::size_t bytes) override { trained_.samples().batches.limit(bytes); }

protected:
  /// Components known at run time have sums of their own: the method sees only one, which drives.
  static constexpr bool at_run_time = summed_elsewhere<F>;

  /// Bytes for the map, and for the sums of this many chunks.
  template <class Points>
  std::size_t bytes_of(std::uint64_t chunks, int axes, int bins) const {
    return chunks * sizeof(Sums) + DeviceMap<Space>::bytes(exec_, axes, bins) +
           Points::slow_scratch(exec_, box_.dimension(), axes, bins);
  }
  /// The instance for work that takes one thread about this many seconds, after the last draw: if that was the work of
  /// one thread, its data stay in that thread's cache.
  Space const& exec_for(double seconds) const { return trained_.threads().for_work(by_one_thread_ ? 0 : seconds); }
  std::uint64_t largest_chunk() const { return most_chunk_samples(f_, box_.dimension()); }
  /// The weights of the components as kernels use them.
  auto driver_weights() const { return drive_.template as<DriverWeights<Keep::components>>(); }

  /// Samples all chunks. @returns the sums; nothing if the call has ended
  /// @param points points(box, strata, stream) makes the source of points in N variables
  template <class MakePoints>
  std::optional<Sums> launch(SamplingPlan const& plan, Partition const& chunks, Keep const& keep,
                             MakePoints const& points) {
    auto& memory = trained_.samples();
    auto const partials = memory.partials.template as<Sums>(exec_, static_cast<std::size_t>(chunks.count));
    bool all = false;
    Space const& exec = detail::exec_for<F>(trained_.threads(), chunks);
    by_one_thread_ = &exec != &exec_;
    at_dimension<Space, P, F, Keep::components, D>(box_.dimension(), [&]<int N>(std::integral_constant<int, N>) {
      auto const source = points(Box<N>(box_), Strata<N>(plan.strata), Stream(seed_, plan.stream));
      SampleChunks<Space, typename P::eval_type, F, std::remove_const_t<decltype(source)>, Keep> const kernel{
          f_, source, keep, chunks, partials, non_finite_};
      all = launch_sampling(exec, ranks_, run_, kernel, trained_.label() + "::sample", &memory.batches);
    });
    if (!all)
      return std::nullopt;
    return memory.total.join(exec_for(1e-7 * chunks.mine), trained_.label() + "::join", partials, ranks_, chunks);
  }

  Trained& trained_;
  Space const& exec_;
  Communicator const& ranks_;
  DeviceMap<Space>& map_;
  F const& f_;
  Box<D> const& box_;
  Estimates& run_;
  std::uint64_t seed_;
  NonFinite non_finite_;
  ComponentWeights drive_;
  bool by_one_thread_ = false; ///< the last draw
};

} // namespace kubature::detail
