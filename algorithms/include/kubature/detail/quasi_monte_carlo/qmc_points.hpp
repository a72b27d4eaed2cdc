#pragma once

#include <kubature/backend.hpp>
#include <kubature/box.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>
#include <kubature/detail/quasi_monte_carlo/fold.hpp>
#include <kubature/detail/quasi_monte_carlo/peak.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>
#include <kubature/detail/quasi_monte_carlo/shifts.hpp>
#include <kubature/detail/sampling/drawn_lanes.hpp>
#include <kubature/detail/sampling/points.hpp>
#include <kubature/detail/sampling/segments.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kubature::detail {

/// How points are placed in the box from the unit cube of the axes' maps: straight, rotated, or in a peak. Each has a
/// kernel of its own, as rotating needs many registers.
enum class Placing { straight, rotated, in_peak };

/// Points whose coordinates are whole numbers, in fractions of 2^64: start() sets W lanes to their beginnings in
/// sequence `number`, advance() moves each to point k, and position() is a coordinate.
template <class S, int W>
concept PointSequence = requires(S const& s, std::uint64_t number, std::uint64_t const (&begin)[W], int dimension,
                                 typename S::template Lanes<W>& at) {
  s.start(number, begin, dimension, at);
  s.advance(number, dimension, at);
  { S::position(at, dimension, W) } -> std::same_as<std::uint64_t>;
};

/// The source of quasi-Monte Carlo: the points of a sequence, randomised for each shift, folded, mapped, rotated and
/// placed in the box. A segment of a chunk is a row of consecutive points of one shift, all in one stratum.
///
/// @tparam Sequence Lattice, Sobol, or points of one
template <class Space, class P, int D, int W, class Sequence, Placing placing>
struct QmcPoints {
  static_assert(PointSequence<Sequence, W>,
                "a sequence has Lanes<W>, start(number, begin, dimension, lanes), advance(k, dimension, lanes), and a "
                "static position(lanes, axis, w), which returns a coordinate as a std::uint64_t");
  using Sample = typename P::sample_type;
  using Acc = typename P::accumulate_type;
  static constexpr int lanes = W;
  static constexpr int capacity = Point<double, D>::capacity;
  static constexpr bool few = requires { Sequence::few; };
  using Points = detail::Points<Sample, Acc, D, W>;
  using Part = std::uint64_t; ///< points of a segment
  struct Table {};
  struct Lanes {
    Segments<W> items; ///< points of the shift
    typename Sequence::template Lanes<W> at;
  };

  Transform<Sample, D> transform;
  Sequence sequence;
  Fold<Sample> fold;
  Rotation<Space> rotation; ///< unused unless rotated
  PeakMap<Space> peak;      ///< unused unless in a peak
  CoordinateMap<Space> map;
  std::uint64_t points;   ///< of each shift
  std::uint64_t segments; ///< of each shift
  int dimension;
  double volume; ///< of the box, scaled by Scaling
  static constexpr bool vectors = may_use_vectors<Sample, Acc, D, W>;
  LaneFunctionsIf<vectors> by_vectors = lane_functions_if<vectors>();

  static void record_nothing() {} // it never does
  KOKKOS_FUNCTION static void record_nothing(Table&) {}

  template <class Policy>
  Policy const& configure(Policy const& policy, std::size_t = 0, std::uint64_t = 0) const {
    return policy;
  }
  template <class Member>
  KOKKOS_FUNCTION static Table open(Member const&, std::uint64_t) {
    return {};
  }
  template <class Member>
  KOKKOS_FUNCTION static void close(Member const&, Table const&) {}
  template <class F>
  KOKKOS_FUNCTION static F const& integrand(F const& f, Table const&) {
    return f;
  }

