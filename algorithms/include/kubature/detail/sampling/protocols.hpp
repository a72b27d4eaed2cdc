#pragma once

#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/detail/sampling/shifted_sums.hpp>
#include <kubature/detail/sampling/stratum_sums.hpp>

#include <Kokkos_Macros.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

/// \file
/// The requirements of SampleChunks on a source of points and an accumulator. A check names what a type lacks, one
/// sentence for each member.

namespace kubature::detail {

/// Stands for arguments of any type in these checks.
struct AnyArgument {
  template <class... T>
  KOKKOS_FUNCTION void operator()(T const&...) const {}
};

namespace of_source {

template <class S>
concept HasTypes = requires {
  typename S::Acc;
  typename S::Table;
  typename S::Lanes;
  typename S::Points;
  typename S::Part;
  { S::lanes } -> std::convertible_to<int>;
};
template <class S>
concept HasDimension = requires(S const& s) {
  { s.dimension } -> std::convertible_to<int>;
};
template <class S>
concept Configures =
    requires(S& s, typename S::Table& table, AnyArgument const& policy, std::size_t bytes, std::uint64_t samples) {
      s.configure(policy, bytes, samples);
      s.record_nothing();
      S::record_nothing(table);
    };
template <class S>
concept Opens = requires(S const& s, AnyArgument const& team, std::uint64_t chunk) {
  { s.open(team, chunk) } -> std::same_as<typename S::Table>;
};
template <class S>
concept Closes =
    requires(S const& s, AnyArgument const& team, typename S::Table const& table) { s.close(team, table); };
template <class S>
concept Starts = requires(S const& s, typename S::Table const& table, Partition const& cut, std::uint64_t segment) {
  { s.start(table, cut, segment) } -> std::same_as<typename S::Lanes>;
};
template <class S>
concept KnowsItsLanes = requires(S const& s, typename S::Lanes const& at, int w, std::uint64_t sample) {
  { s.any(at) } -> std::same_as<bool>;
  { s.live(at, w) } -> std::same_as<bool>;
  { s.first(at, w, sample) } -> std::same_as<bool>;
};
template <class S>
concept CountsRuns = requires(S const& s) {
  { s.run() } -> std::convertible_to<std::uint64_t>;
};
template <class S>
concept Draws =
    requires(S const& s, typename S::Lanes const& at, typename S::Table const& table, typename S::Points& points) {
      s.draw(at, table, points);
      s.template place_in_box<true>(points);
      points.x[0][0];
      { points.jacobian[0] } -> std::convertible_to<typename S::Acc>;
    };
template <class S>
concept EndsSamples = requires(S const& s, typename S::Lanes& at, typename S::Table const& table,
                               typename S::Points const& points, typename S::Acc const* values,
                               StratumSums<typename S::Acc, 1>& sum) { s.end_sample(at, table, points, values, sum); };
template <class S>
concept EndsRuns = requires(S const& s, typename S::Lanes& at, AnyArgument const& close) { s.end_run(at, close); };
template <class S>
concept CountsSamples = requires(S const& s, typename S::Lanes const& at, Partition const& cut, std::uint64_t segment) {
  { s.steps(cut) } -> std::same_as<std::uint64_t>;
  { s.drawn(at, cut, segment) } -> std::same_as<std::uint64_t>;
};

} // namespace of_source

/// A source of points: the beginnings of W lanes, which lanes are live, and the number of samples of one stratum in a
/// run; it draws W points, and after a run it calls close(w, part) for each lane w that has left a stratum, or a part
/// of one.
template <class S>
concept PointSource =
    of_source::HasTypes<S> && of_source::HasDimension<S> && of_source::Configures<S> && of_source::Opens<S> &&
    of_source::Closes<S> && of_source::Starts<S> && of_source::KnowsItsLanes<S> && of_source::CountsRuns<S> &&
    of_source::Draws<S> && of_source::EndsSamples<S> && of_source::EndsRuns<S> && of_source::CountsSamples<S>;

/// Reports each missing member of a source.
template <class S>
constexpr bool is_source() {
  static_assert(of_source::HasTypes<S>,
                "a source names its types: Acc of sums, Table of a team, Lanes of a thread, Points, and the Part of a "
                "stratum that close() is given; and `lanes`, how many points it draws side by side");
  if constexpr (of_source::HasTypes<S>) {
    static_assert(of_source::HasDimension<S>, "a source has `dimension`, the number of variables");
    static_assert(of_source::Configures<S>,
                  "a source lacks configure(policy, bytes, samples), which returns the policy with its scratch memory, "
                  "or record_nothing(), after which its points train no map, or record_nothing(table)");
    static_assert(of_source::Opens<S>, "a source lacks open(team, chunk), which returns the Table of a team");
    static_assert(of_source::Closes<S>, "a source lacks close(team, table), called when the chunk is done");
    static_assert(of_source::Starts<S>,
                  "a source lacks start(table, partition, segment), which returns the Lanes that begin with a segment");
    static_assert(of_source::KnowsItsLanes<S>,
                  "a source lacks any(lanes), live(lanes, w) or first(lanes, w, sample), which say whether any lane, "
                  "or lane w, has a sample left, and whether that is the first of its part of a stratum");
    static_assert(of_source::CountsRuns<S>, "a source lacks run(), the number of samples of one stratum in a row");
    static_assert(of_source::Draws<S>,
                  "a source lacks draw(lanes, table, points), which sets the points' coordinates x and their jacobian, "
                  "or place_in_box<channels>(points), which maps infinite sides and channels");
    static_assert(of_source::EndsSamples<S>,
                  "a source lacks end_sample(lanes, table, points, values, sum), which goes on to the next sample");
    static_assert(of_source::EndsRuns<S>,
                  "a source lacks end_run(lanes, close), which calls close(w, part) where a part of a stratum ends");
    static_assert(of_source::CountsSamples<S>,
                  "a source lacks steps(partition), the most samples of a segment, or drawn(lanes, partition, "
                  "segment), how many were drawn");
  }
  return PointSource<S>;
}

/// A source with the same maximum number of runs in all segments, so that a team can process them in lockstep.
template <class S>
concept RunsInStep = requires(typename S::Lanes const& at, Partition const& cut) {
  { S::runs(cut) } -> std::same_as<std::uint64_t>;
  { S::part(at) } -> std::convertible_to<typename S::Part>;
};

/// A source with one lane that draws the sample after the next one as well.
template <class S>
concept DrawsAhead = requires(S const& s, typename S::Lanes const& at, typename S::Table const& table,
                              typename S::Points& points) { s.draw_next(at, table, points); };

/// A source whose points all have one Jacobian where common_jacobian() says so.
template <class S>
concept HasCommonJacobian = requires(S const& s, typename S::Points& points) {
  { s.common_jacobian(points) } -> std::same_as<bool>;
};

/// A source whose points have a Transform that may be infinite.
template <class S>
concept TransformsBox = requires(S const& s) { s.transform.infinite(); };

/// A source for which components known at run time keep sums themselves: it defines which samples make up a stratum.
template <class S>
concept SaysExtent = requires(S const& s, typename S::Table const& table, typename S::Part const& part) {
  { s.extent(table, part) } -> std::same_as<PartOfStratum>;
};
template <class S>
concept StratifiedSource = PointSource<S> && requires(S const& s) {
  { S::stratified } -> std::convertible_to<bool>;
  { s.strata_count() } -> std::same_as<std::uint64_t>;
} && (!S::stratified || SaysExtent<S>);

/// A source that may leave the last segments of a chunk without samples: filled_segments() is the number of those with
/// samples.
template <class S>
concept FillsSomeSegments = requires(S const& s) {
  { s.filled_segments() } -> std::same_as<std::uint64_t>;
};

/// A source whose points hosts draw and weigh by vector instructions.
template <class S>
inline constexpr bool by_vector_instructions = [] {
  if constexpr (requires { S::vectors; })
    return S::vectors;
  else
    return false;
}();

/// As above, where it can draw each coordinate of all lanes side by side.
template <class S>
concept DrawsColumns =
    by_vector_instructions<S> && requires(S const& s, typename S::Lanes const& at, typename S::Table const& table,
                                          double (*x)[S::lanes], typename S::Points& besides) {
      { s.draw_columns(at, table, x, besides) } -> std::same_as<bool>;
    };

/// As above, with data of the map that are kept with the points.
template <class S>
inline constexpr bool keeps_drawn = by_vector_instructions<S> && requires(typename S::Points const& p) { p.interval; };

/// Whether a source says what part of the estimate a stratum's mean is, `weight`, and F may want the weights of points.
template <class S, class F>
inline constexpr bool weighs_points = MayWantWeights<F> && requires(S const& s) { s.weight; };

namespace of_accumulator {

template <class A>
concept HasTypes = requires {
  typename A::Sums;
  { A::components } -> std::convertible_to<int>;
  { A::products } -> std::convertible_to<bool>;
};
template <class Sums>
concept Joins = requires(Sums& sums, Sums const& other) { sums.join(other); };
template <class Sums>
concept Finishes = requires(Sums& sums, std::uint64_t drawn, NonFiniteSamples const& bad) { sums.finish(drawn, bad); };
template <class A, class Source>
concept Closes =
    requires(A const& a, ShiftedSums<typename Source::Acc, A::components, Source::lanes, A::products> const& kept,
             int w, typename Source::Part const& part, typename A::Sums& sums) { a.close(kept, w, part, sums); };

} // namespace of_accumulator

/// The sums of the values at the points of a source: close(kept, w, part, sums) adds the shifted sums of lane w to the
/// sums of the chunk, which are the partial results.
template <class A, class Source>
concept Accumulator = of_accumulator::HasTypes<A> && of_accumulator::Joins<typename A::Sums> &&
                      of_accumulator::Finishes<typename A::Sums> && of_accumulator::Closes<A, Source>;

/// Reports each missing member of an accumulator.
template <class A, class Source>
constexpr bool is_accumulator() {
  static_assert(of_accumulator::HasTypes<A>,
                "an accumulator names the type of its Sums, the number of `components`, and whether there are sums of "
                "their `products`");
  if constexpr (of_accumulator::HasTypes<A>) {
    static_assert(of_accumulator::Joins<typename A::Sums>,
                  "the Sums of an accumulator lack join(other), which adds others");
    static_assert(of_accumulator::Finishes<typename A::Sums>,
                  "the Sums of an accumulator lack finish(drawn, bad), called when a segment is done");
    static_assert(of_accumulator::Closes<A, Source>,
                  "an accumulator lacks close(kept, w, part, sums) for the parts of strata of this source");
  }
  return Accumulator<A, Source>;
}

/// An accumulator whose components train maps and strata by their weights; see Driving.
template <class A>
concept IsDriven = (A::components > 1) && requires(A const& a) { a.drive; };

} // namespace kubature::detail
