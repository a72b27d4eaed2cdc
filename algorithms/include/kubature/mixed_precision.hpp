#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/schedule.hpp>
#include <kubature/detail/components/with_components.hpp>
#include <kubature/detail/iterations/launch_sampling.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/total.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/mixed_precision/join_strata.hpp>
#include <kubature/detail/mixed_precision/sub_box_points.hpp>
#include <kubature/detail/probing/plan.hpp>
#include <kubature/detail/probing/prober.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/sampling/scaling.hpp>
#include <kubature/integrator.hpp>
#include <kubature/mixed_precision_options.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_choice.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace kubature::detail {

template <class Lowest, class Space>
class Solver<MixedPrecision<Lowest>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, MixedPrecision<Lowest> const& options)
      : exec_(exec), ranks_(ranks), options_(options), prober_(options.points, options.seed) {}

  /// Every call draws new points.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    static_assert(in_double || !(is_batched<F> || has_run_time_components<F>),
                  "an integrand made by batched() is evaluated in fp64: use MixedPrecision<Fp64>");
    return with_components<Fp64, D>(
        exec_, ranks_, options_, integrand, box, components_, where, [&](auto const& f, auto products) {
          return this->template solve_on_device<products>(integrand, f, box, tolerance, limits, callback, where);
        });
  }

  /// What the last call chose, and why: one entry per term, region, or term in a region.
  std::vector<PrecisionChoice> const& choices() const { return choices_; }

