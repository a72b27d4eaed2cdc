#pragma once

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/vegas/mapped_integrand.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/detail/vegas_plus/stratum_points.hpp>
#include <kubature/detail/vegas_plus/vegas_strategy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace kubature::detail {

/// The engine of one call of VEGAS+.
template <class Trained, class Space, class P, class F, int D, bool with_products>
class StratifiedIntegrand final
    : public MappedIntegrand<
          VegasEngine, Trained, Space, P, F, D,
          KeepStrata<Space, typename P::accumulate_type,
                     ValueTraits<ResultValue<F, typename P::eval_type, D>>::components, with_products>> {
  using Integrand =
      MappedIntegrand<VegasEngine, Trained, Space, P, F, D,
                      KeepStrata<Space, typename P::accumulate_type,
                                 ValueTraits<ResultValue<F, typename P::eval_type, D>>::components, with_products>>;
  using Integrand::exec_, Integrand::f_, Integrand::map_, Integrand::ranks_, Integrand::box_;

public:
  using typename Integrand::Value;
  using Keep = KeepStrata<Space, typename P::accumulate_type, ValueTraits<Value>::components, with_products>;

  StratifiedIntegrand(Trained& trained, Stratification<Space>& strata, F const& f, Box<D> const& box, Estimates& run,
                      VegasPlus<P> const& options, int driver)
      : Integrand(trained, f, box, run, options, driver), strata_(strata), beta_(options.beta) {}

  /// The layout of the iterations' estimates.
  StepLayout layout() const {
    if constexpr (Integrand::at_run_time)
      return {f_.sums->components(), f_.sums->full(), true};
    else
      return {Keep::components, with_products, false};
  }

  std::size_t bytes(std::uint64_t samples, Strata<dynamic> const&, int axes, int bins) const override {
    return this->template bytes_of<StratumPoints<Space, P, D>>(Partition::most<Space>(samples / 2, 2), axes, bins);
  }

  void cut(Strata<dynamic> const& strata) override {
    strata_.cut(exec_for_cubes(strata.cubes), box_.dimension(), strata.counts);
  }
  void allocate(Strata<dynamic> const& strata, std::uint64_t samples, bool anew) override {
    chunks_ = chunks_for(std::max(samples, strata.all()));
    if (anew)
      allocation_ = strata_.allocate(exec_for_cubes(strata.cubes / 4), strata.samples, samples, chunks_);
  }
  void accept_weights(double sum) override { strata_.accept(sum); }
  void forget_weights() override { strata_.reset(); }
  double sum_of_weights() const override { return strata_.sum(); }
  double sum_of_powers(double power, double factor) override { return strata_.sum_of_powers(exec_, power, factor); }
  std::size_t bytes_of_weights() const override { return strata_.size(); }

  void begin_trial() override { aside_.emplace(std::exchange(strata_, Stratification<Space>(ranks_))); }
  void exchange() override { std::swap(*aside_, strata_); }
  void end_trial() override { aside_.reset(); }

  MapContents read_map() override {
    auto contents = this->map();
    contents.edges = map_.read(exec_);
    return contents;
  }
  void restore(MapContents const& map) override {
    map_.write(exec_, map.axes, map.bins, map.edges);
    map_.restore_scale(map.scale, map.exponent);
  }
  StrataContents read_strata() override {
    double const sum = strata_.sum();
    return {strata_.dimension(), strata_.counts(), sum, sum > 0 ? strata_.weights(exec_) : std::vector<float>{}};
  }
  void restore(StrataContents const& strata) override {
    strata_.restore(exec_, strata.dimension, strata.counts, strata.sum, strata.weights);
  }

  std::optional<Drawn> draw(SamplingPlan const& plan, ValueScale const& scale) override {
    auto const& strata = plan.strata;
    auto allocation = allocation_;
    auto chunks = chunks_;
    if (plan.even) {
      allocation = {};
      allocation.cubes = strata.cubes;
      allocation.least = strata.samples / 2;
      chunks = chunks_for(strata.all());
    }
    auto const record_every = plan.trains ? record_period<Space>(2 * chunks.items, 2 * chunks.length) : 0;
    Keep const keep{plan.weighs ? strata_.next(exec_) : typename Stratification<Space>::Weights{},
                    static_cast<float>(beta_ / 2), map_.scale() / FixedPoint::target, this->driver_weights()};
    auto const sums =
        this->launch(plan, chunks, keep, [&]<int N>(Box<N> const& box, Strata<N> const& cubes, Stream const& stream) {
          return StratumPoints<Space, P, N>{
              {box, map_, cubes, stream, record_every, plan.purpose == Purpose::estimate, scale.factor()},
              cubes,
              allocation,
              plan.purpose == Purpose::estimate ? 1 / (scale.factor() * static_cast<double>(strata.cubes)) : 0};
        });
    if (!sums)
      return std::nullopt;
    return drawn_from(f_, *sums, sums->template estimate<Value>(strata.cubes), scale, plan);
  }

private:
  /// The instance for kernels over the strata: new ones inherit weights in 8 ns each, shares add up in 2.
  Space const& exec_for_cubes(std::uint64_t cubes) const { return this->exec_for(8e-9 * static_cast<double>(cubes)); }

  Partition chunks_for(std::uint64_t samples) const {
    return Partition(exec_, ranks_, samples / 2, 2, this->largest_chunk());
  }

  Stratification<Space>& strata_;
  std::optional<Stratification<Space>> aside_; ///< during a trial
  double beta_;
  Partition chunks_;
  Allocation<Space> allocation_;
};

} // namespace kubature::detail
