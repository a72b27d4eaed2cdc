#pragma once

#include <kubature/box.hpp>
#include <kubature/checkpoint.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/run.hpp>
#include <kubature/detail/sampling/launch.hpp>
#include <kubature/detail/sampling/partition.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/detail/vegas/trained_map.hpp>
#include <kubature/detail/vegas_plus/checkpoint_file.hpp>
#include <kubature/detail/vegas_plus/growth.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/detail/vegas_plus/stratum_points.hpp>
#include <kubature/detail/vegas_plus/transfer.hpp>
#include <kubature/driver.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace kubature {

/// VEGAS+: VEGAS importance sampling with adaptive stratification, more samples in the cubes where the integrand varies
/// more (Lepage, "Adaptive multidimensional integration: VEGAS enhanced", 2021; on GPUs Tolio et al., "cuVegas", 2024).
/// The first choice among the Monte Carlo methods: it adapts to peaks along the axes by its map, and to others, such
/// as ridges along a diagonal, by its strata.
template <class P = Fp64>
struct VegasPlus {
  /// Samples per iteration, at least 2, taken in pairs; up to 4096 times as many where a tolerance needs them.
  std::uint64_t evaluations = 1'000'000;
  /// Iterations at most; 0: 20, and with a tolerance as many as it needs, up to 200.
  int iterations = 0;
  /// Of these, how many adapt map and strata; the others sample with both frozen, and count by their samples alone.
  int adapt = std::numeric_limits<int>::max();
  /// Iterations at the start that train a fresh map and stay out of the estimate.
  int skip = 5;
  /// Intervals of the map per axis, fewer for less than 16 samples each; 0: 500, and from 5e7 samples on 1000.
  int bins = 0;
  /// Damping of the map's refinement, 0 (none) to about 2.
  double alpha = 0.75;
  /// Damping of the strata: samples are allocated by sigma^beta, 0 (all cubes alike) to 1 (best if sigma were known).
  double beta = 0.75;
  /// The part of the samples that is allocated by sigma^beta; the others are spread evenly. Below 1.
  double redistribute = 0.75;
  /// One map for all axes, refined from the first: for integrands that are the same in all variables.
  bool one_map = false;
  /// Of several components: whether the errors of each two are estimated together, which ratios and sums of them need.
  Covariance covariance = Covariance::diagonal;
  /// Of several components: which one trains the map and the strata.
  Driver driver = Driver::first;
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Checkpoint checkpoint = {};              ///< where its state is kept, if anywhere
};

template <class P>
struct Described<VegasPlus<P>> {
  using M = VegasPlus<P>;
  static constexpr std::string_view type = "VegasPlus", name = "vegas+";
  static constexpr bool distributed = true;
  static constexpr double single_bias = detail::SingleBias::map;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples an iteration, and more where a tolerance needs them",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Iterations at most; 0: 20, and up to 200 for a tolerance",
             at_least(0, "a number is not negative"), false),
      option("adapt", &M::adapt, "Iterations that refine the map, and the strata",
             at_least(0, "a number of iterations is not negative")),
      option("skip", &M::skip, "Iterations at the start that stay out of the estimate",
             at_least(0, "a number of iterations is not negative")),
      option("bins", &M::bins, "Intervals of the map an axis; 0: 500, and 1000 from 5e7 samples on",
             Range<int>{0, 1 << 20, "0 to 1048576 are possible"}),
      option("alpha", &M::alpha, "Damping of the map's refinement",
             at_least(0.0, "the damping exponent is a finite number, zero or above")),
      option("beta", &M::beta, "Damping of the strata, 0 (samples are spread evenly) to 1",
             at_least(0.0, "the damping exponent is a finite number, zero or above")),
      option("redistribute", &M::redistribute,
             "Part of the samples that goes to the strata that vary most, 0 to below 1",
             Range<double>{0, 0x1.fffffffffffffp-1, "a part from 0 to below 1 is needed"}),
      option("one_map", &M::one_map, "One map for all axes"),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("driver", &M::driver, detail::driver_summary, AnyValue{}, false),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "What is done with values that are not finite", AnyValue{}, false),
      option("checkpoint", &M::checkpoint, "Where the state is kept", AnyValue{}, false)};
  static void check_together(M const& method, std::source_location where) {
    require(method.checkpoint.seconds >= 0, "VegasPlus.checkpoint.seconds", method.checkpoint.seconds,
            "a time is not negative", where);
  }
};

