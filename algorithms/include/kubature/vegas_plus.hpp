#pragma once

#include <kubature/box.hpp>
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
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/detail/vegas_plus/adaptive_strata.hpp>
#include <kubature/detail/vegas_plus/checkpoint_file.hpp>
#include <kubature/detail/vegas_plus/growth.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/detail/vegas_plus/stratum_points.hpp>
#include <kubature/detail/vegas_plus/training.hpp>
#include <kubature/detail/vegas_plus/transfer.hpp>
#include <kubature/detail/vegas_plus/trial.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>
#include <kubature/vegas_plus_options.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature {

namespace detail {

template <class P, class Space>
class Solver<VegasPlus<P>, Space> : public AdaptiveStrata<Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, VegasPlus<P> const& options)
      : Base(exec, ranks, options), options_(options), file_(options, ranks) {}

  /// A later call of the same dimension starts from the map and the strata that the earlier ones trained.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    Kokkos::Profiling::ScopedRegion region("kubature::vegas_plus");
    return with_components<P, D>(exec_, ranks_, options_, integrand, box, components_, where,
                                 [&]<class G>(G const& f, auto products) {
                                   Course<G, D, products> course(*this, f, box, tolerance, limits, callback, where);
                                   course.begin();
                                   while (course.wants_more() && course.iterate())
                                     course.save_now_and_then();
                                   return signed_by<Space>(course.finish(), options_.precision, options_.seed, ranks_);
                                 });
  }

