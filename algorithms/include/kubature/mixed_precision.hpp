#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/batches.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/mixed_precision/join_strata.hpp>
#include <kubature/detail/mixed_precision/plan.hpp>
#include <kubature/detail/mixed_precision/prober.hpp>
#include <kubature/detail/mixed_precision/sub_box_points.hpp>
#include <kubature/detail/run.hpp>
#include <kubature/detail/sampling/launch.hpp>
#include <kubature/detail/sampling/partition.hpp>
#include <kubature/detail/scaling.hpp>
#include <kubature/detail/total.hpp>
#include <kubature/detail/upload.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_choice.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace kubature {

/// For what MixedPrecision chooses formats.
enum class Strategy {
  term,   ///< each term of the integrand, in the whole domain
  region, ///< the integrand, in each of many regions
  hybrid  ///< each term in each region
};

/// Monte Carlo whose integrand is evaluated in fp16, fp32 and fp64, each part of it in the cheapest format that the
/// tolerance allows, after "Mixed precision Monte Carlo integration" by term, by region, or both. Points of an
/// integrand are compared in all formats before the call samples (see PrecisionChoice); sums are in fp64. The
/// strategies with regions stratify: more samples where the integrand varies more.
///
/// Terms are those of an Expression or of sum_of(). The integrand has to be generic in Real: it is called with float
/// and double, and with half_t where the backend computes in it, unless `lowest` is fp32. What batched() makes is
/// evaluated in fp64: it takes `lowest` fp64.
template <class Lowest = Fp16>
struct MixedPrecision {
  /// Samples an iteration, at least 2.
  std::uint64_t evaluations = 1'000'000;
  /// Iterations at most; each draws new points and counts alike.
  int iterations = 10;
  Strategy strategy = Strategy::term; ///< by term, by region, or both
  /// Rounding may add up to this part of the tolerance; of the error that is expected of all iterations, where no
  /// tolerance is asked for.
  double rounding = 0.1;
  /// Regions at most, 1 to 65536.
  int regions = 256;
  /// Points at which a part of the integrand is looked at, at least 2.
  int points = 100;
  /// What an operation costs in fp16, fp32 and fp64, in any unit; zeros: what was measured for the backend.
  std::array<double, format_count> costs = {};
  /// Operations of a term, for the paper's prediction and the costs; 0: what an Expression counts, 20 otherwise.
  int operations = 0;
  std::uint64_t seed = 0; ///< of the random numbers
  /// fp16, fp32 (which need not compile in half precision) or fp64 (for comparison).
  Lowest lowest = {};
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
};

template <class Lowest>
struct Described<MixedPrecision<Lowest>> {
  using M = MixedPrecision<Lowest>;
  static constexpr std::string_view type = "MixedPrecision", name = "mixed";
  static constexpr bool distributed = true;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples an iteration",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Iterations at most", at_least(1, "at least 1 is needed"), false),
      option("strategy", &M::strategy, "What precisions are chosen for: terms, regions, or terms in regions"),
      option("rounding", &M::rounding, "The part of the tolerance that rounding may take",
             Range<double>{std::numeric_limits<double>::denorm_min(), 0x1.fffffffffffffp-1,
                           "a part between 0 and 1 is needed"}),
      option("regions", &M::regions, "Regions at most", Range<int>{1, 1 << 16, "1 to 65536 are possible"}),
      option("points", &M::points, "Points at which a part of the integrand is looked at",
             at_least(2, "a spread needs at least 2")),
      option("costs", &M::costs, "What an operation costs in fp16, fp32 and fp64; zeros: what was measured"),
      option("operations", &M::operations, "Operations of a term; 0: as many as an expression has"),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "What is done with values that are not finite", AnyValue{}, false)};
  static void check_together(M const&, std::source_location) {}
};