private:
  using Tune = Tuning<Space>;
  static constexpr bool in_double = std::is_same_v<Lowest, Fp64>;
  static constexpr bool with_half = std::is_same_v<Lowest, Fp16> && Tune::half_in_hardware;
  using LowestReal = std::conditional_t<in_double, double, half_if<with_half>>;
  /// The fewest samples that a region is meant to have: fewer say little of their own spread.
  static constexpr std::uint64_t least_samples = 256;

  /// Consecutive strata whose terms are evaluated in the same mix of formats.
  struct Launch {
    int first = 0, strata = 0, teams = 0;

    /// The first team that a process runs, of `size` processes.
    int begin(int rank, int size) const { return static_cast<int>(static_cast<std::int64_t>(teams) * rank / size); }
  };

  template <bool with_products, class F, class G, int D>
  auto solve_on_device(F const& integrand, G const& f, Box<D> const& box, Tolerance tolerance, Limits limits,
                       Callback const& callback, std::source_location where) {
    using Value = ResultValue<G, double, D>;
    using Keep = KeepMoments<double, ValueTraits<Value>::components, with_products>;
    using Moments = typename Keep::Sums;
    static_assert(in_double || Keep::components == 1,
                  "several components are evaluated in fp64: use MixedPrecision<Fp64>");
    static_assert(in_double || Integrand<G, float, D>,
                  "MixedPrecision evaluates in float and double: make the integrand a template in Real");
    Kokkos::Profiling::ScopedRegion region("kubature::mixed_precision");

    auto run = estimates_for<Keep::components>(f, epsilon<Fp64>, "mixed", tolerance, limits, callback, where, ranks_);
    int const used = used_components<Keep::components>(f), driver = driving_component(options_, used, where);
    ComponentsOfIntegrand<G, Keep::components> const driving{f, std::max(driver, 0), driver < 0 ? used : 1};
    ComponentWeights weights(std::min(driver, 0), driving.count());
    // Leaves the memory that strata and sums take to nobody else.
    auto const hold = [&] {
      auto bytes = static_cast<std::size_t>(teams()) * sizeof(Moments) + strata_.size() * sizeof(Stratum);
      if constexpr (summed_elsewhere<G>)
        bytes += batches_.held(); // their memory is not shared with the sums
      if (bytes > limits.bytes)
        run.give_up(Status::memory_exhausted);
      batches_.limit(limits.bytes - std::min(limits.bytes, bytes));
    };
    Scaling<double> scaling;
    // Draws the samples of all strata. Returns nothing if the call ended meanwhile.
    auto const draw = [&](DeviceStrata const& strata, std::uint32_t number) -> std::optional<Step> {
      for (;;) {
        auto const partials = partials_.template as<Moments>(exec_, static_cast<std::size_t>(teams()));
        Stream const stream(options_.seed, number);
        for (Launch const& launch : launches_)
          if (launch.teams > 0 && sample<Keep>(run, launch, f, box, strata, partials, stream, scaling.factor()))
            gather<Keep>(launch, partials);
        if (run.ended())
          return std::nullopt;
        auto const sums = join<Keep>(strata, partials);
        auto const iteration = sums.template estimate<Value>(1);
        if (!scaling.adjust(iteration))
          return step_of(f, sums, scaling.restored(iteration), scaling.exponent());
      }
    };
    auto const schedule =
        find_schedule(ranks_, run, options_.evaluations, options_.iterations, [&](std::uint64_t n) -> std::uint64_t {
          batches_.limit(limits.bytes);
          auto const samples = take_whole(integrand, driving, box, n);
          hold();
          auto const step = run.ended() ? std::nullopt : draw(upload(), pilot_stream);
          if (step)
            run.reserve(*step, options_.non_finite);
          return step ? samples : 0;
        });
    batches_.limit(limits.bytes);
    auto const samples = run.ended() ? 0 : plan(run, integrand, driving, weights, box, tolerance, schedule, limits);
    hold();
    auto const strata = upload();
    while (run.wants_more(schedule.iterations, samples)) {
      auto const step = draw(strata, iteration_);
      if (!step)
        break;
      ++iteration_;
      run.add(*step, options_.non_finite);
    }
    if (spared_)
      run.remark("fp64 throughout: mixing formats would not be faster here");
    auto result = signed_by<Space>(result_for<G, Value>(run.finish()), fp64, options_.seed, ranks_);
    result.precision = "adaptive: " + summary(choices_, parts_name());
    return result;
  }

  std::string_view parts_name() const {
    return options_.strategy == Strategy::term ? "terms" : options_.strategy == Strategy::region ? "regions" : "parts";
  }

  /// What the points tell about the regions, and about the parts whose formats are chosen: [region][part].
  struct View {
    std::vector<Region> regions{1};
    std::vector<Probed> parts;
  };

  bool by_term() const { return options_.strategy != Strategy::region; }

  /// Makes the whole box the only stratum, in fp64. @returns the samples of an iteration
  template <class F, class Driving, int D>
  std::uint64_t take_whole(F const& integrand, Driving const& driving, Box<D> const& box, std::uint64_t wanted) {
    View view;
    view.parts.resize(1);
    describe(view, integrand, box, 1);
    return stratify(view.regions, driving.f, box, wanted, term_count(driving.f), 1);
  }

  /// Chooses regions, formats and samples. @returns the samples of an iteration
  /// @param driving the components by which regions and samples are chosen
  /// @param weights in which shares
  template <class Run, class F, class Driving, int D>
  std::uint64_t plan(Run& run, F const& integrand, Driving const& driving, ComponentWeights& weights, Box<D> const& box,
                     Tolerance tolerance, Schedule const& schedule, Limits limits) {
    using G = typename Driving::Whole;
    if (run.counted() > 0) // probing cannot be stopped
      limits.evaluations = static_cast<std::uint64_t>(
          std::min(static_cast<double>(run.evaluations_left()), std::max(2.0, schedule.left)));
    int const d = box.dimension(), terms = term_count(driving.f), parts = by_term() ? terms : 1;
    bool room = true;
    if constexpr (is_batched<G>)
      room = !ranks_.any(!batches_.reserve(exec_, prober_.bytes(d, values_of_point(driving.f))));
    // A region is probed at most three times; all that may take a quarter of the evaluations allowed.
    std::uint64_t const each = prober_.evaluations(is_batched<G> ? 1 : static_cast<std::size_t>(driving.count()), d),
                        look = 3 * each;
    auto const affordable =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(options_.regions), limits.evaluations / 4 / look);
    auto const most =
        room ? static_cast<int>(std::min(affordable, std::max<std::uint64_t>(1, schedule.samples / least_samples))) : 0;
    auto const wanted = std::max<std::uint64_t>(
        2, std::min(schedule.samples, limits.evaluations - static_cast<std::uint64_t>(most) * look));

    View view;
    if (most > 0)
      run.count(see(view, driving, weights, box, most, terms) * each);
    else
      view.parts.resize(static_cast<std::size_t>(parts));
    describe(view, integrand, box, parts);
    double const allowed =
        rounding_tolerance(view.regions, d, Transform<double, D>(box).volume(), tolerance, options_.rounding,
                           static_cast<double>(wanted) * std::min(schedule.iterations, limits.iterations));
    FormatCosts const costs = costs_of<Space>(options_.costs, lowest());
    choose_formats(choices_, allowed, costs);
    bool const interpreted = requires { driving.f.terms(); } && options_.costs == std::array<double, format_count>{};
    spared_ = spare(choices_, static_cast<std::size_t>(parts), costs, interpreted ? Tune::term_overhead : 0);
    auto const samples = stratify(view.regions, driving.f, box, wanted, terms, parts);
    if (!room)
      run.give_up(Status::memory_exhausted);
    return samples;
  }

  /// Probes the whole box, regions and terms, as the strategy requires. @returns how many cells were probed
  template <class Driving, int D>
  std::uint64_t see(View& view, Driving const& driving, ComponentWeights& weights, Box<D> const& box, int most,
                    [[maybe_unused]] int terms) {
    using G = typename Driving::Whole;
    std::uint64_t cells = 0;
    auto const probe = [&](auto const& parts, std::vector<SubBox> const& fresh) {
      auto seen = prober_.template probe<LowestReal>(exec_, parts, box, fresh, cells, &batches_);
      cells += fresh.size();
      return seen;
    };
    auto const look = [&](auto const& fresh) { return joined(probe(driving, fresh), weights.values()); };
    auto const whole = probe(driving, std::vector<SubBox>(1));
    std::vector<double> magnitudes;
    for (auto const& component : whole)
      magnitudes.push_back(component.magnitude);
    weights.learn(magnitudes);
    view.regions = {{SubBox{}, joined(whole, weights.values())[0]}};
    if (options_.strategy != Strategy::term)
      view.regions = split(view.regions[0].seen, lengths(box), most, look);
    if constexpr (!is_batched<G> && Driving::components == 1)
      if (by_term() && terms > 1) {
        std::vector<SubBox> all;
        for (auto const& region : view.regions)
          all.push_back(region.cell);
        view.parts = probe(TermsOfIntegrand<G>{driving.f}, all);
        return cells;
      }
    for (auto const& region : view.regions)
      view.parts.push_back(region.seen);
    return cells;
  }

  /// Lists the choices to be made.
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

  /// Makes the strata of the regions, sorted by the formats that their launches mix, with their samples and teams.
  /// @returns the samples of an iteration
  template <class G, int D>
  std::uint64_t stratify(std::vector<Region> const& regions, G const& f, Box<D> const& box, std::uint64_t wanted,
                         int terms, int parts) {
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
    Partition const chunks(exec_, {}, wanted, 1, most_chunk_samples(f, box.dimension()));
    // The sums of components known at run time treat each segment as a stratum, which needs at least two samples.
    std::uint64_t const least = summed_elsewhere<G> ? 2 : 1;
    bool const infinite = Transform<double, D>(box).infinite();

    std::vector<Stratum> mixes[3];
    for (std::size_t r = 0; r < regions.size(); ++r) {
      Stratum stratum;
      stratum.cell = regions[r].cell;
      stratum.share = regions[r].cell.volume(box.dimension());
      stratum.samples = counts[r] / least * least;
      for (int k = 0; k < std::min(terms, TermFormats::most); ++k)
        stratum.formats.set(k, choice_of(r, k).format);
      auto const per_team = chunks.length * Tune::segments;
      stratum.teams = static_cast<int>(Partition::ceil(stratum.samples, per_team));
      stratum.length = Partition::ceil(stratum.samples, static_cast<std::uint64_t>(stratum.teams) * Tune::segments);
      stratum.length = Partition::ceil(stratum.length, least) * least;
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
  template <class Keep>
  using Partials = Kokkos::View<typename Keep::Sums*, Space, Kokkos::MemoryUnmanaged>;

  DeviceStrata upload() {
    auto const strata = device_strata_.template as<Stratum>(exec_, strata_.size());
    detail::upload(exec_, strata, strata_);
    return strata;
  }

  /// @returns whether everything was sampled before the call ended
  template <class Keep, class Run, class G, int D>
  bool sample(Run& run, Launch const& launch, G const& f, Box<D> const& box, DeviceStrata const& strata,
              Partials<Keep> const& partials, Stream const& stream, double factor) {
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
      Transform<Sample, D> const transform(box, CoordinateFormat::of<Sample>());
      Points const points{{transform, stream, box.dimension(), transform.volume() * factor},
                          Kokkos::subview(strata, std::pair(launch.first, launch.first + launch.strata)),
                          Inside<float, D>(box),
                          Inside<LowestReal, D>(box)};
      Partition chunks;
      chunks.first = strata_[static_cast<std::size_t>(launch.first)].first_team + first;
      chunks.mine = teams;
      chunks.count = launch.teams;
      for (int s = launch.first; s < launch.first + launch.strata; ++s)
        chunks.length = std::max(chunks.length, strata_[static_cast<std::size_t>(s)].length);
      SampleChunks<Space, Sample, G, Points, Keep> const kernel{f, points, {}, chunks, partials, options_.non_finite};
      launch_sampling(exec_, ranks_, run, kernel, "kubature::mixed_precision::sample", &batches_);
    };
    as(std::integral_constant<Mix, Mix::doubles>{});
    if constexpr (!in_double) {
      as(std::integral_constant<Mix, Mix::singles>{});
      as(std::integral_constant<Mix, Mix::terms>{});
    }
    return !run.ended();
  }

  template <class Keep>
  void gather(Launch const& launch, Partials<Keep> const& partials) {
    int const first = strata_[static_cast<std::size_t>(launch.first)].first_team;
    total_.gather(exec_, Partials<Keep>(partials.data() + first, static_cast<std::size_t>(launch.teams)), ranks_,
                  [&](int rank) { return launch.begin(rank, ranks_.size()); });
  }

  template <class Keep>
  auto join(DeviceStrata const& strata, Partials<Keep> const& partials) {
    using Join = JoinStrata<Space, Keep>;
    auto const sums = sums_.template as<typename Join::Sums>(exec_, strata_.size());
    Kokkos::parallel_for("kubature::mixed_precision::join",
                         JoinPolicy<Space>(exec_, static_cast<int>(strata_.size()), Tune::reduction_team),
                         Join{strata, partials, sums});
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
  ComponentSums<Space> components_{"kubature::mixed_precision::components"};
};

} // namespace kubature::detail
