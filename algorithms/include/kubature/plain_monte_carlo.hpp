#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/channel_use.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/request.hpp>
#include <kubature/detail/components/with_components.hpp>
#include <kubature/detail/iterations/launch_sampling.hpp>
#include <kubature/detail/iterations/sampling_loop.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/launch/at_dimension.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/sampling/uniform_points.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace kubature {

/// Plain Monte Carlo: the mean of f over independent uniform points. The baseline for comparisons, and the best choice
/// for rough integrands of many variables at a modest tolerance.
template <class P = Fp64>
struct PlainMonteCarlo {
  /// Samples per iteration, at least 2.
  std::uint64_t evaluations = 1'000'000;
  /// Maximum number of iterations; each draws new points and counts equally.
  int iterations = 10;
  /// With several components: whether the errors of pairs are estimated together, as needed for their ratios and sums.
  Covariance covariance = Covariance::diagonal;
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
  Channels channels = Channels::automatic; ///< whether narrow peaks are searched for, and integrated one by one
  /// Points near peaks, [point][axis] in the coordinates of the box: the integral is computed by channels about the
  /// peaks near them.
  std::vector<double> known = {};
};

template <class P>
struct Described<PlainMonteCarlo<P>> {
  using M = PlainMonteCarlo<P>;
  static constexpr std::string_view type = "PlainMonteCarlo", name = "mc";
  static constexpr Abilities serves{
      .batches = true, .several = true, .many = true, .many_variables = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::plain;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples per iteration",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"), false),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false),
      option("channels", &M::channels, detail::channels_summary, AnyValue{}, false),
      option("known", &M::known, detail::known_summary, AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<PlainMonteCarlo<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, PlainMonteCarlo<P> const& options)
      : threads_(exec), ranks_(ranks), options_(options) {}

  /// Every call draws new points.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Request const& request) {
    Kokkos::Profiling::ScopedRegion region("kubature::plain_monte_carlo");
    return with_components<P, D>(
        threads_.all(), ranks_, options_, integrand, box, memory_.components, request.where,
        [&]<class G>(G const& f, auto products) {
          using Sampled = Engine<G, D, products>;
          auto run = estimates_for<Sampled::Keep::components>(f, epsilon<P>, "mc", request, ranks_);
          audit(run, f, box);
          Sampled engine(*this, f, box, run);
          auto const& limits = request.limits;
          auto const samples = std::max<std::uint64_t>(2, std::min(options_.evaluations, limits.evaluations));
          auto const bytes = engine.bytes(samples);
          if (bytes > limits.bytes)
            run.give_up(Status::memory_exhausted);
          memory_.batches.limit(limits.bytes - std::min(limits.bytes, bytes));
          SamplingLoop loop(engine, run, ranks_, options_.non_finite, ValueScale::of<typename P::accumulate_type>());
          auto const schedule = loop.find_schedule(samples, options_.iterations,
                                                   [](std::uint64_t n) { return SamplingPlan{.samples = n}; });
          auto const each = std::max<std::uint64_t>(2, std::min(schedule.samples, run.evaluations_left()));
          loop.iterate(schedule.iterations, {.samples = each}, stream_);
          return signed_by<Space>(result_for<G, typename Sampled::Value>(run.finish()), options_.precision,
                                  options_.seed, ranks_);
        });
  }

private:
  template <class F, int D, bool with_products>
  class Engine final : public SamplingEngine {
  public:
    using Eval = typename P::eval_type;
    using Value = ResultValue<F, Eval, D>;
    using Keep = KeepMoments<typename P::accumulate_type, ValueTraits<Value>::components, with_products>;

    Engine(Solver& solver, F const& f, Box<D> const& box, Estimates& run)
        : solver_(solver), f_(f), box_(box), run_(run) {}

    /// Device memory for the sums of a draw.
    std::size_t bytes(std::uint64_t samples) const {
      return static_cast<std::size_t>(cut(samples).count) * sizeof(typename Keep::Sums);
    }

    std::optional<Drawn> draw(SamplingPlan const& plan, ValueScale const& scale) override {
      auto& memory = solver_.memory_;
      auto const chunks = cut(plan.samples);
      auto const& exec = exec_for<F>(solver_.threads_, chunks);
      auto const sums_of_chunks =
          memory.partials.template as<typename Keep::Sums>(exec, static_cast<std::size_t>(chunks.count));
      bool all = false;
      at_dimension<Space, P, F, Keep::components, D>(box_.dimension(), [&]<int N>(std::integral_constant<int, N>) {
        using Points = UniformPoints<P, N, lanes_for<Space, F, Eval, N>>;
        using Sample = typename P::sample_type;
        Transform<Sample, N> const transform(Box<N>(box_), CoordinateFormat::of<Sample>());
        Points const points{{transform, Stream(solver_.options_.seed, plan.stream), box_.dimension(),
                             transform.volume() * scale.factor()}};
        SampleChunks<Space, Eval, F, Points, Keep> const kernel{f_,     points,         {},
                                                                chunks, sums_of_chunks, solver_.options_.non_finite};
        all =
            launch_sampling(exec, solver_.ranks_, run_, kernel, "kubature::plain_monte_carlo::sample", &memory.batches);
      });
      if (!all)
        return std::nullopt;
      auto const sums =
          memory.total.join(exec, "kubature::plain_monte_carlo::join", sums_of_chunks, solver_.ranks_, chunks);
      return drawn_from(f_, sums, sums.template estimate<Value>(), scale, plan);
    }

  private:
    Partition cut(std::uint64_t samples) const {
      return Partition(solver_.threads_.all(), solver_.ranks_, samples, 1, most_chunk_samples(f_, box_.dimension()));
    }

    Solver& solver_;
    F const& f_;
    Box<D> const& box_;
    Estimates& run_;
  };

  template <class F, int D>
  void audit(Estimates& run, F const& f, Box<D> const& box) {
    if constexpr (!summed_elsewhere<F>) {
      run.locate_by([&](std::uint64_t count) { return where_not_finite<P>(threads_, values_, f, box, count); });
      run.audit_by([&](std::uint64_t most) {
        std::vector<double> const edges{0, 1};
        Drawing drawing{reach_of_rounding(box, CoordinateFormat::of_arguments<P>()), axis_map(edges, 1), run.included(),
                        options_.seed};
        note_reach(drawing.reach, drawing.map, drawing.samples, 0x1p-33);
        return audit_points<P>(threads_, values_, f, box, drawing, most,
                               draw_through(drawing.map, box.dimension(), most / 2, options_.seed));
      });
    }
  }

  HostThreads<Space> threads_;
  Communicator ranks_;
  PlainMonteCarlo<P> options_;
  std::uint32_t stream_ = 0; ///< number of the next draw's random numbers
  PointValues<Space> values_;
  SamplingMemory<Space> memory_{"kubature::plain_monte_carlo"};
};

} // namespace detail
} // namespace kubature
