#pragma once

#include <kubature/backend.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/sampling/drawn_lanes.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/evaluate.hpp>
#include <kubature/detail/sampling/protocols.hpp>
#include <kubature/detail/sampling/shifted_sums.hpp>
#include <kubature/detail/sampling/stratum_sums.hpp>
#include <kubature/detail/sampling/team_products.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kubature::detail {

/// The number of points that the integrand evaluates at once, where a kernel can choose it.
template <class Space, class F, class Real, int D>
inline constexpr int lanes_for =
    EvaluatesSideBySide<F, Real, D, Tuning<Space>::batch> ? Tuning<Space>::batch : Tuning<Space>::lanes;

/// Whether an integrand of C components evaluates two points of a kind side by side; not of many variables, of which a
/// GPU has no room for two in each thread.
template <class F, class Eval, int C, class Sample, int D>
constexpr bool takes_two(std::type_identity<Point<Sample, D>>) {
  return !many_variables<D> && (EvaluatesSideBySide<F, Eval, D, 2> || EvaluatesComponentsSideBySide<F, Eval, D, C, 2>);
}

/// Whether a source with one lane also draws the sample after the next one, and the integrand evaluates both at once.
template <class Source, class F, class Eval, int C>
constexpr bool samples_two() {
  if constexpr (Source::lanes == 1 && DrawsAhead<Source>)
    return takes_two<F, Eval, C>(std::type_identity<std::remove_cvref_t<decltype(typename Source::Points().x[0])>>());
  else
    return false;
}

/// Sources that draw so few points, to search and to train, that one kernel serves them.
template <class Source>
constexpr bool draws_few = requires { requires Source::few; };

/// Whether boxes of a source may be parts of channels, which are those of an integral in fp64 (ByChannels).
template <class Source, class Eval>
constexpr bool comes_in_channels = std::is_same_v<Eval, double> && !requires { requires !Source::channels; };

/// The sampling kernel of all Monte Carlo methods: one team per chunk, whose threads work on its segments, `lanes` of
/// them side by side.
///
/// The points come from a source (PointSource), the values from the integrand through its Evaluation, and the
/// accumulator (Accumulator) sums them.
///
/// On a device of its own a thread samples its segment without the code for channels and for the causes of values that
/// are not finite, if it can: calls that are not inlined, even if never made, cost a loop half of its speed or more,
/// since registers are spilled around them (docs/design/monte-carlo.md). If values were not finite, it goes through its
/// segment again for the causes. Where boxes may be parts of channels, those that are, and causes that matter to the
/// sums, have a kernel of their own, which is the only one of sources that draw few points.
template <class Space, class Eval, class F, class Source, class Accumulator>
struct SampleChunks {
  static_assert(is_source<Source>() && is_accumulator<Accumulator, Source>());
  static constexpr int lanes = Source::lanes;
  using Acc = typename Source::Acc;
  using Sums = typename Accumulator::Sums;
  using Kept = ShiftedSums<Acc, Accumulator::components, lanes, Accumulator::products>;
  using Tune = Tuning<Space>;
  static constexpr bool batched = lanes != Tune::lanes;
  static constexpr int team_size = batched ? Tune::batch_team : Tune::sampling_team;
  /// Samples of a run that a lane gives the integrand at once.
  static constexpr int at_once = samples_two<Source, F, Eval, Accumulator::components>() ? 2 : 1;
  /// Whether a thread's sums occupy most of its registers.
  static constexpr bool many = Accumulator::components > Tune::few_components;
  using Bounds = std::conditional_t<
      batched, typename Tune::BatchBounds,
      std::conditional_t<many, typename Tune::ManyBounds,
                         std::conditional_t<at_once == 2, typename Tune::PairBounds, typename Tune::SamplingBounds>>>;
  template <class... Tag>
  using PolicyOf = Kokkos::TeamPolicy<Space, TeamSchedule<Space>, Bounds, Tag...>;
  using Policy = PolicyOf<>;
  using Member = typename Policy::member_type;

