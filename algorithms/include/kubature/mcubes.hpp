#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/components/with_components.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/mcubes/mcubes_strategy.hpp>
#include <kubature/detail/vegas/cube_points.hpp>
#include <kubature/detail/vegas/mapped_integrand.hpp>
#include <kubature/integrator.hpp>
#include <kubature/mcubes_options.hpp>
#include <kubature/precision.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace kubature::detail {

template <class P, class Space>
class Solver<MCubes<P>, Space> : public TrainedMap<Space> {
  using Base = TrainedMap<Space>;
  using Base::memory_, Base::ranks_;

public:
  Solver(Space const& exec, Communicator const& ranks, MCubes<P> const& options)
      : Base(exec, ranks, "kubature::mcubes"), options_(options) {}

  /// A later call of the same dimension starts from the map that the earlier ones trained.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    Kokkos::Profiling::ScopedRegion region("kubature::mcubes");
    return with_components<P, D>(this->exec(), ranks_, options_, integrand, box, this->samples().components,
                                 request.where, [&]<class G>(G const& f, auto products) {
                                   using Sampled = Engine<G, D, products>;
                                   constexpr int components = Sampled::Keep::components;
                                   int const driver =
                                       driving_component(options_, used_components<components>(f), request.where);
                                   auto run = estimates_for<components>(
                                       f, epsilon<P>, options_.one_map ? "mcubes-1d" : "mcubes", request, ranks_);
                                   this->template audit<P>(run, f, box, options_.seed);
                                   Sampled engine(*this, f, box, run, options_, driver);
                                   auto const options = with_precision<Fp64>(options_);
                                   McubesStrategy(options, engine, memory_, run, ranks_, request, box.dimension(),
                                                  driver, ValueScale::of<typename P::accumulate_type>())
                                       .run();
                                   return signed_by<Space>(result_for<G, typename Sampled::Value>(run.finish()),
                                                           options_.precision, options_.seed, ranks_);
                                 });
  }

private:
  template <class F, int D, bool with_products>
  using KeepFor = KeepCubes<typename P::accumulate_type,
                            ValueTraits<ResultValue<F, typename P::eval_type, D>>::components, with_products>;

  template <class F, int D, bool with_products>
  class Engine final : public MappedIntegrand<MapEngine, Solver, Space, P, F, D, KeepFor<F, D, with_products>> {
    using Integrand = MappedIntegrand<MapEngine, Solver, Space, P, F, D, KeepFor<F, D, with_products>>;
    using Integrand::exec_, Integrand::f_, Integrand::map_, Integrand::ranks_;

  public:
    using Keep = KeepFor<F, D, with_products>;
    using Integrand::Integrand;
    using typename Integrand::Value;

    std::size_t bytes(std::uint64_t, Strata<dynamic> const& strata, int axes, int bins) const override {
      return this->template bytes_of<CubePoints<Space, P, D>>(static_cast<std::uint64_t>(cut(strata).count), axes,
                                                              bins);
    }

    std::optional<Drawn> draw(SamplingPlan const& plan, ValueScale const& scale) override {
      auto const& strata = plan.strata;
      auto const chunks = cut(strata);
      bool const estimates = plan.purpose == Purpose::estimate;
      auto const record_every = !plan.trains ? 0
                                : estimates  ? record_period<Space>(strata.all(), chunks.length * strata.samples)
                                             : 1;
      auto const sums = this->launch(plan, chunks, Keep{this->driver_weights()},
                                     [&]<int N>(Box<N> const& box, Strata<N> const& cubes, Stream const& stream) {
                                       return CubePoints<Space, P, N>{
                                           {box, map_, cubes, stream, record_every, estimates, scale.factor()}, cubes};
                                     });
      if (!sums)
        return std::nullopt;
      auto const n = static_cast<double>(strata.samples);
      return drawn_from(f_, *sums, sums->template estimate<Value>(strata.cubes, n * (n - 1)), scale, plan);
    }

  private:
    Partition cut(Strata<dynamic> const& strata) const {
      return Partition(exec_, ranks_, strata.cubes, strata.samples, this->largest_chunk());
    }
  };

  MCubes<P> options_;
};

} // namespace kubature::detail
