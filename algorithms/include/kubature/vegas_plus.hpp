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
  using Base::memory_, Base::ranks_;

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
    return with_components<P, D>(this->exec(), ranks_, options_, integrand, box, this->samples().components,
                                 request.where, [&]<class G>(G const& f, auto products) {
                                   using Call = Course<G, D, products>;
                                   Call call(*this, f, box, request);
                                   call.go_on([](auto const&, std::uint64_t) { return false; });
                                   return result_for<G, typename Call::Value>(call.finish());
                                 });
  }

  /// One call: its engine, its estimates and its strategy. It may pause and then continue as if it had not.
  /// @tparam F the integrand in its form on the device
  template <class F, int D, bool products = false>
  class Course {
    using Engine = StratifiedIntegrand<Solver, Space, P, F, D, products>;
    static constexpr int components = Engine::Keep::components;

  public:
    using Value = typename Engine::Value;

    /// Integrand, box and request must stay valid.
    Course(Solver& solver, F const& f, Box<D> const& box, Request const& request)
        : solver_(solver), driver_(driving_component(solver.options_, used_components<components>(f), request.where)),
          run_(estimates_for<components>(f, epsilon<P>, "vegas+", request, solver.ranks_)),
          engine_(solver, solver.strata_, f, box, run_, solver.options_, driver_),
          strategy_(with_precision<Fp64>(solver.options_), solver.file_, engine_, solver.memory_, run_, solver.ranks_,
                    request,
                    {box.dimension(), driver_, engine_.layout(),
                     solver.file_.agreement(sides(box), components_in_words<components>(f), products, driver_)},
                    ValueScale::of<typename P::accumulate_type>()) {
      solver.template audit<P>(run_, f, box, solver.options_.seed);
    }
    Course(Course const&) = delete; // engine and audit refer to it

    /// See VegasStrategy.
    template <class Pause>
    bool go_on(Pause const& pause) {
      Kokkos::Profiling::ScopedRegion region("kubature::vegas_plus");
      return strategy_.go_on(pause);
    }
    /// Limits the call to this many evaluations, including those made so far.
    void limit(std::uint64_t evaluations) { run_.limit(evaluations); }
    /// The result of a call that has paused.
    SeveralResult so_far() { return sign(run_.so_far()); }
    /// The result of a call that has ended.
    SeveralResult finish() { return sign(run_.finish()); }

  private:
    SeveralResult sign(SeveralResult result) const {
      return signed_by<Space>(std::move(result), solver_.options_.precision, solver_.options_.seed, solver_.ranks_);
    }

    Solver& solver_;
    int driver_;
    Estimates run_;
    Engine engine_;
    VegasStrategy strategy_;
  };

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