private:
  /// With the policy `adaptive`, calls in fp32 and in fp64 share a checkpoint.
  friend class Adapted<VegasPlus, Space>;
  CheckpointFile<P>& checkpoint_file() { return file_; }

  using Base = AdaptiveStrata<Space>;
  using Base::exec_, Base::map_, Base::ranks_;
  static constexpr int most_iterations = 200;
  static constexpr std::uint32_t trial_streams = 0x80000000; ///< of random numbers: where those of trials begin

  /// One call: its iterations, and what they need to know of the integrand and the box.
  template <class F, int D, bool with_products>
  class Course {
    using Eval = typename P::eval_type;
    using Acc = typename P::accumulate_type;
    using Value = ResultValue<F, Eval, D>;
    using Points = StratumPoints<Space, P, D>;
    using Keep = KeepStrata<Space, Acc, ValueTraits<Value>::components, with_products>;
    using Sums = typename Keep::Sums;
    /// Components known at run time have sums of their own: to the method they are one, which drives.
    static constexpr bool at_run_time = summed_elsewhere<F>;

  public:
    Course(Solver& solver, F const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
           std::source_location where)
        : solver_(solver), options_(solver.options_), map_(solver.map_), strata_(solver.strata_), exec_(solver.exec_),
          ranks_(solver.ranks_), f_(f), box_(box), limits_(limits), where_(where),
          run_(estimates_for<Keep::components>(f, epsilon<P>, "vegas+", tolerance, limits, callback, where, ranks_)),
          iterations_(options_.iterations > 0 ? options_.iterations
                      : tolerance.asked()     ? most_iterations
                                              : 20),
          budget_(Base::budget(options_.evaluations, limits, options_.skip, iterations_)),
          axes_(options_.one_map ? 1 : box.dimension()),
          bins_(solver.bins(wanted_bins(options_.bins, options_.evaluations), axes_,
                            Base::one_iteration(options_.evaluations, limits), where)),
          evaluations_(budget_), asked_(tolerance.asked()),
          driver_(driving_component(options_, used_components<Keep::components>(f), where)),
          drive_(at_run_time ? 0 : driver_, at_run_time ? 1 : used_components<Keep::components>(f)),
          fresh_(solver.fresh(axes_, bins_)),
          agreement_(solver.file_.agreement(box, components_in_words<Keep::components>(f), with_products, driver_)) {
      require(!fresh_ || options_.skip < iterations_, "VegasPlus.skip", options_.skip,
              "at least one of the " + std::to_string(iterations_) + " iterations must be included", where);
      run_.count_early(box.dimension());
      run_.driven_by(driver_);
      if (solver.file_.wanted())
        run_.keep_correlations();
      if constexpr (!at_run_time)
        solver.template audit<P>(run_, f, box, options_.seed);
    }

    /// Starts from the checkpoint, from what earlier calls trained, or afresh.
    void begin() {
      bool const resumed = solver_.file_.load(
          agreement_, where_, [&](Archive& archive, std::string const& other) { resume(archive, other); });
      if (!resumed && fresh_) {
        solver_.shape_.clear();
        map_.reset(exec_, axes_, bins_);
        solver_.forget_strata();
      }
      scaling_ = Scaling<Acc>(map_.exponent());
      if (!solver_.fits(fixed_bytes(), limits_.bytes))
        run_.give_up(Status::memory_exhausted);
      solver_.batches_.limit(limits_.bytes - std::min(limits_.bytes, fixed_bytes()));
      if (!resumed)
        fit_in_time();
    }

    bool wants_more() { return run_.wants_more(iterations_, evaluations_); }

    /// @returns false if the call has ended meanwhile: the iteration stays out of it
    bool iterate() {
      auto const i = static_cast<int>(run_.steps().size());
      bool const adapting = i < options_.adapt;
      auto const stream = solver_.stream_;
      auto const counted = run_.counted();
      if (adapting && i == 0 && !measure_scale())
        return false;
      if (solver_.restratifies(options_, i, fresh_ ? options_.skip : 0) && run_.evaluations_left() / 2 > evaluations_) {
        run_.count(find_shape(budget_));
        allocated_ = 0;
      }
      auto const strata = allocate(adapting);
      auto drawn = draw(strata, allocation_, chunks_, Purpose::estimate, adapting);
      if (!drawn || (adapting && !try_others(strata, *drawn))) {
        solver_.stream_ = stream;             // a call that resumes from here measures the scale again
        run_.count(counted - run_.counted()); // unsigned, so this takes them back
        return false;
      }
      if (adapting)
        adapt(strata, *drawn, fresh_ ? i : -1);
      if (others_)
        others_->exchange(solver_.shape_, strata_);
      others_.reset();
      drawn->iteration.included = !fresh_ || i >= options_.skip;
      run_.add(step_of(f_, drawn->sums, drawn->iteration, scaling_.exponent(), adapting,
                       driver_ == 0 ? scaling_.restored(drawn->sums.largest) : 0),
               options_.non_finite);
      evaluations_ = grown(run_, evaluations_, options_.evaluations);
      if (adapting && solver_.redistribution_.outgrown(evaluations_))
        solver_.redistribution_.restart();
      return true;
    }

    void save_now_and_then() {
      if (!solver_.file_.wanted() || run_.ended() || !ranks_.any(since_saved_.seconds() >= options_.checkpoint.seconds))
        return;
      save();
      since_saved_.reset();
    }

    /// Leaves what a later call needs to resume, and nothing if there is nothing left to do.
    auto finish() {
      Status const status = run_.status();
      if (status == Status::converged || status == Status::completed)
        solver_.file_.forget();
      else if (status != Status::non_finite && status != Status::memory_exhausted && solver_.file_.wanted())
        save();
      return result_for<F, Value>(run_.finish());
    }

  private:
    struct Drawn {
      Sums sums;
      Iteration<Value> iteration;
    };

    void save() {
      solver_.file_.save(agreement_, where_, [&](Archive& archive) { transfer(archive, true); });
    }

    /// @param other precision of the iterations in the checkpoint, if it is not that of the call
    void resume(Archive& archive, std::string const& other) {
      transfer(archive, other.empty());
      if (!other.empty())
        run_.remark("the checkpoint's iterations in " + other +
                    " trained map and strata, and are left out of the estimate");
    }

    /// Everything that the iterations to come depend on, in the same order for saving and loading (docs/files.md).
    /// @param estimates whether those of the file count, or have only trained map and strata
    void transfer(Archive& archive, bool estimates) {
      std::uint64_t counted = run_.counted();
      archive.transfer(evaluations_);
      archive.transfer(fresh_);
      archive.transfer(solver_.stream_);
      archive.transfer(counted);
      // At most what iterations grow to, and in all no more than can be counted.
      archive.expect(evaluations_ >= 2 &&
                         static_cast<double>(evaluations_) <= most_growth * static_cast<double>(options_.evaluations),
                     "the size of an iteration cannot occur in this call");
      auto steps = run_.steps();
      detail::transfer(archive, steps, counted, layout());
      detail::transfer(archive, components());
      detail::transfer(archive, exec_, map_, axes_);
      detail::transfer(archive, exec_, strata_, box_.dimension());
      solver_.redistribution_.transfer(archive);
      solver_.restratification_.transfer(archive);
      if (options_.restratify == true || solver_.restratification_.learns())
        detail::transfer(archive, solver_.shape_, box_.dimension());
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

    StepLayout layout() const {
      if constexpr (at_run_time)
        return {run_.components(), f_.sums->full(), true};
      else
        return {run_.components(), with_products, false};
    }

    /// Device memory, in bytes, that a call cannot do without.
    std::size_t fixed_bytes() const {
      return Partition::template most<Space>(evaluations_ / 2, 2) * sizeof(Sums) +
             DeviceMap<Space>::bytes(exec_, axes_, bins_) + Points::slow_scratch(exec_, box_.dimension(), axes_, bins_);
    }

    /// Makes iterations as short as the time requires (see find_schedule).
    void fit_in_time() {
      auto const stream = solver_.stream_;
      auto const schedule = find_schedule(ranks_, run_, budget_, iterations_, [&](std::uint64_t n) -> std::uint64_t {
        solver_.stream_ = pilot_stream;
        auto const drawn = draw_evenly(n, false);
        if (drawn)
          run_.reserve(step_of(f_, drawn->sums, drawn->iteration, scaling_.exponent()), options_.non_finite);
        return drawn ? drawn->sums.count : 0;
      });
      solver_.stream_ = stream;
      if (run_.counted() == 0)
        return;
      Limits left = limits_;
      left.evaluations = run_.evaluations_left();
      iterations_ = schedule.iterations;
      auto const samples = Base::budget(schedule.samples, left, options_.skip, schedule.iterations);
      if (samples < budget_ && fresh_) {
        bins_ = solver_.bins(wanted_bins(options_.bins, samples), axes_, samples, where_);
        map_.reset(exec_, axes_, bins_);
      }
      budget_ = evaluations_ = samples;
    }

    /// Draws about so many samples, the same number in all strata.
    std::optional<Drawn> draw_evenly(std::uint64_t samples, bool trains) {
      Strata<D> const few(box_.dimension(), samples);
      Allocation<Space> even;
      even.cubes = few.cubes;
      even.least = few.samples / 2;
      return draw(few, even, cut(few.cubes * few.samples), Purpose::scale, trains);
    }

    Partition cut(std::uint64_t samples) const {
      return Partition(exec_, ranks_, samples / 2, 2, most_chunk_samples(f_, box_.dimension()));
    }

    /// What trains map and strata, of the integrand's components.
    ComponentWeights& components() {
      if constexpr (at_run_time)
        return f_.sums->drive();
      else
        return drive_;
    }
    /// Balances the components by what an iteration has found of each. @returns by which factor what drives may grow
    double balance(Sums const& sums) {
      if constexpr (at_run_time)
        return components().learn(f_.sums->magnitudes());
      else
        return drive_.learn(sums.all_magnitudes());
    }

    /// Determines from a few samples how large the weights are; from others before, in which shares the components
    /// drive.
    bool measure_scale() {
      auto drawn = draw_evenly(Base::few(budget_), true);
      if (drawn && components().balanced()) {
        balance(drawn->sums);
        run_.count(drawn->sums.count);
        drawn = draw_evenly(Base::few(budget_), true);
      }
      if (!drawn)
        return false;
      run_.count(drawn->sums.count);
      map_.set_scale(drawn->sums.largest);
      return true;
    }

    /// Chooses strata for the next iteration, and allocates its samples to them unless the last allocation still
    /// serves.
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

    /// Draws the samples of all strata. Returns nothing if the call ended meanwhile.
    std::optional<Drawn> draw(Strata<D> const& strata, Allocation<Space> const& allocation, Partition const& chunks,
                              Purpose purpose, bool adapting) {
      auto const partials = solver_.partials_.template as<Sums>(exec_, static_cast<std::size_t>(chunks.count));
      auto const weights = adapting && purpose != Purpose::scale && solver_.weighted()
                               ? strata_.next(exec_)
                               : typename Stratification<Space>::Weights{};
      bool const trains = adapting && purpose != Purpose::trial;
      auto const record_every = trains ? record_period<Space>(2 * chunks.items, 2 * chunks.length) : 0;
      for (;; map_.forget(exec_, scaling_.exponent())) {
        Stream const stream(options_.seed, solver_.stream_);
        Keep const keep{weights, static_cast<float>(options_.beta / 2), map_.scale() / FixedPoint::target,
                        drive_.template as<DriverWeights<Keep::components>>()};
        bool all = false;
        at_dimension<Space, P, F, Keep::components, D>(box_.dimension(), [&]<int N>(std::integral_constant<int, N>) {
          Box<N> const box(box_);
          Strata<N> const parts(strata);
          using Source = StratumPoints<Space, P, N>;
          Source const points{{box, map_, parts, stream, record_every, purpose == Purpose::estimate, scaling_.factor()},
                              parts,
                              allocation};
          SampleChunks<Space, Eval, F, Source, Keep> const kernel{f_,     points,   keep,
                                                                  chunks, partials, options_.non_finite};
          all = launch_sampling(exec_, ranks_, run_, kernel, "kubature::vegas_plus::sample", &solver_.batches_);
        });
        if (!all) {
          map_.forget(exec_, scaling_.exponent());
          return std::nullopt;
        }
        auto const sums = solver_.total_.join(exec_, "kubature::vegas_plus::join", partials, ranks_, chunks);
        auto const iteration = sums.template estimate<Value>(strata.cubes);
        if (purpose != Purpose::trial && scaling_.adjust(iteration, sums.largest))
          continue;
        ++solver_.stream_;
        return Drawn{sums, scaling_.restored(iteration)};
      }
    }

    /// Draws an iteration again, from the same map, in strata that are distributed among the axes by variance, and
    /// leaves these in `others_` if they are worth it. Its random numbers are those of no iteration, so if they are
    /// not, the iterations to come have the bits that they would have had.
    /// @returns false if the call ended meanwhile
    bool try_others(Strata<D> const& strata, Drawn const& drawn) {
      if constexpr (at_run_time) // a trial would overwrite the sums of all components
        return true;
      auto& trial = solver_.restratification_;
      auto const before = trial;
      auto const samples = drawn.iteration.evaluations;
      trial.learn(driving(drawn.iteration.error, drive_), samples);
      double const ahead = iterations_ahead(run_, iterations_, evaluations_, asked_);
      if (!trial.tries(static_cast<double>(strata.cubes), box_.dimension(), ahead) ||
          !solver_.fits(fixed_bytes() + 2 * Stratification<Space>::bytes(strata.cubes), limits_.bytes))
        return true;
      auto const stream = std::exchange(solver_.stream_, solver_.stream_ | trial_streams);
      run_.count(find_shape(4 * budget_)); // half of an iteration, or the most that are ever used
      others_.emplace(std::vector<double>(), Stratification<Space>(ranks_));
      std::swap(strata_, others_->strata);
      bool ended = false, pays = false;
      // Without weights for these strata the first iteration spreads its samples evenly.
      for (int left = solver_.weighted() ? 2 : 1; left > 0; --left) {
        allocated_ = 0;
        auto const parts = allocate(true);
        if (!solver_.differs(strata, parts, box_.dimension()))
          break;
        auto const tried = draw(parts, allocation_, chunks_, Purpose::trial, true);
        ended = !tried;
        if (ended)
          break;
        run_.count(tried->sums.count);
        if (solver_.weighted())
          strata_.accept(tried->sums.weights);
        double const error = driving(tried->iteration.error, drive_);
        pays = left == 1 && trial.pays(error, samples) && consistent(tried->iteration, drawn.iteration, drive_);
        if (!trial.may_pay(error, samples))
          break;
      }
      others_->exchange(solver_.shape_, strata_);
      solver_.stream_ = stream;
      if (!pays)
        others_.reset();
      if (ended)
        trial = before;
      else
        trial.end();
      return !ended;
    }

    /// Finds the shape of the strata from a few samples. @returns how many these are
    std::uint64_t find_shape(std::uint64_t budget) {
      return solver_.template find_shape<P>(f_, box_, Stream(options_.seed, solver_.stream_++), budget,
                                            scaling_.factor(), components());
    }

    /// Adapts map and strata to the iteration.
    void adapt(Strata<D> const& strata, Drawn const& drawn, int training) {
      auto const& [sums, iteration] = drawn;
      double const unit = FixedPoint::target / map_.scale(); // of the cubes' deviations
      auto const drive = drive_;
      double const growth = balance(sums);
      map_.sum(exec_, ranks_);
      map_.refine(exec_,
                  damping(options_.alpha, options_.evaluations, box_.dimension(), training, resolved(iteration, drive)),
                  growth * sums.largest);
      if (solver_.weighted()) {
        strata_.accept(sums.weights);
        double spread = 0;
        for (std::size_t c = 0; c < drive.values().size(); ++c)
          spread += drive.values()[c] * drive.values()[c] * static_cast<double>(sums.spreads[c]);
        double const samples = static_cast<double>(sums.count) / static_cast<double>(strata.cubes);
        solver_.learn(strata, box_.dimension(), evaluations_, unit * unit / (samples * spread));
      }
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
    Estimates run_;
    int iterations_;
    std::uint64_t budget_; ///< samples of the first iteration
    int axes_, bins_;
    std::uint64_t evaluations_; ///< of the next iteration
    bool asked_;                ///< whether the call has a tolerance
    int driver_;                ///< what trains map and strata
    ComponentWeights drive_;    ///< and in which shares
    bool fresh_;                ///< whether the call began with an untrained map
    std::string agreement_;     ///< what a checkpoint has to agree with
    Scaling<Acc> scaling_;
    Partition chunks_;
    Allocation<Space> allocation_;
    std::optional<OtherStrata<Space>> others_; ///< which replace these
    std::uint64_t allocated_ = 0;              ///< evaluations that the allocation is for; 0 if it has to be made
    Kokkos::Timer since_saved_;
  };

  VegasPlus<P> options_;
  CheckpointFile<P> file_;
  std::uint32_t stream_ = 0; ///< of random numbers
  Buffer<Space> partials_{"kubature::vegas_plus::partials"};
  Total<Space> total_{"kubature::vegas_plus::total"};
  Batches<Space> batches_{"kubature::vegas_plus::batches"};
  ComponentSums<Space> components_{"kubature::vegas_plus::components"};
};

} // namespace detail
} // namespace kubature
