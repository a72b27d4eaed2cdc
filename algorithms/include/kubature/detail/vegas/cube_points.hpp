#pragma once

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/detail/sampling/segments.hpp>
#include <kubature/detail/sampling/shifted_sums.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/detail/sampling/stratum_sums.hpp>
#include <kubature/detail/vegas/mapped_points.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The source of m-Cubes: the same number of samples in every cube. A segment of a chunk is a row of consecutive cubes,
/// and the samples of a cube are a run.
template <class Space, class P, int D>
struct CubePoints : MappedPoints<Space, P, D> {
  using Map = MappedPoints<Space, P, D>;
  using Acc = typename Map::Acc;
  using Table = typename Map::Table;
  using Points = typename Map::Points;
  using Part = Acc; ///< a cube: 1 / its samples
  static constexpr int lanes = Map::lanes;

  Strata<D> cubes;

  struct Lanes {
    Segments<lanes> cube;
    std::uint64_t sample[lanes];
    typename Map::Corner corner;
    typename Map::Turn turn;
    Acc over_n; ///< 1 / samples per cube
  };

  KOKKOS_FUNCTION Lanes start(Table const& table, Partition const& chunks, std::uint64_t segment) const {
    Lanes at{Segments<lanes>(segment, chunks.length, chunks.items),
             {},
             {},
             table.turn,
             Acc(1) / static_cast<Acc>(cubes.samples)};
    for (int w = 0; w < lanes; ++w) {
      at.sample[w] = at.cube.begin[w] * cubes.samples;
      Map::place(at.corner, w, at.cube.begin[w], cubes);
    }
    return at;
  }
  KOKKOS_FUNCTION static bool any(Lanes const& at) { return at.cube.active > 0; }
  KOKKOS_FUNCTION static bool live(Lanes const& at, int w) { return w < at.cube.active; }
  /// Of lanes at a sample of a run.
  KOKKOS_FUNCTION static LaneBits bits(Lanes const& at, std::uint64_t s)
    requires(Map::vectors)
  {
    std::uint32_t const live = at.cube.active < lanes ? (std::uint32_t{1} << at.cube.active) - 1 : LaneBits::all;
    return {live, s == 0 ? live : 0};
  }
  KOKKOS_FUNCTION std::uint64_t run() const { return cubes.samples; }
  KOKKOS_FUNCTION static bool first(Lanes const&, int, std::uint64_t s) { return s == 0; }

  KOKKOS_FUNCTION void draw(Lanes const& at, Table const& table, Points& to) const {
    Map::draw_at(at.sample, at.corner, table, to);
  }
  /// Draws the sample that follows.
  KOKKOS_FUNCTION void draw_next(Lanes const& at, Table const& table, Points& to) const {
    std::uint64_t next[lanes];
    for (int w = 0; w < lanes; ++w)
      next[w] = at.sample[w] + 1;
    Map::draw_at(next, at.corner, table, to);
  }

  /// @param values values[w] of sample w trains the map
  template <class Values, class Sums>
  KOKKOS_FUNCTION void end_sample(Lanes& at, Table const& table, Points const& points, Values const& values,
                                  Sums& sum) const {
    for (int w = 0; w < lanes; ++w)
      ++at.sample[w];
    if constexpr (Map::vectors)
      Map::record(at.turn, table, points, values, bits(at, 1), sum.largest);
    else
      Map::record(at.turn, table, points, values, [&](int w) { return live(at, w); }, sum.largest);
  }

  template <class Close>
  KOKKOS_FUNCTION void end_run(Lanes& at, Close const& close) const {
    for (int w = 0; w < lanes; ++w)
      if (live(at, w))
        close(w, at.over_n);
    for (int w = 0; w < lanes; ++w)
      Map::advance(at.corner, w);
    at.cube.next();
  }

  /// Maximum number of runs per segment, and the argument of close() for a cube.
  KOKKOS_FUNCTION static std::uint64_t runs(Partition const& chunks) { return chunks.length; }
  KOKKOS_FUNCTION static Acc part(Lanes const& at) { return at.over_n; }

  /// The part of a stratum that closes: all of a cube.
  static constexpr bool stratified = true;
  KOKKOS_FUNCTION PartOfStratum extent(Table const&, Acc) const { return {cubes.samples, 1}; }
  std::uint64_t strata_count() const { return cubes.cubes; }

  /// Maximum number of samples per segment.
  std::uint64_t steps(Partition const& chunks) const { return chunks.length * cubes.samples; }
  KOKKOS_FUNCTION std::uint64_t drawn(Lanes const&, Partition const& chunks, std::uint64_t segment) const {
    return Segments<lanes>(segment, chunks.length, chunks.items).size() * cubes.samples;
  }
};

/// Sums the means of cubes that have n samples each, and the squared deviations, which are n (n - 1) times the variance
/// of the mean.
template <class Acc, int C, bool with_products = false>
struct KeepCubes {
  static constexpr int components = C;
  static constexpr bool products = with_products;
  using Sums = StratumSums<Acc, C, with_products>;

  DriverWeights<C> drive = {}; ///< see Driving

  template <int W>
  KOKKOS_FUNCTION void close(ShiftedSums<Acc, C, W, with_products> const& values, int w, Acc over_n, Sums& sum) const {
    for (int c = 0; c < C; ++c) {
      Acc const mean = values.mean(c, w, over_n);
      sum.means[c] += mean;
      sum.add_magnitude(c, mean);
      sum.spreads[c] += values.squares(c, w, over_n);
    }
    if constexpr (with_products)
      values.add_products_to(sum, w, over_n, Acc(1));
  }

  KOKKOS_FUNCTION KeepCubes<Acc, C> without_products() const { return {drive}; }
  /// The factor of products of deviations within a cube.
  KOKKOS_FUNCTION static Acc factor(Acc) { return 1; }
};

} // namespace kubature::detail