  /// Whether a team sums the products of components together.
  static constexpr bool by_team =
      many && Accumulator::products && on_device_of_its_own<Space> && lanes == 1 && RunsInStep<Source>;
  using Products = TeamProducts<Space, Acc, Accumulator::components, team_size>;

  /// Bytes of a device's fast memory that the reduction of large sums needs besides the scratch of the source: Kokkos
  /// joins up to eight sums there at a time.
  static std::size_t reduction() {
    if constexpr (by_team)
      return 8 * sizeof(StratumSums<Acc, Accumulator::components>) + Products::bytes();
    else
      return Accumulator::products && on_device_of_its_own<Space> ? 8 * sizeof(Sums) : 0;
  }

  /// Whether hosts weigh and sum values by vector instructions, where available.
  static constexpr bool vectors =
      by_vector_instructions<Source> && Accumulator::components == 1 && !Accumulator::products;

  F f;
  Source source;
  Accumulator accumulator;
  Partition chunks;
  Kokkos::View<Sums*, Space, Kokkos::MemoryUnmanaged> partials;
  NonFinite policy;
  Deadline deadline{};

  void launch(Space const& exec, std::string const& label) {
    if (chunks.mine == 0)
      return;
    constexpr bool channels = on_device_of_its_own<Space> && !by_team && comes_in_channels<Source, Eval>;
    if constexpr (channels && draws_few<Source>) {
      launch_as<Anywhere>(exec, label);
    } else {
      if constexpr (channels)
        if (source.transform.in_channel() || causes_matter())
          return launch_as<Anywhere>(exec, label);
      launch_as<>(exec, label);
    }
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    sample_chunk(team, static_cast<std::uint64_t>(chunks.first + team.league_rank()));
  }

  /// The tag of the kernel for parts of channels, and where causes matter.
  struct Anywhere {};
  KOKKOS_FUNCTION void operator()(Anywhere, Member const& team) const {
    sample_chunk<true>(team, static_cast<std::uint64_t>(chunks.first + team.league_rank()));
  }

