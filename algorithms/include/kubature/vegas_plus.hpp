#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/checkpoint.hpp>
#include <kubature/detail/archive.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/chunks.hpp>
#include <kubature/detail/file.hpp>
#include <kubature/detail/run.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/detail/slices.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/detail/vegas/trained_map.hpp>
#include <kubature/detail/vegas_plus/stratification.hpp>
#include <kubature/detail/vegas_plus/stratum_points.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>

namespace kubature {

/// VEGAS+: VEGAS importance sampling with adaptive stratification, more samples in the cubes where the integrand varies
/// more (Lepage, "Adaptive multidimensional integration: VEGAS enhanced", 2021; on GPUs Tolio et al., "cuVegas", 2024).
/// The first choice among the Monte Carlo methods: it adapts to peaks along the axes by its map, and to others, such
/// as ridges along a diagonal, by its strata. Of several components the first one trains both.
template <class P = Fp64>
struct VegasPlus {
  /// Samples an iteration, at least 2, taken in pairs. With a tolerance, iterations grow to up to 4096 times as many
  /// where they would be too small for it.
  std::uint64_t evaluations = 1'000'000;
  /// Iterations at most; 0: 20, and with a tolerance as many as it needs, up to 200.
  int iterations = 0;
  /// Of these, how many adapt map and strata; the others sample with both frozen, and count by their samples alone.
  int adapt = std::numeric_limits<int>::max();
  /// Iterations at the start that train a fresh map and stay out of the estimate.
  int skip = 5;
  /// Intervals of the map an axis; 0: 500, and from 5e7 samples an iteration on 1000. A budget of fewer than 16 samples
  /// an interval uses fewer intervals.
  int bins = 0;
  /// Damping of the map's refinement, 0 (none) to about 2.
  double alpha = 0.75;
  /// Damping of the strata: samples are dealt out by sigma^beta, 0 (all cubes alike) to 1 (best if sigma were known).
  double beta = 0.75;
  /// The part of the samples that is dealt out by sigma^beta; the others are spread evenly. Below 1.
  double redistribute = 0.75;
  /// One map for all axes, refined from the first: for integrands that are the same in all variables.
  bool one_map = false;
  std::uint64_t seed = 0;
  P precision = {};
  NonFinite non_finite = NonFinite::error;
  Checkpoint checkpoint = {};
};

template <class P>
struct Described<VegasPlus<P>> {
  using M = VegasPlus<P>;
  static constexpr std::string_view type = "VegasPlus", name = "vegas+";
  static constexpr bool distributed = true;
  static constexpr double single_bias = detail::SingleBias::map;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples an iteration",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Iterations at most", at_least(0, "a number is not negative"), false),
      option("adapt", &M::adapt, "Iterations that refine the map, and the strata",
             at_least(0, "a number of iterations is not negative")),
      option("skip", &M::skip, "Iterations at the start that stay out of the estimate",
             at_least(0, "a number of iterations is not negative")),
      option("bins", &M::bins, "Intervals of the map an axis", Range<int>{0, 1 << 20, "0 to 1048576 are possible"}),
      option("alpha", &M::alpha, "Damping of the map's refinement",
             at_least(0.0, "the damping exponent is a finite number, zero or above")),
      option("beta", &M::beta, "Damping of the strata",
             at_least(0.0, "the damping exponent is a finite number, zero or above")),
      option("redistribute", &M::redistribute, "Part of the samples that goes to the strata that vary most",
             Range<double>{0, 0x1.fffffffffffffp-1, "a part from 0 to below 1 is needed"}),
      option("one_map", &M::one_map, "One map for all axes"),
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
      : Base(exec, ranks), options_(options), strata_(ranks) {}

  /// A later call of the same dimension starts from the map and the strata that the earlier
  /// ones trained.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<P, D>(exec_, integrand, box.dimension(), where);
    using G = std::remove_const_t<decltype(f)>;
    using Eval = typename P::eval_type;
    using Value = ResultValue<G, Eval, D>;
    using Points = StratumPoints<Space, P, D>;
    using Keep = KeepStrata<Space, typename P::accumulate_type, ValueTraits<Value>::components>;
    using Sums = typename Keep::Sums;
    using Run = Run<Value>;
    Kokkos::Profiling::ScopedRegion region("kubature::vegas_plus");