namespace detail {

template <class P, class Space>
class Solver<VegasPlus<P>, Space> : public TrainedMap<Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, VegasPlus<P> const& options)
      : Base(exec, ranks), options_(options), file_(options, ranks), strata_(ranks) {}

  /// A later call of the same dimension starts from the map and the strata that the earlier ones trained.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<P, D, true>(exec_, integrand, box.dimension(), where);
    using G = std::remove_const_t<decltype(f)>;
    constexpr int components = ValueTraits<ResultValue<G, typename P::eval_type, D>>::components;
    Kokkos::Profiling::ScopedRegion region("kubature::vegas_plus");
    return with_products<components>(options_, where, [&](auto products) {
      Course<G, D, products> course(*this, f, box, tolerance, limits, callback, where);
      course.begin();
      while (course.wants_more() && course.iterate())
        course.save_now_and_then();
      return signed_by<Space>(course.finish(), options_.precision, options_.seed, ranks_);
    });
  }

  /// See TrainedMap. What was known of the strata is forgotten.
  void use(VegasMap const& map) {
    Base::use(map);
    strata_.reset();
  }

private:
  /// With the policy `adaptive` calls in fp32 and in fp64 share a checkpoint.
  friend class Adapted<VegasPlus, Space>;
  CheckpointFile<P>& checkpoint_file() { return file_; }

  using Base = TrainedMap<Space>;
  using Base::exec_, Base::map_, Base::ranks_;
  static constexpr int most_iterations = 200;

  /// One call: its iterations, and what they need of the integrand and the box.
  template <class F, int D, bool with_products>
  class Course {
    using Eval = typename P::eval_type;
    using Acc = typename P::accumulate_type;
    using Value = ResultValue<F, Eval, D>;
    using Run = detail::Run<Value>;
    using Points = StratumPoints<Space, P, D>;
    using Keep = KeepStrata<Space, Acc, Run::components, with_products>;
    using Sums = typename Keep::Sums;

  public:
    Course(Solver& solver, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
           std::source_location where)
        : solver_(solver), options_(solver.options_), map_(solver.map_), strata_(solver.strata_), exec_(solver.exec_),
          ranks_(solver.ranks_), f_(f), box_(box), limits_(limits), where_(where),
          run_(epsilon<P>, "vegas+", tolerance, limits, callback, where, ranks_, used_components<Keep::components>(f)),
          budget_(Base::budget(options_.evaluations, limits)), axes_(options_.one_map ? 1 : box.dimension()),
          bins_(solver.bins(wanted_bins(options_.bins, options_.evaluations), axes_, budget_, where)),
          iterations_(options_.iterations > 0 ? options_.iterations
                      : tolerance.asked()     ? most_iterations
                                              : 20),
          evaluations_(budget_), driver_(driving_component(options_, used_components<Keep::components>(f), where)),
          fresh_(solver.fresh(axes_, bins_)),
          agreement_(solver.file_.agreement(box, Run::components, with_products, driver_)) {
      require(!fresh_ || options_.skip < iterations_, "VegasPlus.skip", options_.skip,
              "at least one of the " + std::to_string(iterations_) + " iterations has to be included", where);
    }

    /// From the checkpoint, from what earlier calls trained, or afresh.
    void begin() {
      bool const resumed = solver_.file_.load(
          agreement_, where_, [&](Archive& archive, std::string const& other) { resume(archive, other); });
      if (!resumed && fresh_) {
        map_.reset(exec_, axes_, bins_);
        strata_.reset();
      }
      scaling_ = Scaling<Acc>(map_.exponent());
      if (!solver_.fits(fixed_bytes(), limits_.bytes))
        run_.give_up(Status::memory_exhausted);
      solver_.batches_.limit(limits_.bytes - std::min(limits_.bytes, fixed_bytes()));
    }

    bool wants_more() { return run_.wants_more(iterations_, evaluations_); }

    /// @returns false where the call has ended meanwhile: the iteration stays out of it
    bool iterate() {
      auto const i = static_cast<int>(run_.steps().size());
      bool const adapting = i < options_.adapt;
      auto const stream = solver_.stream_;
      auto const counted = run_.counted();
      if (adapting && i == 0 && !measure_scale())
        return false;
      auto const strata = allocate(adapting);
      auto drawn = draw(strata, allocation_, chunks_, true, adapting);
      if (!drawn) { // a call that goes on from here measures the scale again
        solver_.stream_ = stream;
        run_.count(counted - run_.counted()); // unsigned, so this takes them back
        return false;
      }
      if (adapting)
        adapt(drawn->sums);
      drawn->iteration.included = !fresh_ || i >= options_.skip;
      run_.add({drawn->iteration, adapting, drawn->sums.non_finite,
                driver_ == 0 ? scaling_.restored(drawn->sums.largest) : 0},
               options_.non_finite);
      evaluations_ = grown(run_, evaluations_, options_.evaluations);
      return true;
    }

    void save_now_and_then() {
      if (!solver_.file_.wanted() || run_.ended() || !ranks_.any(since_saved_.seconds() >= options_.checkpoint.seconds))
        return;
      save();
      since_saved_.reset();
    }

    /// Leaves what a later call needs to go on, and nothing where there is nothing left to do.
    Result<Value> finish() {
      Status const status = run_.status();
      if (status == Status::converged || status == Status::completed)
        solver_.file_.forget();
      else if (status != Status::non_finite && status != Status::memory_exhausted && solver_.file_.wanted())
        save();
      return run_.finish();
    }

  private:
    struct Drawn {
      Sums sums;
      Iteration<Value> iteration;
    };

    void save() {
      solver_.file_.save(agreement_, where_, [&](Archive& archive) { transfer(archive, true); });
    }

    /// @param other precision of the iterations in the checkpoint, where it is not that of the call
    void resume(Archive& archive, std::string const& other) {
      transfer(archive, other.empty());
      if (!other.empty())
        run_.remark("the checkpoint's iterations in " + other +
                    " trained map and strata, and stay out of the estimate");
    }

    /// Everything that the iterations to come depend on, in one order for both ways (docs/files.md).
    /// @param estimates whether those of the file count, or have only trained map and strata
    void transfer(Archive& archive, bool estimates) {
      std::uint64_t counted = run_.counted();
      archive.transfer(evaluations_);
      archive.transfer(fresh_);
      archive.transfer(solver_.stream_);
      archive.transfer(counted);
      // At most what iterations grow to, and no more in all than can be counted.
      archive.expect(evaluations_ >= 2 &&
                         static_cast<double>(evaluations_) <= most_growth * static_cast<double>(options_.evaluations),
                     "the size of an iteration is none of this call");
      auto steps = run_.steps();
      detail::transfer(archive, steps, counted, with_products);
      detail::transfer(archive, exec_, map_, axes_);
      detail::transfer(archive, exec_, strata_, box_.dimension());
      archive.finish();
      if (!archive.loading())
        return;
      run_.count(counted);
      if (estimates)
        return run_.resume(steps);
      fresh_ = false;
      for (auto const& step : steps)
        run_.count(step.iteration.evaluations);
    }

    /// Bytes of the device that a call cannot do without.
    std::size_t fixed_bytes() const {
      return Partition::template most<Space>(evaluations_ / 2, 2) * sizeof(Sums) +
             DeviceMap<Space>::bytes(exec_, axes_, bins_) + Points::slow_scratch(exec_, box_.dimension(), axes_, bins_);
    }

    Partition cut(std::uint64_t samples) const { return Partition(exec_, ranks_, samples / 2, 2); }

    /// A few samples tell how large the weights are.
    bool measure_scale() {
      Strata<D> const few(box_.dimension(), Base::few(budget_));
      Allocation<Space> even;
      even.cubes = few.cubes;
      even.least = few.samples / 2;
      auto const drawn = draw(few, even, cut(few.cubes * few.samples), false, true);
      if (!drawn)
        return false;
      run_.count(drawn->sums.count);
      map_.set_scale(drawn->sums.largest);
      return true;
    }

    /// Strata for the next iteration, and the allocation of its samples to them where the last one does not serve
    /// again.
    Strata<D> allocate(bool adapting) {
      auto const room = limits_.bytes - std::min(limits_.bytes, fixed_bytes());
      auto const strata = solver_.template stratify<D>(run_, box_.dimension(), evaluations_, room, adapting);
      strata_.cut(exec_, box_.dimension(), counts_of<Space>(strata));
      chunks_ = cut(std::max(evaluations_, strata.cubes * strata.samples));
      if (allocated_ != evaluations_) {
        allocation_ = strata_.allocate(exec_, strata.samples, evaluations_, chunks_);
        allocated_ = evaluations_;
      }
      return strata;
    }

    /// Draws the samples of all strata. Nothing where the call ended meanwhile.
    /// @param fill whether the samples refine map and strata, or only the largest of them is looked for
    std::optional<Drawn> draw(Strata<D> const& strata, Allocation<Space> const& allocation, Partition const& chunks,
                              bool fill, bool adapting) {
      auto const partials = solver_.partials_.template as<Sums>(exec_, static_cast<std::size_t>(chunks.count));
      auto const weights =
          adapting && fill && solver_.weighted() ? strata_.next(exec_) : typename Stratification<Space>::Weights{};
      auto const record_every = adapting ? record_period<Space>(2 * chunks.items, 2 * chunks.length) : 0;
      for (;; map_.forget(exec_, scaling_.exponent())) {
        Stream const stream(options_.seed, solver_.stream_);
        Points const points{{box_, map_, strata, stream, record_every, fill, scaling_.factor()}, strata, allocation};
        Keep const keep{weights, static_cast<float>(options_.beta / 2), map_.scale() / FixedPoint::target, driver_};
        SampleChunks<Space, Eval, F, Points, Keep> const kernel{f_,     points,   keep,
                                                                chunks, partials, options_.non_finite};
        if (!launch_sampling(exec_, ranks_, run_, kernel, "kubature::vegas_plus::sample", &solver_.batches_)) {
          map_.forget(exec_, scaling_.exponent());
          return std::nullopt;
        }
        auto const sums = solver_.total_.join(exec_, "kubature::vegas_plus::join", partials, ranks_, chunks);
        auto const iteration = sums.template estimate<Value>(strata.cubes);
        if (scaling_.adjust(iteration, sums.largest))
          continue;
        ++solver_.stream_;
        return Drawn{sums, scaling_.restored(iteration)};
      }
    }

    /// Map and strata as the iteration says.
    void adapt(Sums const& sums) {
      map_.sum(exec_, ranks_);
      map_.refine(exec_, options_.alpha, sums.largest);
      if (solver_.weighted())
        strata_.accept(sums.weights);
      allocated_ = 0;
    }

    Solver& solver_;
    VegasPlus<P> const& options_;
    DeviceMap<Space>& map_;
    Stratification<Space>& strata_;
    Space const& exec_;
    Communicator const& ranks_;
    F const& f_;
    Box<D> const& box_;
    Limits limits_;
    std::source_location where_;
    Run run_;
    std::uint64_t budget_; ///< samples of the first iteration
    int axes_, bins_, iterations_;
    std::uint64_t evaluations_; ///< of the next iteration
    int driver_;                ///< the component that trains map and strata; -1: all
    bool fresh_;                ///< whether the call began with an untrained map
    std::string agreement_;     ///< what a checkpoint has to agree with
    Scaling<Acc> scaling_;
    Partition chunks_;
    Allocation<Space> allocation_;
    std::uint64_t allocated_ = 0; ///< evaluations that the allocation is for, 0 where it has to be made
    Kokkos::Timer since_saved_;
  };

  /// Whether cubes have weights.
  bool weighted() const { return options_.beta > 0 && options_.redistribute > 0; }

  /// The cubes for an iteration: as many as the evaluations ask for, or fewer where memory is short.
  template <int D, class Run>
  Strata<D> stratify(Run& run, int d, std::uint64_t evaluations, std::size_t bytes, bool adapting) {
    auto const evenly = std::max<std::uint64_t>(
        2, static_cast<std::uint64_t>((1 - options_.redistribute) * static_cast<double>(evaluations)));
    Strata<D> strata(d, evenly);
    auto const needed = [&] { return weighted() ? Stratification<Space>::bytes(strata.cubes) : 0; };
    if (!adapting && strata_.sum() == 0)
      return strata;
    if (needed() > Base::small && needed() > granted_)
      bytes = std::min(bytes, ranks_.least(Base::free_share() / 10 * 9 + strata_.size()));
    if (needed() > bytes && strata.cubes > 1) {
      strata = strata_within<Space, D>(d, evenly, bytes);
      run.remark("memory was short: fewer strata than the evaluations ask for");
    }
    granted_ = std::max(granted_, needed());
    return strata;
  }

  VegasPlus<P> options_;
  CheckpointFile<P> file_;
  std::uint32_t stream_ = 0; ///< of random numbers
  std::size_t granted_ = 0;  ///< bytes of strata that memory was found to have room for
  Stratification<Space> strata_;
  Buffer<Space> partials_{"kubature::vegas_plus::partials"};
  Total<Space> total_{"kubature::vegas_plus::total"};
  Batches<Space> batches_{"kubature::vegas_plus::batches"};
};

} // namespace detail
} // namespace kubature
