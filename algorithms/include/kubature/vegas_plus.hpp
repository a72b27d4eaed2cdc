#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/components/with_components.hpp>
#include <kubature/detail/vegas_plus/stratified_integrand.hpp>
#include <kubature/detail/vegas_plus/vegas_strategy.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <locale>
#include <sstream>
#include <string>

namespace kubature::detail {

template <class P, class Space>
class Solver<VegasPlus<P>, Space> : public TrainedMap<Space, VegasMemory> {
  using Base = TrainedMap<Space, VegasMemory>;
  using Base::exec_, Base::memory_, Base::ranks_;

public:
  Solver(Space const& exec, Communicator const& ranks, VegasPlus<P> const& options)
      : Base(exec, ranks, "kubature::vegas_plus", VegasMemory(with_precision<Fp64>(options))), options_(options),
        file_(with_precision<Fp64>(options), precision_name(options.precision), ranks), strata_(ranks) {}

  /// See TrainedMap. Strata are reset.
  void use(VegasMap const& map) {
    Base::use(map);
    memory_.forget_strata();
    strata_.reset();
  }

  /// A later call of the same dimension starts from the map and the strata that the earlier ones trained.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    Kokkos::Profiling::ScopedRegion region("kubature::vegas_plus");
    return with_components<P, D>(
        exec_, ranks_, options_, integrand, box, this->samples().components, request.where,
        [&]<class G>(G const& f, auto products) {
          using Sampled = StratifiedIntegrand<Solver, Space, P, G, D, products>;
          constexpr int components = Sampled::Keep::components;
          int const driver = driving_component(options_, used_components<components>(f), request.where);
          auto run = estimates_for<components>(f, epsilon<P>, "vegas+", request, ranks_);
          this->template audit<P>(run, f, box, options_.seed);
          Sampled engine(*this, strata_, f, box, run, options_, driver);
          auto const agreement = file_.agreement(sides(box), components_in_words<components>(f), products, driver);
          auto const options = with_precision<Fp64>(options_);
          VegasStrategy(options, file_, engine, memory_, run, ranks_, request,
                        {box.dimension(), driver, engine.layout(), agreement},
                        ValueScale::of<typename P::accumulate_type>())
              .run();
          return signed_by<Space>(result_for<G, typename Sampled::Value>(run.finish()), options_.precision,
                                  options_.seed, ranks_);
        });
  }

private:
  /// With the policy `adaptive`, calls in fp32 and in fp64 share a checkpoint.
  friend class Adapted<VegasPlus, Space>;
  CheckpointFile& checkpoint_file() { return file_; }

  /// The sides of a box as written to a checkpoint.
  template <int D>
  static std::string sides(Box<D> const& box) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(17);
    for (int i = 0; i < box.dimension(); ++i)
      text << ' ' << box[i].lower << ':' << box[i].upper;
    return text.str();
  }

  VegasPlus<P> options_;
  CheckpointFile file_;
  Stratification<Space> strata_;
};

} // namespace kubature::detail
