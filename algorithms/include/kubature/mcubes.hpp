#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/schedule.hpp>
#include <kubature/detail/components/with_components.hpp>
#include <kubature/detail/iterations/launch_sampling.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/launch/at_dimension.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/total.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/sampling/scaling.hpp>
#include <kubature/detail/vegas/cube_points.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/detail/vegas/trained_map.hpp>
#include <kubature/driver.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace kubature {

/// m-Cubes: VEGAS importance sampling with equal samples in equal cubes (Sakiotis, Arumugam, Paterno, Ranjan,
/// Terzic and Zubair, "m-Cubes: an efficient and portable implementation of multi-dimensional integration", 2021).
/// The map is refined for some iterations and then frozen. Good for smooth or peaked integrands of 3 to 12 variables
/// whose peaks lie along the axes.
template <class P = Fp64>
struct MCubes {
  /// Samples per iteration, at least 2. Slightly fewer are used, as many as fill all cubes equally.
  std::uint64_t evaluations = 1'000'000;
  /// Maximum number of iterations.
  int iterations = 20;
  /// How many of these refine the map; the others sample a frozen map, which is faster.
  int adapt = 15;
  /// Iterations at the start that train a fresh map and stay out of the estimate. With a tolerance, in two variables
  /// and more, iterations count from the first on that meets a quarter of it by itself.
  int skip = 5;
  /// Intervals of the map per axis. A budget of fewer than 16 samples per interval uses fewer intervals.
  int bins = 500;
  /// Damping of the refinement, 0 (none) to about 2.
  double alpha = 1.5;
  /// Whether the number of strata along each axis is proportional to how much the integral over all other axes varies
  /// along it, as found before the first iteration that counts, instead of the same for all. It pays if few of many
  /// axes matter.
  bool restratify = false;
  /// One map for all axes, refined from the first: m-Cubes1D, for integrands that are symmetric in all variables.
  bool one_map = false;
  /// With several components: whether the errors of each pair are estimated together, as ratios and sums of them
  /// require.
  Covariance covariance = Covariance::diagonal;
  /// With several components: what trains the map.
  Driver driver = Driver::balanced;
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
};

template <class P>
struct Described<MCubes<P>> {
  using M = MCubes<P>;
  static constexpr std::string_view type = "MCubes", name = "mcubes";
  static constexpr Abilities serves{.batches = true, .several = true, .maps = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::map;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples per iteration",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"), false),
      option("adapt", &M::adapt, "Iterations that refine the map, and the strata",
             at_least(0, "the number of iterations must not be negative")),
      option("skip", &M::skip, "Iterations at the start that stay out of the estimate",
             at_least(0, "the number of iterations must not be negative")),
      option("bins", &M::bins, "Intervals of the map per axis",
             Range<int>{1, 1 << 20, "must be between 1 and 1048576"}),
      option("alpha", &M::alpha, "Damping of the map's refinement",
             at_least(0.0, "the damping exponent must be finite and not negative")),
      option("restratify", &M::restratify, detail::restratify_summary),
      option("one_map", &M::one_map, "One map for all axes"),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("driver", &M::driver, detail::driver_summary, AnyValue{}, false),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false)};
  static void check_combinations(M const& method, std::source_location where) {
    require(method.skip < method.iterations, "MCubes.skip", method.skip,
            "at least one of the " + std::to_string(method.iterations) + " iterations must be included", where);
  }
};

namespace detail {

template <class P, class Space>
class Solver<MCubes<P>, Space> : public TrainedMap<Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, MCubes<P> const& options)
      : Base(exec, ranks), options_(options) {}

  /// A later call of the same dimension starts from the map that the earlier ones trained.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    return with_components<P, D>(
        exec_, ranks_, options_, integrand, box, components_, where, [&](auto const& f, auto products) {
          return this->template solve_on_device<products>(f, box, tolerance, limits, callback, where);
        });
  }