  KOKKOS_FUNCTION Lanes start(Table const&, Partition const& chunks, std::uint64_t segment) const {
    Lanes lanes_at{Segments<W>(segment % segments, chunks.length, points), {}};
    sequence.start(segment / segments, lanes_at.items.begin, axes(), lanes_at.at);
    return lanes_at;
  }
  KOKKOS_FUNCTION static bool any(Lanes const& at) { return at.items.active > 0; }
  KOKKOS_FUNCTION static bool live(Lanes const& at, int w) { return w < at.items.active; }
  KOKKOS_FUNCTION static constexpr std::uint64_t run() { return 1; }
  KOKKOS_FUNCTION static bool first(Lanes const& at, int, std::uint64_t) { return at.items.k == 0; }

  KOKKOS_FUNCTION void draw(Lanes const& at, Table const&, Points& to) const {
    int const d = axes();
    for (int w = 0; w < W; ++w) {
      to.x[w].set_size(d);
      to.jacobian[w] = static_cast<Acc>(volume);
    }
    for (int i = 0; i < d; ++i)
      for (int w = 0; w < W; ++w) {
        Sample t = fold(one_and<Sample>(Sequence::position(at.at, i, w)), to.jacobian[w]);
        if (map.any())
          t = map(i, t, to.jacobian[w]);
        to.x[w][i] = placing == Placing::straight  ? transform.place(i, t)
                     : placing == Placing::rotated ? Rotation<Space>::normal(t)
                                                   : t;
      }
    if constexpr (placing != Placing::straight)
      for (int w = 0; w < W; ++w) {
        if constexpr (placing == Placing::rotated)
          rotation(to.x[w]);
        else
          peak(to.x[w], to.jacobian[w]);
        for (int i = 0; i < d; ++i)
          to.x[w][i] = transform.place(i, to.x[w][i]);
      }
  }
  /// The same on a host, with each coordinate of all lanes side by side.
  /// @returns false if draw() has to do it
  KOKKOS_FUNCTION bool draw_columns(Lanes const& at, Table const&, double (*x)[W], Points& besides) const
    requires(vectors && placing == Placing::straight)
  {
    if (!by_vectors || transform.maps())
      return false;
    double jacobian[W], t[W];
    for (int w = 0; w < W; ++w)
      jacobian[w] = volume;
    for (int i = 0; i < axes(); ++i) {
      for (int w = 0; w < W; ++w)
        t[w] = fold(one_and<double>(Sequence::position(at.at, i, w)), jacobian[w]);
      for (int w = 0; map.any() && w < W; ++w)
        t[w] = map(i, t[w], jacobian[w]);
      for (int w = 0; w < W; ++w)
        x[i][w] = transform.place(i, t[w]);
    }
    for (int w = 0; w < W; ++w)
      besides.jacobian[w] = jacobian[w];
    return true;
  }
  KOKKOS_FUNCTION static LaneBits bits(Lanes const& at, std::uint64_t)
    requires(vectors)
  {
    return at.items.bits();
  }
  /// See place_drawn().
  template <bool channels>
  KOKKOS_FUNCTION void place_in_box(Points& to) const {
    place_drawn<channels>(transform, to);
  }

  template <class Values, class Sums>
  KOKKOS_FUNCTION void end_sample(Lanes& at, Table const&, Points const&, Values const&, Sums&) const {
    sequence.advance(at.items.k + 1, axes(), at.at);
  }
  template <class Close>
  KOKKOS_FUNCTION static void end_run(Lanes& at, Close const& close) {
    at.items.next();
    if (at.items.active > 0)
      return;
    for (int w = 0; w < W && at.items.size(w) > 0; ++w)
      close(w, at.items.size(w));
  }

  /// The segments of a chunk that have points, in whole groups of lanes: not all if a shift has fewer.
  std::uint64_t filled_segments() const {
    return points < segments ? Partition::ceil(points, W) * W : std::uint64_t{Tuning<Space>::segments};
  }
  /// Maximum number of points per segment.
  static std::uint64_t steps(Partition const& chunks) { return chunks.length; }
  KOKKOS_FUNCTION static std::uint64_t drawn(Lanes const& at, Partition const&, std::uint64_t) {
    return at.items.size();
  }

private:
  KOKKOS_FUNCTION int axes() const { return is_dynamic<D> ? dimension : D; }
};

} // namespace kubature::detail
