#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/components/with_components.hpp>
#include <kubature/detail/iterations/launch_sampling.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/launch/at_dimension.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/mixed_precision/join_cells.hpp>
#include <kubature/detail/mixed_precision/mixed_strategy.hpp>
#include <kubature/detail/mixed_precision/sub_box_points.hpp>
#include <kubature/detail/probing/parts.hpp>
#include <kubature/detail/probing/prober.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/integrator.hpp>
#include <kubature/mixed_precision_options.hpp>
#include <kubature/precision.hpp>
#include <kubature/precision_choice.hpp>
#include <kubature/vegas_plus.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Its regions are boxes along the axes, whose points no channel maps.
template <class Lowest>
struct MethodOfParts<MixedPrecision<Lowest>> {
  using type = VegasPlus<>;
  static type from(MixedPrecision<Lowest> const& method) {
    return {.evaluations = method.evaluations,
            .iterations = method.iterations,
            .covariance = method.covariance,
            .driver = method.driver,
            .seed = method.seed,
            .non_finite = method.non_finite};
  }
};

/// Terms by their numbers, in each of several sums.
using SumsOfTerms = std::vector<std::vector<int>>;

/// Whether an integrand compiles programs for sums of its terms.
template <class F, class Space>
concept CompilesSums = requires(F const& f, Space const& exec, SumsOfTerms const& sums) { f.sums_on(exec, sums); };

template <class Lowest, class Space>
class Solver<MixedPrecision<Lowest>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, MixedPrecision<Lowest> const& options)
      : exec_(exec), ranks_(ranks), options_(options), prober_(options.points, options.seed) {}

  /// Every call draws new points.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    require_few_variables<D>();
    static_assert(in_double || !(is_batched<F> || has_run_time_components<F>),
                  "an integrand made by batched() is evaluated in fp64: use MixedPrecision<Fp64>");
    Kokkos::Profiling::ScopedRegion region("kubature::mixed_precision");
    return with_components<Fp64, D>(
        exec_, ranks_, options_, integrand, box, memory_.components, request.where,
        [&]<class G>(G const& f, auto products) {
          constexpr bool by_sums = CompilesSums<F, Space>;
          using Sampled = Engine<G, D, products, by_sums>;
          constexpr int components = Sampled::Keep::components;
          static_assert(in_double || components == 1,
                        "several components are evaluated in fp64: use MixedPrecision<Fp64>");
          static_assert(in_double || Integrand<G, float, D>,
                        "MixedPrecision evaluates in float and double: make the integrand a template in Real");
          auto run = estimates_for<components>(f, epsilon<Fp64>, "mixed", request, ranks_);
          int const used = used_components<components>(f);
          int const driver = driving_component(options_, used, request.where);
          ComponentsOfIntegrand<G, components> const driving{f, std::max(driver, 0), driver < 0 ? used : 1};
          std::function<G(SumsOfTerms const&)> compile;
          if constexpr (by_sums)
            compile = [&](SumsOfTerms const& sums) { return integrand.sums_on(exec_, sums); };
          Sampled engine(*this, driving, box, run, compile);
          auto const options = with_precision<Fp64>(options_);
          auto const about = call(integrand, f, box);
          MixedStrategy strategy(options, engine, run, ranks_, request, about,
                                 ComponentWeights(std::min(driver, 0), driving.count()), choices_);
          strategy.run(stream_);
          auto result =
              signed_by<Space>(result_for<G, typename Sampled::Value>(run.finish()), fp64, options_.seed, ranks_);
          result.precision = "adaptive: " + summary(choices_, strategy.parts_name());
          return result;
        });
  }

  /// The choices of the last call and their reasons: one entry per term, region, or term in a region.
  std::vector<PrecisionChoice> const& choices() const { return choices_; }