private:
  /// Iterations that convergence requires: two samples in a cube may both miss a jump in it, several times in a row.
  static constexpr int least_iterations = 4;

  template <bool with_products, class G, int D>
  auto solve_on_device(G const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
                       std::source_location where) {
    using Eval = typename P::eval_type;
    using Value = ResultValue<G, Eval, D>;
    using Points = CubePoints<Space, P, D>;
    using Keep = KeepCubes<typename P::accumulate_type, ValueTraits<Value>::components, with_products>;
    using Sums = typename Keep::Sums;
    Kokkos::Profiling::ScopedRegion region("kubature::mcubes");

    int const used = used_components<Keep::components>(f);
    int const driver = driving_component(options_, used, where);
    constexpr bool at_run_time = summed_elsewhere<G>; // to the method they are one component, which drives
    ComponentWeights drive(at_run_time ? 0 : driver, at_run_time ? 1 : used);
    auto const components = [&f, own = &drive]() -> ComponentWeights& {
      if constexpr (at_run_time)
        return f.sums->drive();
      else
        return *own;
    };
    // Balances the components by what samples have found of each; returns by which factor what drives may grow.
    auto const balance = [&](Sums const& sums) {
      if constexpr (at_run_time)
        return components().learn(f.sums->magnitudes());
      else
        return drive.learn(sums.all_magnitudes());
    };
    auto run = estimates_for<Keep::components>(f, epsilon<P>, options_.one_map ? "mcubes-1d" : "mcubes", tolerance,
                                               limits, callback, where, ranks_);
    int const d = box.dimension(), axes = options_.one_map ? 1 : d;
    run.confirm(least_iterations);
    run.count_early(d);
    run.driven_by(driver);
    if constexpr (!at_run_time)
      Base::template audit<P>(run, f, box, options_.seed);
    auto budget = Base::budget(options_.evaluations, limits, options_.skip, options_.iterations);
    int bins = Base::bins(options_.bins, axes, Base::one_iteration(options_.evaluations, limits), where);
    bool const fresh = Base::fresh(axes, bins);
    if (fresh)
      Base::shape_.clear();
    Strata<D> strata(d, budget, Base::shape_);
    auto const largest_chunk = most_chunk_samples(f, d);
    Work work(exec_, ranks_, strata.cubes, strata.samples, largest_chunk);
    auto const bytes = static_cast<std::size_t>(work.chunks.count) * sizeof(Sums) + Map::bytes(exec_, axes, bins) +
                       Points::slow_scratch(exec_, d, axes, bins);
    if (!Base::fits(bytes, limits.bytes))
      run.give_up(Status::memory_exhausted);
    batches_.limit(limits.bytes - std::min(limits.bytes, bytes));

    int const skip = fresh ? options_.skip : 0;
    Scaling<typename P::accumulate_type> scaling(fresh ? 0 : map_.exponent());
    struct Drawn {
      Sums sums;
      Iteration<Value> iteration;
    };
    // Returns nothing if the call ended meanwhile.
    auto const sample = [&](Strata<D> const& cubes, Work const& cut, std::uint32_t record_every,
                            bool fill) -> std::optional<Drawn> {
      auto const partials = partials_.template as<Sums>(exec_, static_cast<std::size_t>(cut.chunks.count));
      for (;; map_.forget(exec_, scaling.exponent())) {
        Stream const stream(options_.seed, iteration_);
        bool all = false;
        at_dimension<Space, P, G, Keep::components, D>(d, [&]<int N>(std::integral_constant<int, N>) {
          Strata<N> const parts(cubes);
          using Source = CubePoints<Space, P, N>;
          Source const points{{Box<N>(box), map_, parts, stream, record_every, fill, scaling.factor()}, parts};
          SampleChunks<Space, Eval, G, Source, Keep> const kernel{
              f,          points,   {drive.template as<DriverWeights<Keep::components>>()},
              cut.chunks, partials, options_.non_finite};
          all = launch_sampling(exec_, ranks_, run, kernel, "kubature::mcubes::sample", &batches_);
        });
        if (!all) {
          map_.forget(exec_, scaling.exponent());
          return std::nullopt;
        }
        auto const sums = total_.join(exec_, "kubature::mcubes::join", partials, ranks_, cut.chunks);
        auto const iteration = sums.template estimate<Value>(cubes.cubes, static_cast<double>(cubes.samples) *
                                                                              static_cast<double>(cubes.samples - 1));
        if (scaling.adjust(iteration, sums.largest))
          continue;
        ++iteration_;
        return Drawn{sums, scaling.restored(iteration)};
      }
    };

    if (fresh && !run.ended())
      map_.reset(exec_, axes, bins);
    auto const first = std::exchange(iteration_, pilot_stream);
    auto const schedule =
        find_schedule(ranks_, run, budget, options_.iterations, [&](std::uint64_t n) -> std::uint64_t {
          iteration_ = pilot_stream;
          Strata<D> const few(d, n);
          auto const drawn = sample(few, Work(exec_, ranks_, few.cubes, few.samples, largest_chunk), 0, false);
          if (drawn)
            run.reserve(step_of(f, drawn->sums, drawn->iteration, scaling.exponent()), options_.non_finite);
          return drawn ? few.cubes * few.samples : 0;
        });
    iteration_ = first;
    if (run.counted() > 0) {
      limits.evaluations = run.evaluations_left();
      auto const left = Base::budget(schedule.samples, limits, options_.skip, schedule.iterations);
      if (left < budget && fresh) {
        bins = Base::bins(options_.bins, axes, left, where);
        map_.reset(exec_, axes, bins);
      }
      budget = left;
      strata = Strata<D>(d, budget, Base::shape_);
      work = Work(exec_, ranks_, strata.cubes, strata.samples, largest_chunk);
    }
    for (int i = 0; run.wants_more(schedule.iterations, strata.cubes * strata.samples); ++i) {
      bool const adapting = i < options_.adapt;
      if (adapting && i == 0) {
        Strata<D> const few(d, Base::few(budget));
        Work const little(exec_, ranks_, few.cubes, few.samples, largest_chunk);
        auto drawn = sample(few, little, 1, false);
        if (drawn && components().balanced()) {
          balance(drawn->sums);
          run.count(few.cubes * few.samples);
          drawn = sample(few, little, 1, false);
        }
        if (!drawn)
          break;
        run.count(few.cubes * few.samples);
        map_.set_scale(drawn->sums.largest);
      }
      if (Base::restratifies(options_, i, skip) && run.evaluations_left() / 2 > budget) {
        run.count(Base::template find_shape<P>(f, box, Stream(options_.seed, iteration_++), budget, scaling.factor(),
                                               components()));
        strata = Strata<D>(d, budget, Base::shape_);
        work = Work(exec_, ranks_, strata.cubes, strata.samples, largest_chunk);
      }
      auto drawn = sample(strata, work, adapting ? work.record_every : 0, true);
      if (!drawn)
        break;
      auto& [sums, iteration] = *drawn;
      if (adapting) {
        double const growth = balance(sums);
        map_.sum(exec_, ranks_);
        map_.refine(exec_, {options_.alpha}, growth * sums.largest);
      }
      iteration.included = i >= skip;
      run.add(
          step_of(f, sums, iteration, scaling.exponent(), adapting, driver == 0 ? scaling.restored(sums.largest) : 0),
          options_.non_finite);
    }
    return signed_by<Space>(result_for<G, Value>(run.finish()), options_.precision, options_.seed, ranks_);
  }

  using Base = TrainedMap<Space>;
  using Base::exec_, Base::map_, Base::ranks_;
  using Map = DeviceMap<Space>;

  /// How an iteration's cubes are divided into chunks, and which of their samples are recorded.
  struct Work {
    Partition chunks;
    std::uint32_t record_every;

    Work(Space const& exec, Communicator const& ranks, std::uint64_t cubes, std::uint64_t samples,
         std::uint64_t largest)
        : chunks(exec, ranks, cubes, samples, largest),
          record_every(record_period<Space>(cubes * samples, chunks.length * samples)) {}
  };

  MCubes<P> options_;
  std::uint32_t iteration_ = 0;
  Buffer<Space> partials_{"kubature::mcubes::partials"};
  Total<Space> total_{"kubature::mcubes::total"};
  Batches<Space> batches_{"kubature::mcubes::batches"};
  ComponentSums<Space> components_{"kubature::mcubes::components"};
};

} // namespace detail
} // namespace kubature