  /// The work of a team on a chunk.
  template <bool anywhere = !on_device_of_its_own<Space>>
  KOKKOS_FUNCTION void sample_chunk(Member const& team, std::uint64_t chunk) const {
    auto const table = source.open(team, chunk);
    if constexpr (by_team) {
      sample_by_team(team, table, chunk);
    } else {
      Sums sum;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, Tune::segments / lanes),
          [&](int k, Sums& partial) {
            std::uint64_t const segment = chunk * Tune::segments + static_cast<std::uint64_t>(k) * lanes;
            if constexpr (anywhere)
              sample<true>(table, segment, partial);
            else
              sample_twice(table, segment, partial);
          },
          Join<Sums>(sum));
      Kokkos::single(Kokkos::PerTeam(team), [&] { partials(chunk) = sum; });
    }
    source.close(team, table);
  }

  /// The next points and values of the lanes, in this step since the beginning of their segments.
  /// @tparam anywhere whether the box may be the part of a channel, and causes are found (see above)
  template <bool anywhere = true>
  KOKKOS_FORCEINLINE_FUNCTION void take(typename Source::Table const& table, typename Source::Lanes const& at,
                                        std::uint64_t segment, [[maybe_unused]] std::uint64_t step,
                                        typename Source::Points& points, Acc (&values)[Accumulator::components][lanes],
                                        NonFiniteSamples& bad) const {
    bool drawn = false; // not needed if values are in memory
    if constexpr (is_in_memory<F> && HasCommonJacobian<Source>)
      drawn = source.common_jacobian(points);
    else if constexpr (is_in_memory<F> && keeps_drawn<Source>)
      drawn = f.drawn.read(points, f.slots.of(segment, step));
    if constexpr (vectors && DrawsColumns<Source>)
      if (take_columns(table, at, points, values, bad))
        return;
    if (!drawn)
      draw<anywhere>(table, at, points);
    if constexpr (vectors)
      if (source.by_vectors)
        return weigh(table, at, segment, step, points, values, bad);
    auto const live = [&](int w) { return source.live(at, w); };
    if constexpr (is_in_memory<F>)
      evaluate<Eval>(f.at(segment, step), points.x, points.jacobian, live, policy, values, bad,
                     [](int) { return NotFinite::seriously; });
    else
      evaluate<Eval>(source.integrand(f, table), points.x, points.jacobian, live, policy, values, bad,
                     [&](int w) { return reason<anywhere>(table, points, w); });
  }

  template <bool anywhere>
  KOKKOS_FUNCTION void draw(typename Source::Table const& table, typename Source::Lanes const& at,
                            typename Source::Points& points) const {
    source.draw(at, table, points);
    source.template place_in_box<anywhere>(points);
  }

  /// Whether values that are not finite have causes.
  static constexpr bool has_causes = TransformsBox<Source> && !is_in_memory<F>;

  /// The cause of a value of f at point w that is not finite.
  template <bool anywhere = true>
  KOKKOS_FUNCTION NotFinite reason([[maybe_unused]] typename Source::Table const& table,
                                   [[maybe_unused]] typename Source::Points const& points,
                                   [[maybe_unused]] int w) const {
    if constexpr (anywhere && has_causes)
      return detail::reason(source.integrand(f, table), source.transform, rounded<Eval>(points.x[w]));
    else
      return NotFinite::seriously;
  }

  /// Sample s of a run.
  template <class AnyKept, class AnySums>
  KOKKOS_FORCEINLINE_FUNCTION void keep(typename Source::Table const& table, typename Source::Lanes& at,
                                        std::uint64_t s, typename Source::Points const& points,
                                        Acc const (&values)[Accumulator::components][lanes], AnyKept& kept,
                                        AnySums& sum) const {
    bool added = false;
    if constexpr (vectors) {
      added = source.by_vectors;
      if (added)
        source.by_vectors->add(values[0], source.bits(at, s), kept.shift[0], kept.s1[0], kept.s2[0]);
    }
    for (int w = 0; !added && w < lanes; ++w)
      if (source.live(at, w))
        kept.add(values, w, source.first(at, w, s));
    if constexpr (IsDriven<Accumulator>)
      source.end_sample(at, table, points, Driving<Acc, Accumulator::components, lanes>{values, accumulator.drive},
                        sum);
    else
      source.end_sample(at, table, points, values[0], sum);
  }

  /// The segments of the lanes that begin with this one, side by side.
  /// @param at    the lanes
  /// @param ready ready(step), called before each step, provides its values and may renumber the steps; false: the
  ///              samples are no longer wanted
  template <bool anywhere = true, class Ready>
  KOKKOS_FUNCTION void sample(typename Source::Table const& table, std::uint64_t segment, typename Source::Lanes& at,
                              Ready& ready, Sums& sum) const {
    Kept kept;
    for (int w = 0; w < lanes; ++w)
      kept.clear(w);
    NonFiniteSamples bad;
    std::uint64_t step = 0;
    while (source.any(at)) {
      for (std::uint64_t s = 0; s < source.run(); s += at_once) {
        if (!ready(step))
          return;
        if constexpr (at_once == 2) {
          sample_two<anywhere>(table, at, s, kept, sum, bad);
        } else {
          typename Source::Points points;
          Acc values[Accumulator::components][lanes];
          take<anywhere>(table, at, segment, step++, points, values, bad);
          keep(table, at, s, points, values, kept, sum);
        }
      }
      source.end_run(at, [&](int w, auto const& part) {
        accumulator.close(kept, w, part, sum);
        kept.clear(w);
      });
    }
    sum.finish(source.drawn(at, chunks, segment), bad);
  }