    Run run(epsilon<P>, "vegas+", tolerance, limits, callback, where, ranks_);
    auto const budget = Base::budget(options_.evaluations, limits);
    int const d = box.dimension(), axes = options_.one_map ? 1 : d;
    int const bins = Base::bins(wanted_bins(), axes, budget, where);
    int const iterations = options_.iterations > 0 ? options_.iterations : tolerance.asked() ? most_iterations : 20;
    State state{budget, Base::fresh(axes, bins)};
    require(!state.fresh || options_.skip < iterations, "VegasPlus.skip", options_.skip,
            "at least one of the " + std::to_string(iterations) + " iterations has to be included", where);
    auto const about = describe<D, Run::components>(box);
    bool const resumed = !options_.checkpoint.file.empty() && resume(run, state, about, axes, d, where);
    if (!resumed && state.fresh) {
      map_.reset(exec_, axes, bins);
      strata_.reset();
    }

    auto const cut_into_chunks = [&](std::uint64_t samples) { return Chunks(exec_, ranks_, samples / 2, 2); };
    Scaling<typename P::accumulate_type> scaling(map_.exponent());
    struct Drawn {
      Sums sums;
      Iteration<Value> iteration;
    };
    // Nothing where the call ended meanwhile.
    auto const sample = [&](Strata<D> const& strata, Allotment<Space> const& allotment, Chunks const& chunks, bool fill,
                            bool adapting) -> std::optional<Drawn> {
      auto const partials = partials_.template as<Sums>(exec_, static_cast<std::size_t>(chunks.count));
      auto const weights =
          adapting && fill && weighted() ? strata_.next(exec_) : typename Stratification<Space>::Weights{};
      for (;; map_.forget(exec_, scaling.exponent())) {
        auto const record_every = adapting ? record_period<Space>(2 * chunks.items, 2 * chunks.length) : 0;
        Points const points{{box, map_, strata, Stream(options_.seed, stream_), record_every, fill, scaling.factor()},
                            strata,
                            allotment};
        Keep const keep{weights, static_cast<float>(options_.beta / 2), map_.scale() / FixedPoint::target};
        SampleChunks<Space, Eval, G, Points, Keep> const kernel{f, points, keep, chunks, partials, options_.non_finite};
        if (!launch_in_slices(exec_, ranks_, run, kernel, "kubature::vegas_plus::sample")) {
          map_.forget(exec_, scaling.exponent());
          return std::nullopt;
        }
        auto const sums = total_.join(exec_, "kubature::vegas_plus::join", partials, ranks_, chunks);
        auto const iteration = sums.template estimate<Value>(strata.cubes);
        if (scaling.adjust(iteration, sums.largest))
          continue;
        ++stream_;
        return Drawn{sums, scaling.restored(iteration)};
      }
    };

    auto const fixed_bytes = [&] {
      return Chunks::template most<Space>(state.evaluations / 2, 2) * sizeof(Sums) +
             DeviceMap<Space>::bytes(axes, bins) + Points::slow_scratch(exec_, d, axes, bins);
    };
    if (!Base::fits(fixed_bytes(), limits.bytes))
      run.give_up(Status::memory_exhausted);
    Kokkos::Timer since_saved;
    Allotment<Space> allotment;
    std::uint64_t allotted = 0; // evaluations that the allotment is for, 0 where it has to be made
    while (run.wants_more(iterations, state.evaluations)) {
      auto const i = static_cast<int>(run.steps().size());
      bool const adapting = i < options_.adapt;
      auto const before = std::pair(stream_, run.counted());
      if (adapting && i == 0) {
        Strata<D> const few(d, Base::few(budget));
        Allotment<Space> even;
        even.cubes = few.cubes;
        even.least = few.samples / 2;
        auto const drawn = sample(few, even, cut_into_chunks(few.cubes * few.samples), false, true);
        if (!drawn)
          break;
        run.count(drawn->sums.count);
        map_.set_scale(drawn->sums.largest);
      }
      auto const strata =
          cut<D>(run, d, state.evaluations, limits.bytes - std::min(limits.bytes, fixed_bytes()), adapting);
      strata_.cut(exec_, d, counts_of(strata));
      auto const chunks = cut_into_chunks(std::max(state.evaluations, strata.cubes * strata.samples));
      if (allotted != state.evaluations) {
        allotment = strata_.allot(exec_, strata.samples, state.evaluations, chunks);
        allotted = state.evaluations;
      }
      auto drawn = sample(strata, allotment, chunks, true, adapting);
      if (!drawn) { // a call that goes on from here draws the few samples again
        stream_ = before.first;
        run.count(before.second - run.counted()); // unsigned, so this takes them back
        break;
      }
      auto& [sums, iteration] = *drawn;
      if (adapting) {
        map_.sum(exec_, ranks_);
        map_.refine(exec_, options_.alpha, sums.largest);
        if (weighted())
          strata_.accept(sums.weights);
        allotted = 0;
      }
      iteration.included = !state.fresh || i >= options_.skip;
      run.add({iteration, adapting, sums.non_finite, scaling.restored(sums.largest)}, options_.non_finite);
      state.evaluations = grown(run, state.evaluations);
      if (!options_.checkpoint.file.empty() && !run.ended() &&
          ranks_.any(since_saved.seconds() >= options_.checkpoint.seconds)) {
        save(run, state, about, axes, d, where);
        since_saved.reset();
      }
    }
    if (!options_.checkpoint.file.empty())
      conclude(run, state, about, axes, d, where);
    return signed_by<Space>(run.finish(), options_.precision, options_.seed, ranks_);
  }

  /// See TrainedMap. What was known of the strata is forgotten.
  void use(VegasMap const& map) {
    Base::use(map);
    strata_.reset();
  }