namespace detail {

template <class Lowest, class Space>
class Solver<MixedPrecision<Lowest>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, MixedPrecision<Lowest> const& options)
      : exec_(exec), ranks_(ranks), options_(options), prober_(options.points, options.seed) {}

  /// Every call draws new points.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    auto const f = on_device<Fp64, D, std::is_same_v<Lowest, Fp64>>(exec_, integrand, box.dimension(), where);
    using G = std::remove_const_t<decltype(f)>;
    static_assert(ValueTraits<IntegrandValue<G, double, D>>::components == 1,
                  "MixedPrecision integrates functions of one value");
    static_assert(is_batched<G> || Integrand<G, float, D>,
                  "MixedPrecision evaluates in float and double: make the integrand a template in Real");
    Kokkos::Profiling::ScopedRegion region("kubature::mixed_precision");

    Run<double> run(epsilon<Fp64>, "mixed", tolerance, limits, callback, where, ranks_);
    batches_.limit(limits.bytes);
    auto const samples = plan(run, integrand, f, box, tolerance, limits);
    batches_.limit(limits.bytes - std::min(limits.bytes, bytes()));
    auto const strata = upload();
    Scaling<double> scaling;
    while (run.wants_more(options_.iterations, samples)) {
      auto const partials = partials_.template as<Moments>(exec_, static_cast<std::size_t>(teams()));
      Stream const stream(options_.seed, iteration_);
      for (Launch const& launch : launches_)
        if (launch.teams > 0 && sample(run, launch, f, box, strata, partials, stream, scaling.factor()))
          gather(launch, partials);
      if (run.ended())
        break;
      auto const sum = join(strata, partials);
      Run<double>::Step step{{}, false, sum.non_finite};
      step.iteration.value = sum.value;
      step.iteration.error = std::sqrt(sum.variance);
      step.iteration.evaluations = sum.count;
      if (scaling.adjust(step.iteration))
        continue;
      step.iteration = scaling.restored(step.iteration);
      ++iteration_;
      run.add(step, options_.non_finite);
    }
    if (spared_)
      run.remark("fp64 throughout: mixing formats would not be faster here");
    auto result = signed_by<Space>(run.finish(), fp64, options_.seed, ranks_);
    result.precision = "adaptive: " + summary(choices_, parts_name());
    return result;
  }

  /// What the last call chose, and why: a line a term, a region, or a term in a region.
  std::vector<PrecisionChoice> const& choices() const { return choices_; }