private:
  /// For values that need no preparation.
  struct UntilDeadline {
    Deadline::Watch watch;

    KOKKOS_FUNCTION bool operator()(std::uint64_t) { return !watch.over(); }
  };

  /// Launches the kernel of this tag.
  template <class... Tag>
  void launch_as(Space const& exec, std::string const& label) {
    auto configured = source.configure(PolicyOf<Tag...>(exec, chunks.mine, team_size), reduction(),
                                       Tune::segments * source.steps(chunks));
    if constexpr (by_team)
      configured.set_scratch_size(
          0, Kokkos::PerTeam(static_cast<int>(configured.team_scratch_size(0) + Products::bytes())));
    Kokkos::parallel_for(label, as_argument(configured), *this);
  }

  /// Whether the causes of values that are not finite matter to the sums.
  KOKKOS_FUNCTION bool causes_matter() const { return has_causes && policy == NonFinite::propagate; }

  /// Without causes at first, unless they matter.
  KOKKOS_FUNCTION void sample_twice(typename Source::Table const& table, std::uint64_t segment, Sums& sum) const {
    bool const matter = causes_matter();
    Sums own;
    if (!matter)
      sample<false>(table, segment, own);
    if (matter || (has_causes && own.non_finite > 0)) {
      Sums const found = sampled(*this, table, segment, matter);
      if (matter)
        own = found;
      own.on_poles = found.on_poles;
      own.serious = found.serious;
    }
    sum.join(own);
  }
  template <bool anywhere>
  KOKKOS_FUNCTION void sample(typename Source::Table const& table, std::uint64_t segment, Sums& sum) const {
    typename Source::Lanes at = source.start(table, chunks, segment);
    if constexpr (evaluation_of<F> == Evaluation::blocks) {
      KOKKOS_IF_ON_HOST((f.sample(*this, table, segment, at, sum);))
    } else {
      UntilDeadline ready{Deadline::Watch(deadline)};
      sample<anywhere>(table, segment, at, ready, sum);
    }
  }

  /// The sums of a segment with the causes. A separate function, and of copies: a reference to an argument of a kernel
  /// makes nvcc copy all of them into local memory.
  /// @param records whether samples are recorded, to train a map
  [[gnu::noinline]] KOKKOS_FUNCTION static Sums sampled(SampleChunks own, typename Source::Table table,
                                                        std::uint64_t segment, bool records) {
    Sums sum;
    if (!records)
      Source::record_nothing(table);
    own.template sample<true>(table, segment, sum);
    return sum;
  }

  /// The segments of a chunk, one per thread, whose samples a team processes in lockstep. All sums except the
  /// products are bitwise equal to those of sample(). The products are of the deviations of each sample from the mean
  /// of the n samples before it in its stratum, with the weight n / (n + 1) (Welford, "Note on a method for calculating
  /// corrected sums of squares and products", 1962).
  KOKKOS_FUNCTION void sample_by_team(Member const& team, typename Source::Table const& table,
                                      std::uint64_t chunk) const {
    constexpr int C = Accumulator::components;
    static_assert(team_size == Tune::segments);
    auto const alone = accumulator.without_products();
    using Alone = std::remove_const_t<decltype(alone)>;
    auto const segment = chunk * Tune::segments + static_cast<std::uint64_t>(team.team_rank());
    typename Source::Lanes at = source.start(table, chunks, segment);
    Products products(team);
    ShiftedSums<Acc, C, lanes> kept;
    kept.clear(0);
    typename Alone::Sums sum;
    NonFiniteSamples bad;
    std::uint64_t step = 0;
    Acc before = 0; // samples of the stratum
    for (std::uint64_t r = 0, runs = Source::runs(chunks); r < runs; ++r) {
      bool const live = source.any(at);
      for (std::uint64_t s = 0; s < source.run(); ++s) {
        products.weigh(0);
        if (live) {
          typename Source::Points points;
          Acc values[C][lanes];
          take(table, at, segment, step++, points, values, bad);
          if (source.first(at, 0, s))
            before = 0;
          if (before > 0) {
            Acc const over_n = Acc(1) / before;
            for (int c = 0; c < C; ++c)
              products.set(c, values[c][0] - kept.mean(c, 0, over_n));
            products.weigh(before / (before + 1) * accumulator.factor(Source::part(at)));
          }
          before += 1;
          keep(table, at, s, points, values, kept, sum);
        }
        products.add(team);
      }
      if (live)
        source.end_run(at, [&](int w, auto const& part) {
          alone.close(kept, w, part, sum);
          kept.clear(w);
        });
    }
    sum.finish(source.drawn(at, chunks, segment), bad);
    team.team_reduce(Join<typename Alone::Sums>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(chunk).take(sum); });
    products.finish(team, partials(chunk).products);
  }

  /// take() of an integrand that evaluates points whose coordinates are side by side: points and values never change
  /// their order.
  /// @returns false if that is not possible
  KOKKOS_FUNCTION bool take_columns(typename Source::Table const& table, typename Source::Lanes const& at,
                                    typename Source::Points& points, double (&values)[1][lanes],
                                    NonFiniteSamples& bad) const
    requires(vectors)
  {
    using Called = std::remove_cvref_t<decltype(source.integrand(f, table))>;
    if constexpr (std::is_same_v<Eval, double> && EvaluatesColumns<Called, double, lanes>) {
      constexpr int axes = std::remove_cvref_t<decltype(points.x[0])>::capacity;
      double x[axes + Called::further_columns][lanes], of_f[lanes];
      if (!source.draw_columns(at, table, x, points))
        return false;
      source.integrand(f, table).columns(x, of_f);
      LaneBits const bits = source.bits(at, 1);
      if (!source.by_vectors->weigh(of_f, points.jacobian, bits.live, values[0])) [[unlikely]] {
        for (int w = 0; w < lanes; ++w) {
          points.x[w].set_size(source.dimension);
          for (int i = 0; i < source.dimension; ++i)
            points.x[w][i] = x[i][w];
        }
        evaluate<double>(Evaluated{of_f}, points.x, points.jacobian, bits, policy, values, bad,
                         [&](int w) { return reason(table, points, w); });
      }
      return true;
    }
    return false;
  }

  /// evaluate() by vectors.
  KOKKOS_FUNCTION void weigh(typename Source::Table const& table, typename Source::Lanes const& at,
                             [[maybe_unused]] std::uint64_t segment, [[maybe_unused]] std::uint64_t step,
                             typename Source::Points const& points, double (&values)[1][lanes],
                             NonFiniteSamples& bad) const
    requires(vectors)
  {
    LaneBits const bits = source.bits(at, 1);
    [[maybe_unused]] double evaluated[lanes];
    double const* of_f = evaluated;
    if constexpr (is_in_memory<F>)
      of_f = f.at(segment, step).data();
    else
      evaluate_on_host<Eval>(source.integrand(f, table), points.x, bits.live, evaluated);
    if (!source.by_vectors->weigh(of_f, points.jacobian, bits.live, values[0])) [[unlikely]]
      evaluate<double>(Evaluated{of_f}, points.x, points.jacobian, bits, policy, values, bad,
                       [&](int w) { return reason(table, points, w); });
  }

  /// Samples s and s + 1 of a run, if there is another one, in one evaluation.
  template <bool anywhere>
  KOKKOS_FUNCTION void sample_two(typename Source::Table const& table, typename Source::Lanes& at, std::uint64_t s,
                                  Kept& kept, Sums& sum, NonFiniteSamples& bad) const {
    typename Source::Points points[2];
    source.draw(at, table, points[0]);
    source.draw_next(at, table, points[1]);
    for (auto& each : points)
      source.template place_in_box<anywhere>(each);
    decltype(auto) first = points[0].x[0];
    std::remove_cvref_t<decltype(first)> const x[2] = {first, points[1].x[0]};
    Acc const jacobian[2] = {points[0].jacobian[0], points[1].jacobian[0]};
    Acc both[Accumulator::components][2];
    int const count = s + 1 < source.run() ? 2 : 1;
    evaluate<Eval>(
        f, x, jacobian, [=](int w) { return w < count; }, policy, both, bad,
        [&](int w) { return reason<anywhere>(table, points[w], 0); });
    for (int w = 0; w < 2; ++w)
      if (w < count) {
        Acc values[Accumulator::components][lanes];
        for (int c = 0; c < Accumulator::components; ++c)
          values[c][0] = both[c][w];
        keep(table, at, s + static_cast<unsigned>(w), points[w], values, kept, sum);
      }
  }
};

} // namespace kubature::detail