private:
  using Tune = Tuning<Space>;
  static constexpr bool in_double = std::is_same_v<Lowest, Fp64>;
  static constexpr bool with_half = std::is_same_v<Lowest, Fp16> && Tune::half_in_hardware;
  using LowestReal = std::conditional_t<in_double, double, half_if<with_half>>;
  static constexpr Format lowest = in_double                      ? Format::binary64
                                   : std::is_same_v<Lowest, Fp32> ? Format::binary32
                                                                  : Format::binary16;

  /// The data that the strategy needs.
  /// @param integrand as the user gives it @param f as kernels call it
  template <class F, class G, int D>
  MixedCall call(F const& integrand, G const& f, Box<D> const& box) const {
    int const terms = term_count(f);
    Transform<double, D> const transform(box);
    bool const interpreted = requires { f.terms(); } && options_.costs == std::array<double, format_count>{};
    return {.terms = terms,
            .term_by_term = !is_batched<G> && ValueTraits<ResultValue<G, double, D>>::components == 1 && terms > 1,
            .by_sums = CompilesSums<F, Space>,
            .names = names_of_parts(integrand, terms),
            .operations = operations_of_parts(integrand, terms, options_.operations),
            .operations_of_whole = operations_of_parts(integrand, 1, options_.operations)[0],
            // The sums of components known at run time treat each segment as a stratum, which needs two samples.
            .least_samples = summed_elsewhere<G> ? 2u : 1u,
            .origins = origins(box),
            .lengths = lengths(box),
            .volume = transform.volume(),
            .infinite = transform.infinite(),
            .costs = costs_of<Space>(options_.costs, lowest),
            .overhead = interpreted ? Tune::term_overhead : 0};
  }

  /// @tparam by_sums whether the terms of a format are evaluated by a program for their sum
  template <class F, int D, bool with_products, bool by_sums>
  class Engine final : public MixedEngine {
  public:
    using Value = ResultValue<F, double, D>;
    using Keep = KeepMoments<double, ValueTraits<Value>::components, with_products>;

    /// @param driving the components by which regions and samples are chosen
    /// @param compile makes an integrand whose terms are sums of terms
    Engine(Solver& solver, ComponentsOfIntegrand<F, Keep::components> const& driving, Box<D> const& box, Estimates& run,
           std::function<F(SumsOfTerms const&)> const& compile)
        : solver_(solver), exec_(solver.exec_), ranks_(solver.ranks_), memory_(solver.memory_), driving_(driving),
          f_(driving_.f), box_(box), run_(run), compile_(compile) {}

    void set_cells(CellPlan const& plan) override {
      plan_ = plan;
      if constexpr (by_sums)
        if (auto const& mixed = plan.launches[static_cast<std::size_t>(Mix::terms)]; mixed.cells > 0)
          compile_sums(mixed);
      cells_ = solver_.device_cells_.template as<Cell>(exec_, plan.cells.size());
      upload(exec_, solver_.device_cells_.template as<Cell>(exec_, plan.cells.size()), plan_.cells);
    }
    std::size_t bytes(CellPlan const& plan) const override {
      auto const sums = static_cast<std::size_t>(plan.teams()) * sizeof(Moments) + plan.cells.size() * sizeof(Cell);
      return summed_elsewhere<F> ? sums + memory_.batches.held() : sums; // their memory is not shared with the sums
    }
    void limit_batches(std::size_t bytes) override { memory_.batches.limit(bytes); }
    std::uint64_t segment_length(std::uint64_t samples) const override {
      return Partition(exec_, {}, samples, 1, most_chunk_samples(f_, box_.dimension())).length;
    }
    int segments_per_team() const override { return Tune::segments; }

    bool reserve_for_probing() override {
      if constexpr (is_batched<F>)
        return memory_.batches.reserve(exec_, solver_.prober_.bytes(box_.dimension(), values_of_point(f_)));
      else
        return true;
    }
    std::uint64_t evaluations_of_probe() const override {
      return solver_.prober_.evaluations(is_batched<F> ? 1 : static_cast<std::size_t>(driving_.count()),
                                         box_.dimension());
    }
    std::vector<Probed> probe_components(std::vector<SubBox> const& boxes, std::uint64_t first) override {
      return probe(driving_, boxes, first);
    }
    std::vector<Probed> probe_terms([[maybe_unused]] std::vector<SubBox> const& boxes,
                                    [[maybe_unused]] std::uint64_t first) override {
      if constexpr (!is_batched<F> && Keep::components == 1)
        return probe(TermsOfIntegrand<F>{f_}, boxes, first);
      else
        return {};
    }

    std::optional<Drawn> draw(SamplingPlan const& plan, ValueScale const& scale) override {
      auto const partials = memory_.partials.template as<Moments>(exec_, static_cast<std::size_t>(plan_.teams()));
      Stream const stream(solver_.options_.seed, plan.stream);
      auto const launch = [&]<Mix mix>(std::integral_constant<Mix, mix>) {
        auto const& of_mix = plan_.launches[static_cast<std::size_t>(mix == Mix::sums ? Mix::terms : mix)];
        if (of_mix.teams > 0 && !run_.ended() && sample<mix>(of_mix, partials, stream, scale.factor()))
          gather(of_mix, partials);
      };
      launch(std::integral_constant<Mix, Mix::doubles>{});
      if constexpr (!in_double) {
        launch(std::integral_constant<Mix, Mix::singles>{});
        launch(std::integral_constant<Mix, by_sums ? Mix::sums : Mix::terms>{});
      }
      if (run_.ended())
        return std::nullopt;
      auto const sums = join(partials);
      return drawn_from(f_, sums, sums.template estimate<Value>(1), scale, plan);
    }

  private:
    using Moments = typename Keep::Sums;
    using Partials = Kokkos::View<Moments*, Space, Kokkos::MemoryUnmanaged>;
    using Cells = Kokkos::View<Cell const*, Space, Kokkos::MemoryUnmanaged>;

    template <class Parts>
    std::vector<Probed> probe(Parts const& parts, std::vector<SubBox> const& boxes, std::uint64_t first) {
      return solver_.prober_.template probe<LowestReal>(exec_, parts, box_, boxes, first, &memory_.batches);
    }

    /// Compiles the sums of the terms of each format in these cells, each once, and numbers them.
    void compile_sums(MixLaunch const& launch) {
      SumsOfTerms sums;
      std::map<std::vector<int>, int> known;
      int const terms = term_count(f_);
      for (Cell& cell : std::span(plan_.cells)
                            .subspan(static_cast<std::size_t>(launch.first), static_cast<std::size_t>(launch.cells))) {
        std::array<std::vector<int>, format_count> of_format;
        for (int k = 0; k < terms; ++k)
          of_format[static_cast<std::size_t>(cell.formats.of(k))].push_back(k);
        for (int format = 0; format < format_count; ++format) {
          auto const& sum = of_format[static_cast<std::size_t>(format)];
          cell.sums[format] = -1;
          if (sum.empty())
            continue;
          auto const [found, is_new] = known.try_emplace(sum, static_cast<int>(sums.size()));
          if (is_new)
            sums.push_back(sum);
          cell.sums[format] = found->second;
        }
      }
      sums_ = compile_(sums);
    }

    /// @returns whether everything was sampled before the call ended
    template <Mix mix>
    bool sample(MixLaunch const& launch, Partials const& partials, Stream const& stream, double factor) {
      at_dimension<Space, Fp64, F, Keep::components, D>(box_.dimension(), [&]<int N>(std::integral_constant<int, N>) {
        sample_in<mix>(Box<N>(box_), launch, partials, stream, factor);
      });
      return !run_.ended();
    }

    template <Mix mix, int N>
    void sample_in(Box<N> const& box, MixLaunch const& launch, Partials const& partials, Stream const& stream,
                   double factor) {
      int const first = launch.begin(ranks_.rank(), ranks_.size());
      constexpr int lanes = lanes_for<Space, F, std::conditional_t<mix == Mix::singles, float, double>, N>;
      using Points = SubBoxPoints<Space, mix, LowestReal, N, lanes>;
      using Sample = typename Points::Sample;
      Transform<Sample, N> const transform(box, CoordinateFormat::of<Sample>());
      Points const points{{transform, stream, box.dimension(), transform.volume() * factor},
                          Kokkos::subview(cells_, std::pair(launch.first, launch.first + launch.cells)),
                          Inside<float, N>(box),
                          Inside<LowestReal, N>(box)};
      auto const cells = std::span(plan_.cells)
                             .subspan(static_cast<std::size_t>(launch.first), static_cast<std::size_t>(launch.cells));
      Partition chunks;
      chunks.first = cells[0].first_team + first;
      chunks.mine = launch.begin(ranks_.rank() + 1, ranks_.size()) - first;
      chunks.count = launch.teams;
      for (Cell const& cell : cells)
        chunks.length = std::max(chunks.length, cell.length);
      SampleChunks<Space, Sample, F, Points, Keep> const kernel{
          mix == Mix::sums ? *sums_ : f_, points, {}, chunks, partials, solver_.options_.non_finite};
      launch_sampling(exec_, ranks_, run_, kernel, "kubature::mixed_precision::sample", &memory_.batches);
    }

    void gather(MixLaunch const& launch, Partials const& partials) {
      int const first = plan_.cells[static_cast<std::size_t>(launch.first)].first_team;
      memory_.total.gather(exec_, Partials(partials.data() + first, static_cast<std::size_t>(launch.teams)), ranks_,
                           [&](int rank) { return launch.begin(rank, ranks_.size()); });
    }

    auto join(Partials const& partials) {
      using Join = JoinCells<Space, Keep>;
      auto const sums = solver_.sums_.template as<typename Join::Sums>(exec_, plan_.cells.size());
      Kokkos::parallel_for("kubature::mixed_precision::join",
                           JoinPolicy<Space>(exec_, static_cast<int>(plan_.cells.size()), Tune::reduction_team),
                           Join{cells_, partials, sums});
      return memory_.total.join(exec_, "kubature::mixed_precision::total", sums);
    }

    Solver& solver_;
    Space const& exec_;
    Communicator const& ranks_;
    SamplingMemory<Space>& memory_;
    ComponentsOfIntegrand<F, Keep::components> driving_;
    F const& f_;
    Box<D> const& box_;
    Estimates& run_;
    std::function<F(SumsOfTerms const&)> const& compile_;
    std::optional<F> sums_; ///< its terms are the sums of the terms of each format
    CellPlan plan_;
    Cells cells_;
  };

  Space exec_;
  Communicator ranks_;
  MixedPrecision<Lowest> options_;
  std::uint32_t stream_ = 0; ///< number of the next draw's random numbers
  std::vector<PrecisionChoice> choices_;
  Prober<Space> prober_;
  Buffer<Space> device_cells_{"kubature::mixed_precision::cells"}, sums_{"kubature::mixed_precision::sums"};
  SamplingMemory<Space> memory_{"kubature::mixed_precision"};
};

} // namespace kubature::detail