private:
  using Moments = detail::Moments<double, 1>;
  using Tune = Tuning<Space>;
  static constexpr bool with_half = std::is_same_v<Lowest, Fp16> && Tune::half_in_hardware;
  using LowestReal = half_if<with_half>;
  /// A region has about as many samples at least: fewer say little of their own spread.
  static constexpr std::uint64_t least_samples = 256;

  /// Consecutive strata whose terms mix formats alike.
  struct Launch {
    int first = 0, strata = 0, teams = 0;

    /// The first of the teams that a process runs, of so many.
    int begin(int rank, int size) const { return static_cast<int>(static_cast<std::int64_t>(teams) * rank / size); }
  };

  std::string_view parts_name() const {
    return options_.strategy == Strategy::term ? "terms" : options_.strategy == Strategy::region ? "regions" : "parts";
  }

  /// What points tell of the regions, and of the parts that formats are chosen for: [region][part].
  struct View {
    std::vector<Region> regions{1};
    std::vector<Probed> parts;
  };

  bool by_term() const { return options_.strategy != Strategy::region; }

  /// Chooses regions, formats and samples. @returns the samples of an iteration
  template <class Run, class F, class G, int D>
  std::uint64_t plan(Run& run, F const& integrand, G const& f, Box<D> const& box, Tolerance tolerance,
                     Limits const& limits) {
    int const d = box.dimension(), terms = term_count(f), parts = by_term() ? terms : 1;
    bool room = true;
    if constexpr (is_batched<G>)
      room = !ranks_.any(!batches_.reserve(exec_, prober_.bytes(d)));
    // A region is looked at three times at most; all that may take a quarter of what is allowed.
    std::uint64_t const look = 3 * prober_.evaluations(1, d);
    auto const affordable =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(options_.regions), limits.evaluations / 4 / look);
    auto const most =
        room ? static_cast<int>(std::min(affordable, std::max<std::uint64_t>(1, options_.evaluations / least_samples)))
             : 0;
    auto const wanted = std::max<std::uint64_t>(
        2, std::min(options_.evaluations, limits.evaluations - static_cast<std::uint64_t>(most) * look));

    View view;
    if (most > 0)
      run.count(prober_.evaluations(see(view, f, box, most, terms), d));
    else
      view.parts.resize(static_cast<std::size_t>(parts));
    describe(view, integrand, box, parts);
    double const allowed =
        rounding_tolerance(view.regions, d, Transform<double, D>(box).volume(), tolerance, options_.rounding,
                           static_cast<double>(wanted) * std::min(options_.iterations, limits.iterations));
    FormatCosts const costs = costs_of<Space>(options_.costs, lowest());
    choose_formats(choices_, allowed, costs);
    bool const interpreted = requires { f.terms(); } && options_.costs == std::array<double, format_count>{};
    spared_ = spare(choices_, static_cast<std::size_t>(parts), costs, interpreted ? Tune::term_overhead : 0);
    auto const samples = stratify(view.regions, box, wanted, terms, parts);
    if (!room || bytes() > limits.bytes)
      run.give_up(Status::memory_exhausted);
    return samples;
  }

  /// What partial sums and strata take.
  std::size_t bytes() const {
    return static_cast<std::size_t>(teams()) * sizeof(Moments) + strata_.size() * sizeof(Stratum);
  }

  /// Looks at the whole, at regions and at terms, as the strategy asks. @returns how many cells were looked at
  template <class G, int D>
  std::uint64_t see(View& view, G const& f, Box<D> const& box, int most, int terms) {
    std::uint64_t cells = 0;
    auto const probe = [&](auto const& parts, std::vector<SubBox> const& fresh) {
      auto seen = prober_.template probe<LowestReal>(exec_, parts, box, fresh, cells, &batches_);
      cells += fresh.size();
      return seen;
    };
    WholeIntegrand<G> const whole{f};
    view.regions = {{SubBox{}, probe(whole, {SubBox{}})[0]}};
    if (options_.strategy != Strategy::term)
      view.regions =
          split(view.regions[0].seen, lengths(box), most, [&](auto const& halves) { return probe(whole, halves); });
    if constexpr (!is_batched<G>)
      if (by_term() && terms > 1) {
        std::vector<SubBox> all;
        for (auto const& region : view.regions)
          all.push_back(region.cell);
        view.parts = probe(TermsOfIntegrand<G>{f}, all);
        return cells;
      }
    for (auto const& region : view.regions)
      view.parts.push_back(region.seen);
    return cells;
  }

  /// Lists the choices that are to be made.
  template <class F, int D>
  void describe(View const& view, F const& integrand, Box<D> const& box, int parts) {
    auto const names = names_of_parts(integrand, parts);
    auto const operations = operations_of_parts(integrand, parts, options_.operations);
    choices_.clear();
    for (std::size_t i = 0; i < view.parts.size(); ++i) {
      std::size_t const part = i % names.size();
      auto const& cell = view.regions[i / names.size()].cell;
      auto choice = view.parts[i].describe(operations[part]);
      choice.name = names[part];
      if (options_.strategy != Strategy::term)
        choice.name = (by_term() ? choice.name + " in " : "") + detail::describe(cell, origins(box), lengths(box));
      choice.share = cell.volume(box.dimension());
      if (part >= static_cast<std::size_t>(TermFormats::most))
        choice.bound.fill(infinity);
      choices_.push_back(choice);
    }
  }

  static constexpr Format lowest() {
    return std::is_same_v<Lowest, Fp64>   ? Format::binary64
           : std::is_same_v<Lowest, Fp32> ? Format::binary32
                                          : Format::binary16;
  }

  /// Makes the strata of the regions, sorted by what their launches mix, with their samples and teams.
  /// @returns the samples of an iteration
  template <int D>
  std::uint64_t stratify(std::vector<Region> const& regions, Box<D> const& box, std::uint64_t wanted, int terms,
                         int parts) {
    auto const choice_of = [&](std::size_t r, int k) -> PrecisionChoice const& {
      return choices_[r * static_cast<std::size_t>(parts) + static_cast<std::size_t>(parts > 1 ? k : 0)];
    };
    auto const prices = costs_of<Space>(options_.costs).of;
    std::vector<double> costs;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      double cost = 0;
      for (int k = 0; k < parts; ++k)
        cost += choice_of(r, k).operations * prices[static_cast<int>(choice_of(r, k).format)];
      costs.push_back(cost);
    }
    auto const counts = deal(regions, box.dimension(), costs, wanted);
    Partition const chunks(exec_, {}, wanted, 1);
    bool const infinite = Transform<double, D>(box).infinite();

    std::vector<Stratum> mixes[3];
    for (std::size_t r = 0; r < regions.size(); ++r) {
      Stratum stratum;
      stratum.cell = regions[r].cell;
      stratum.share = regions[r].cell.volume(box.dimension());
      stratum.samples = counts[r];
      for (int k = 0; k < std::min(terms, TermFormats::most); ++k)
        stratum.formats.set(k, choice_of(r, k).format);
      auto const per_team = chunks.length * Tune::segments;
      stratum.teams = static_cast<int>(Partition::ceil(counts[r], per_team));
      stratum.length = Partition::ceil(counts[r], static_cast<std::uint64_t>(stratum.teams) * Tune::segments);
      Mix const mix = stratum.formats.all(Format::binary64, terms)                ? Mix::doubles
                      : !infinite && stratum.formats.all(Format::binary32, terms) ? Mix::singles
                                                                                  : Mix::terms;
      mixes[static_cast<int>(mix)].push_back(stratum);
    }
    strata_.clear();
    std::uint64_t first = 0;
    int team = 0;
    for (int mix = 0; mix < 3; ++mix) {
      launches_[mix] = {static_cast<int>(strata_.size()), static_cast<int>(mixes[mix].size()), 0};
      for (Stratum& stratum : mixes[mix]) {
        stratum.first = first;
        stratum.first_team = team;
        first += stratum.samples;
        team += stratum.teams;
        launches_[mix].teams += stratum.teams;
        strata_.push_back(stratum);
      }
    }
    return first;
  }

  int teams() const { return launches_[0].teams + launches_[1].teams + launches_[2].teams; }

  using DeviceStrata = Kokkos::View<Stratum const*, Space, Kokkos::MemoryUnmanaged>;
  using Partials = Kokkos::View<Moments*, Space, Kokkos::MemoryUnmanaged>;

  DeviceStrata upload() {
    auto const strata = device_strata_.template as<Stratum>(exec_, strata_.size());
    detail::upload(exec_, strata, strata_);
    return strata;
  }

  /// @returns whether all was sampled before the call ended
  template <class Run, class G, int D>
  bool sample(Run& run, Launch const& launch, G const& f, Box<D> const& box, DeviceStrata const& strata,
              Partials const& partials, Stream const& stream, double factor) {
    if (run.ended())
      return false;
    int const first = launch.begin(ranks_.rank(), ranks_.size());
    int const teams = launch.begin(ranks_.rank() + 1, ranks_.size()) - first;
    auto const as = [&]<Mix mix>(std::integral_constant<Mix, mix>) {
      if (&launch != &launches_[static_cast<int>(mix)])
        return;
      constexpr int lanes = lanes_for<Space, G, std::conditional_t<mix == Mix::singles, float, double>, D>;
      using Points = SubBoxPoints<Space, mix, LowestReal, D, lanes>;
      using Sample = typename Points::Sample;
      Transform<Sample, D> const transform(box, 1, std::numeric_limits<Sample>::epsilon());
      Points const points{{transform, stream, box.dimension(), transform.volume() * factor},
                          Kokkos::subview(strata, std::pair(launch.first, launch.first + launch.strata))};
      Partition chunks;
      chunks.first = strata_[static_cast<std::size_t>(launch.first)].first_team + first;
      chunks.mine = teams;
      for (int s = launch.first; s < launch.first + launch.strata; ++s)
        chunks.length = std::max(chunks.length, strata_[static_cast<std::size_t>(s)].length);
      SampleChunks<Space, Sample, G, Points, KeepMoments<double, 1>> const kernel{
          f, points, {}, chunks, partials, options_.non_finite};
      launch_sampling(exec_, ranks_, run, kernel, "kubature::mixed_precision::sample", &batches_);
    };
    as(std::integral_constant<Mix, Mix::doubles>{});
    if constexpr (!std::is_same_v<Lowest, Fp64>) {
      as(std::integral_constant<Mix, Mix::singles>{});
      as(std::integral_constant<Mix, Mix::terms>{});
    }
    return !run.ended();
  }

  void gather(Launch const& launch, Partials const& partials) {
    int const first = strata_[static_cast<std::size_t>(launch.first)].first_team;
    total_.gather(exec_, Partials(partials.data() + first, static_cast<std::size_t>(launch.teams)), ranks_,
                  [&](int rank) { return launch.begin(rank, ranks_.size()); });
  }

  StratumSum join(DeviceStrata const& strata, Partials const& partials) {
    auto const sums = sums_.template as<StratumSum>(exec_, strata_.size());
    Kokkos::parallel_for("kubature::mixed_precision::join",
                         Kokkos::TeamPolicy<Space>(exec_, static_cast<int>(strata_.size()), Tune::reduction_team),
                         JoinStrata<Space>{strata, partials, sums});
    return total_.join(exec_, "kubature::mixed_precision::total", sums);
  }

  Space exec_;
  Communicator ranks_;
  MixedPrecision<Lowest> options_;
  std::uint32_t iteration_ = 0;
  std::vector<PrecisionChoice> choices_;
  bool spared_ = false;
  std::vector<Stratum> strata_;
  Launch launches_[3];
  Prober<Space> prober_;
  Buffer<Space> device_strata_{"kubature::mixed_precision::strata"};
  Buffer<Space> partials_{"kubature::mixed_precision::partials"};
  Buffer<Space> sums_{"kubature::mixed_precision::sums"};
  Total<Space> total_{"kubature::mixed_precision::total"};
  Batches<Space> batches_{"kubature::mixed_precision::batches"};
};

} // namespace detail
} // namespace kubature