private:
  /// With the policy `adaptive` calls in fp32 and in fp64 share a checkpoint.
  friend class Adapted<VegasPlus, Space>;
  void serve_adaptive() { policy_ = precision_name(adaptive); }
  /// The precision of the iterations that the checkpoint holds; empty where there is none.
  std::string checkpoint_precision(std::source_location where) const {
    std::string precision;
    if (auto archive = open(where))
      archive->transfer(precision);
    return precision;
  }
  void forget_checkpoint() const {
    if (ranks_.rank() == 0 && !options_.checkpoint.file.empty())
      std::filesystem::remove(options_.checkpoint.file);
  }

  using Base = TrainedMap<Space>;
  using Base::exec_, Base::map_, Base::ranks_;
  static constexpr int most_iterations = 200;
  static constexpr double most_growth = 4096;
  static constexpr std::string_view name = "vegas+";

  /// Where a call is, besides map, strata and the estimates of its iterations.
  struct State {
    std::uint64_t evaluations; ///< of the next iteration
    bool fresh;                ///< whether the call began with an untrained map
  };

  /// More intervals fit the integrand better, but each has a noisier weight (docs/monte-carlo.md).
  int wanted_bins() const { return options_.bins > 0 ? options_.bins : options_.evaluations < 50'000'000 ? 500 : 1000; }

  /// Whether cubes have weights.
  bool weighted() const { return options_.beta > 0 && options_.redistribute > 0; }

  /// The cubes for an iteration: as many as the evaluations ask for, or fewer where memory is short.
  template <int D, class Run>
  Strata<D> cut(Run& run, int d, std::uint64_t evaluations, std::size_t bytes, bool adapting) {
    auto const evenly = std::max<std::uint64_t>(
        2, static_cast<std::uint64_t>((1 - options_.redistribute) * static_cast<double>(evaluations)));
    Strata<D> strata(d, evenly);
    auto const needed = [&] { return weighted() ? Stratification<Space>::bytes(strata.cubes) : 0; };
    if (!adapting && strata_.sum() == 0)
      return strata;
    if (needed() > Base::small && needed() > granted_)
      bytes = std::min(bytes, ranks_.least(Base::free_share() / 10 * 9 + strata_.size()));
    for (std::uint64_t fewer = evenly; needed() > bytes && strata.cubes > 1;) {
      fewer = std::min(fewer / 2, static_cast<std::uint64_t>(static_cast<double>(fewer) * static_cast<double>(bytes) /
                                                             static_cast<double>(needed())));
      strata = Strata<D>(d, std::max<std::uint64_t>(2, fewer));
      strata.samples = std::max<std::uint64_t>(2, evenly / strata.cubes);
      run.remark("memory was short: fewer strata than the evaluations ask for");
    }
    granted_ = std::max(granted_, needed());
    return strata;
  }

  template <int D>
  static typename Stratification<Space>::Counts counts_of(Strata<D> const& strata) {
    typename Stratification<Space>::Counts counts{};
    std::copy_n(strata.counts.data(), Point<double, D>::capacity, counts.data());
    return counts;
  }

  /// Larger iterations where many would be needed: they stratify more finely, and an iteration has its cost.
  template <class Run>
  std::uint64_t grown(Run const& run, std::uint64_t evaluations) const {
    double const missing = run.missing(), now = static_cast<double>(evaluations);
    if (missing < 8 * now)
      return evaluations;
    double const most = most_growth * static_cast<double>(options_.evaluations);
    double const wanted = std::min({missing / 4, 2 * now, most, static_cast<double>(run.evaluations_left()), 0x1p62});
    return std::max(evaluations, static_cast<std::uint64_t>(wanted));
  }

  /// What a checkpoint has to agree with.
  template <int D, int C>
  std::string describe(Box<D> const& box) const {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(17);
    auto const add = [&](auto const& option) {
      if constexpr (requires { text << options_.*option.member; })
        if (option.resumed)
          text << option.name << ' ' << options_.*option.member << ' ';
    };
    std::apply([&](auto const&... option) { (add(option), ...); }, Described<VegasPlus<P>>::options);
    text << "precision " << policy_ << " components " << C << " box";
    for (int i = 0; i < box.dimension(); ++i)
      text << ' ' << box[i].lower << ':' << box[i].upper;
    return text.str();
  }

  /// Everything that the iterations to come depend on, in one order for both ways (docs/files.md).
  /// @param estimates whether those of the file count, or have only trained map and strata
  template <class Run>
  void transfer(Archive& archive, Run& run, State& state, int axes, int d, bool estimates = true) {
    std::uint64_t counted = run.counted();
    archive.transfer(state.evaluations);
    archive.transfer(state.fresh);
    archive.transfer(stream_);
    archive.transfer(counted);
    // At most what iterations grow to, and no more in all than can be counted.
    archive.expect(state.evaluations >= 2 && static_cast<double>(state.evaluations) <=
                                                 most_growth * static_cast<double>(options_.evaluations),
                   "the size of an iteration is none of this call");
    auto steps = run.steps();
    transfer(archive, steps, counted);
    transfer_map(archive, axes);
    transfer_strata(archive, d);
    archive.finish();
    if (!archive.loading())
      return;
    run.count(counted);
    if (estimates)
      return run.resume(steps);
    state.fresh = false;
    for (auto const& step : steps)
      run.count(step.iteration.evaluations);
  }

  /// The estimates of the iterations.
  template <class Step>
  static void transfer(Archive& archive, std::vector<Step>& steps, std::uint64_t counted) {
    using Traits = ValueTraits<decltype(Step{}.iteration.value)>;
    constexpr std::size_t bytes = (2 * Traits::components + 1) * sizeof(double) + 2 * sizeof(std::uint64_t) + 2;
    constexpr std::uint64_t most = std::uint64_t{1} << 63;
    std::uint64_t all = counted;
    archive.expect(all <= most, "there are too many evaluations");
    auto const count = archive.count(steps.size(), bytes);
    steps.resize(count);
    for (Step& step : steps) {
      for (int c = 0; c < Traits::components; ++c) {
        double &value = Traits::get(step.iteration.value, c), &error = Traits::get(step.iteration.error, c);
        archive.transfer(value);
        archive.transfer(error);
        archive.expect(!(error < 0), "an error is negative"); // values that are not finite may have been asked for
      }
      archive.transfer(step.iteration.evaluations);
      archive.transfer(step.iteration.included);
      archive.transfer(step.adaptive);
      archive.transfer(step.non_finite);
      archive.transfer(step.largest);
      archive.expect(!(step.largest < 0), "a size is negative");
      archive.expect(step.iteration.evaluations <= most - all && step.non_finite <= step.iteration.evaluations,
                     "there are too many evaluations");
      all += step.iteration.evaluations;
    }
  }

  /// The map, whose edges run from 0 to the number of intervals.
  void transfer_map(Archive& archive, int wanted_axes) {
    auto axes = static_cast<std::uint32_t>(map_.axes()), bins = static_cast<std::uint32_t>(map_.bins());
    double scale = map_.scale();
    constexpr int least_exponent = -4096;
    auto exponent = static_cast<std::uint32_t>(map_.exponent() - least_exponent);
    auto edges = archive.loading() ? std::vector<double>{} : map_.read(exec_);
    archive.transfer(axes);
    archive.transfer(bins);
    archive.transfer(scale);
    archive.transfer(exponent);
    archive.expect(exponent <= -2 * least_exponent, "the size of values is none of a double");
    archive.expect(axes == static_cast<std::uint32_t>(wanted_axes), "the map has other axes than the call");
    archive.expect(bins >= 1 && bins <= 1u << 20, "the map has too many intervals, or none");
    archive.expect(scale > 0, "a scale is not above zero"); // infinite as long as all values are zero
    archive.transfer(edges, std::uint64_t{axes} * (bins + 1));
    if (!archive.loading())
      return;
    for (std::size_t k = 0; k < edges.size(); ++k) {
      auto const place = k % (bins + 1);
      archive.expect(place == 0 ? edges[k] == 0 : edges[k] >= edges[k - 1], "the edges of the map do not rise from 0");
      archive.expect(place < bins || edges[k] == bins, "the edges of the map do not end with their number");
    }
    map_.write(exec_, static_cast<int>(axes), static_cast<int>(bins), edges);
    map_.restore_scale(scale, static_cast<int>(exponent) + least_exponent);
  }

  /// The cubes along each axis and their weights; as long as no weights are known, only a dimension of 0.
  void transfer_strata(Archive& archive, int d) {
    double sum = strata_.sum();
    auto dimension = static_cast<std::uint32_t>(sum > 0 ? strata_.dimension() : 0);
    archive.transfer(dimension);
    archive.expect(dimension == 0 || dimension == static_cast<std::uint32_t>(d),
                   "the strata have another dimension than the box");
    if (dimension == 0) {
      if (archive.loading())
        strata_.reset();
      return;
    }
    auto counts = strata_.counts();
    std::uint64_t cubes = 1;
    for (std::uint32_t i = 0; i < dimension; ++i) {
      auto count = static_cast<std::uint32_t>(counts[i]);
      archive.transfer(count);
      archive.expect(count >= 1 && count <= 1u << 30 && cubes <= (std::uint64_t{1} << 62) / count,
                     "there are too many strata, or none");
      counts[i] = static_cast<int>(count);
      cubes *= count;
    }
    archive.transfer(sum);
    auto weights = archive.loading() ? std::vector<float>{} : strata_.weights(exec_);
    archive.transfer(weights, cubes);
    if (!archive.loading())
      return;
    long double added = 0;
    for (float const weight : weights) {
      archive.expect(weight >= 0 && std::isfinite(weight), "a weight of the strata is negative or not finite");
      added += static_cast<long double>(weight);
    }
    // As exactly as the samples that are allotted by it need.
    archive.expect(sum > 0 && std::abs(static_cast<double>(added - sum)) <= 0x1p-40 * sum,
                   "the weights of the strata have another sum");
    strata_.restore(exec_, d, counts, sum, weights);
  }

  template <class Run>
  void save(Run& run, State& state, std::string about, int axes, int d, std::source_location where) {
    Archive archive;
    std::string precision = precision_name(options_.precision);
    archive.transfer(precision);
    archive.transfer(about);
    transfer(archive, run, state, axes, d);
    if (ranks_.rank() == 0)
      write_file(options_.checkpoint.file, archive.save(name), where);
  }

  /// The checkpoint, if there is one: process 0 reads it for all.
  std::optional<Archive> open(std::source_location where) const {
    auto const& file = options_.checkpoint.file;
    bool const here = ranks_.rank() == 0 && !file.empty() && std::filesystem::exists(file);
    if (!ranks_.any(here))
      return {};
    std::string contents = here ? read_file(file, where) : std::string();
    ranks_.broadcast(contents);
    return Archive(std::move(contents), name, file, where);
  }

  /// Goes on from the file, if there is one.
  template <class Run>
  bool resume(Run& run, State& state, std::string const& about, int axes, int d, std::source_location where) {
    auto archive = open(where);
    if (!archive)
      return false;
    std::string precision, found;
    archive->transfer(precision);
    archive->transfer(found);
    require(found == about, "VegasPlus.checkpoint.file", options_.checkpoint.file,
            "it is of a call with other options: " + found, where);
    bool const same = precision == precision_name(options_.precision);
    archive->expect(same || policy_ == precision_name(adaptive), "it has another precision than its call");
    transfer(*archive, run, state, axes, d, same);
    if (!same)
      run.remark("the checkpoint's iterations in " + precision +
                 " trained map and strata, and stay out of the estimate");
    return true;
  }

  /// Leaves what a later call needs to go on, and nothing where there is nothing left to do.
  template <class Run>
  void conclude(Run& run, State& state, std::string const& about, int axes, int d, std::source_location where) {
    if (run.status() == Status::converged || run.status() == Status::completed) {
      if (ranks_.rank() == 0)
        std::filesystem::remove(options_.checkpoint.file);
    } else if (run.status() != Status::non_finite && run.status() != Status::memory_exhausted) {
      save(run, state, about, axes, d, where);
    }
  }

  VegasPlus<P> options_;
  std::string policy_ = precision_name(P{}); ///< that the user asked for
  std::uint32_t stream_ = 0;                 ///< of random numbers
  std::size_t granted_ = 0;                  ///< bytes of strata that memory was found to have room for
  Stratification<Space> strata_;
  Buffer<Space> partials_{"kubature::vegas_plus::partials"};
  Total<Space> total_{"kubature::vegas_plus::total"};
};

} // namespace detail
} // namespace kubature
