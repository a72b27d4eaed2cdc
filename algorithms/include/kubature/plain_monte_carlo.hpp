#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/covariance.hpp>
#include <kubature/detail/audit/audit_points.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/call/schedule.hpp>
#include <kubature/detail/components/with_components.hpp>
#include <kubature/detail/iterations/steps.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/total.hpp>
#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/sampling/moments.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/sampling/sample_in_batches.hpp>
#include <kubature/detail/sampling/scaling.hpp>
#include <kubature/detail/sampling/uniform_points.hpp>
#include <kubature/integrator.hpp>
#include <kubature/precision.hpp>

#include <algorithm>
#include <optional>

namespace kubature {

/// Plain Monte Carlo: the mean of f over independent uniform points. The baseline for comparisons, and the best choice
/// for rough integrands of many variables at a modest tolerance.
template <class P = Fp64>
struct PlainMonteCarlo {
  /// Samples per iteration, at least 2.
  std::uint64_t evaluations = 1'000'000;
  /// Maximum number of iterations; each draws new points and counts equally.
  int iterations = 10;
  /// With several components: whether the errors of each pair are estimated together, as ratios and sums of them
  /// require.
  Covariance covariance = Covariance::diagonal;
  std::uint64_t seed = 0;                  ///< of the random numbers
  P precision = {};                        ///< fp64, fp32, fp32_pure, fp16 or adaptive
  NonFinite non_finite = NonFinite::error; ///< what happens to values that are not finite
};

template <class P>
struct Described<PlainMonteCarlo<P>> {
  using M = PlainMonteCarlo<P>;
  static constexpr std::string_view type = "PlainMonteCarlo", name = "mc";
  static constexpr Abilities serves{.batches = true, .several = true, .distributed = true};
  static constexpr double single_bias = detail::SingleBias::plain;
  static constexpr std::tuple options{
      option("evaluations", &M::evaluations, "Samples per iteration",
             at_least<std::uint64_t>(2, "an error estimate needs at least 2")),
      option("iterations", &M::iterations, "Maximum number of iterations", at_least(1, "must be at least 1"), false),
      option("covariance", &M::covariance, detail::covariance_summary),
      option("seed", &M::seed, "Seed of the random numbers"),
      option("non_finite", &M::non_finite, "Treatment of values that are not finite", AnyValue{}, false)};
  static void check_combinations(M const&, std::source_location) {}
};

namespace detail {

template <class P, class Space>
class Solver<PlainMonteCarlo<P>, Space> {
public:
  Solver(Space const& exec, Communicator const& ranks, PlainMonteCarlo<P> const& options)
      : exec_(exec), ranks_(ranks), options_(options) {}

  /// Every call draws new points.
  template <class F, int D>
  auto solve(F const& integrand, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
             std::source_location where) {
    return with_components<P, D>(
        exec_, ranks_, options_, integrand, box, components_, where, [&](auto const& f, auto products) {
          return this->template solve_on_device<products>(f, box, tolerance, limits, callback, where);
        });
  }

private:
  template <bool with_products, class G, int D>
  auto solve_on_device(G const& f, Box<D> const& box, Tolerance tolerance, Limits limits, Callback const& callback,
                       std::source_location where) {
    using Eval = typename P::eval_type;
    using Value = ResultValue<G, Eval, D>;
    using Points = UniformPoints<P, D, lanes_for<Space, G, Eval, D>>;
    using Keep = KeepMoments<typename P::accumulate_type, ValueTraits<Value>::components, with_products>;
    using Moments = typename Keep::Sums;
    Kokkos::Profiling::ScopedRegion region("kubature::plain_monte_carlo");

    auto run = estimates_for<Keep::components>(f, epsilon<P>, "mc", tolerance, limits, callback, where, ranks_);
    auto const samples = std::max<std::uint64_t>(2, std::min(options_.evaluations, limits.evaluations));
    auto const cut = [&](std::uint64_t all) {
      return Partition(exec_, ranks_, all, 1, most_chunk_samples(f, box.dimension()));
    };
    auto chunks = cut(samples);
    auto const bytes = static_cast<std::size_t>(chunks.count) * sizeof(Moments);
    if (bytes > limits.bytes)
      run.give_up(Status::memory_exhausted);
    batches_.limit(limits.bytes - std::min(limits.bytes, bytes));
    Transform<typename P::sample_type, D> const transform(box, CoordinateFormat::of_arguments<P>());
    Scaling<typename P::accumulate_type> scaling;
    if constexpr (!summed_elsewhere<G>) {
      run.locate_by([&](std::uint64_t count) { return where_not_finite<P>(exec_, values_, f, box, count); });
      run.audit_by([&](std::uint64_t most) {
        std::vector<double> const edges{0, 1};
        Drawing drawing{reach_of_rounding(box, CoordinateFormat::of_arguments<P>()), axis_map(edges, 1), run.included(),
                        options_.seed};
        note_reach(drawing.reach, drawing.map, drawing.samples, 0x1p-33);
        return audit_points<P>(exec_, values_, f, box, drawing, most,
                               draw_through(drawing.map, box.dimension(), most / 2, options_.seed));
      });
    }
    // Returns nothing if the call ended meanwhile.
    auto const draw = [&](Partition const& work, std::uint32_t iteration_number) -> std::optional<Step> {
      for (;;) {
        auto const partials = partials_.template as<Moments>(exec_, static_cast<std::size_t>(work.count));
        Stream const stream(options_.seed, iteration_number);
        Points const points{{transform, stream, box.dimension(), transform.volume() * scaling.factor()}};
        SampleChunks<Space, Eval, G, Points, Keep> const kernel{f, points, {}, work, partials, options_.non_finite};
        if (!launch_sampling(exec_, ranks_, run, kernel, "kubature::plain_monte_carlo::sample", &batches_))
          return std::nullopt;
        Moments const total = total_.join(exec_, "kubature::plain_monte_carlo::join", partials, ranks_, work);
        auto const iteration = total.template estimate<Value>();
        if (!scaling.adjust(iteration))
          return step_of(f, total, scaling.restored(iteration), scaling.exponent());
      }
    };
    auto const schedule =
        find_schedule(ranks_, run, samples, options_.iterations, [&](std::uint64_t n) -> std::uint64_t {
          auto const step = draw(cut(n), pilot_stream);
          if (step)
            run.reserve(*step, options_.non_finite);
          return step ? n : 0;
        });
    auto const each = std::max<std::uint64_t>(2, std::min(schedule.samples, run.evaluations_left()));
    if (each < samples)
      chunks = cut(each);
    while (run.wants_more(schedule.iterations, each)) {
      auto const step = draw(chunks, iteration_);
      if (!step)
        break;
      ++iteration_;
      run.add(*step, options_.non_finite);
    }
    return signed_by<Space>(result_for<G, Value>(run.finish()), options_.precision, options_.seed, ranks_);
  }

  Space exec_;
  Communicator ranks_;
  PlainMonteCarlo<P> options_;
  std::uint32_t iteration_ = 0;
  PointValues<Space> values_;
  Buffer<Space> partials_{"kubature::plain_monte_carlo::partials"};
  Total<Space> total_{"kubature::plain_monte_carlo::total"};
  Batches<Space> batches_{"kubature::plain_monte_carlo::batches"};
  ComponentSums<Space> components_{"kubature::plain_monte_carlo::components"};
};

} // namespace detail
} // namespace kubature
