#pragma once

#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/driving.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/detail/sampling/shifted_sums.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/detail/sampling/stratum_sums.hpp>
#include <kubature/detail/vegas/mapped_points.hpp>
#include <kubature/detail/vegas_plus/allocation.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

namespace kubature::detail {

/// The source of VEGAS+: pairs of samples in strata, as allocated. The segments of a chunk have equal numbers of
/// consecutive pairs, whatever the strata, and a pair is a run.
///
/// A stratum that crosses the end of a segment has a part in each. The parts add to its mean, and each adds to the
/// variance of the mean by its own deviations, so parts need not be joined. The part with the middle pair records the
/// stratum's weight.
template <class Space, class P, int D>
struct StratumPoints : MappedPoints<Space, P, D> {
  using Map = MappedPoints<Space, P, D>;
  using Acc = typename Map::Acc;
  using Table = typename Map::Table;
  using Points = typename Map::Points;
  using Stratum = typename Allocation<Space>::Cube;
  static constexpr int lanes = Map::lanes;

  Strata<D> strata;
  Allocation<Space> allocation;
  double weight = 0; ///< of a stratum's mean in the estimate, in units of the Jacobians; 0 if this is none

  /// A part of a stratum.
  struct Part {
    Stratum stratum{};
    std::uint32_t size = 0; ///< pairs; 0 at the end of the segment
    std::uint32_t left = 0; ///< of these
    std::uint32_t rest = 0; ///< pairs of the segment behind this part
    Acc share = 1;          ///< the part's share of the stratum
    bool weigh = false;     ///< whether the part records the stratum's weight

    /// The part that follows `ahead` pairs of the stratum.
    KOKKOS_FUNCTION void open(std::uint64_t ahead) {
      std::uint64_t const whole = stratum.pairs - ahead;
      size = whole < rest ? static_cast<std::uint32_t>(whole) : rest;
      left = size;
      rest -= size;
      share = size == stratum.pairs ? Acc(1) : static_cast<Acc>(size) / static_cast<Acc>(stratum.pairs);
      weigh = Allocation<Space>::holds_middle(stratum.pairs, ahead, size);
    }
  };

  /// The parts of the lanes, as a structure of arrays for vector instructions.
  struct OpenParts : LaneBits {
    std::uint32_t left[lanes]; ///< pairs of each

    KOKKOS_FUNCTION void begin(int w, Part const& part) {
      live |= std::uint32_t{1} << w;
      first |= std::uint32_t{1} << w;
      left[w] = part.left;
    }
    KOKKOS_FUNCTION void end(int w) { live &= ~(std::uint32_t{1} << w); }
    /// Removes a pair from each. @returns the lanes where none is left
    KOKKOS_FUNCTION std::uint32_t next(LaneFunctions const* by_vectors) {
      first = 0;
      if (by_vectors)
        return live & by_vectors->count_down(left);
      std::uint32_t ended = 0;
      for (int w = 0; w < lanes; ++w)
        ended |= std::uint32_t{--left[w] == 0} << w;
      return live & ended;
    }
  };

  struct Lanes {
    Part part[lanes];
    std::uint64_t sample[lanes];
    typename Map::Corner corner;
    typename Map::Turn turn;
    std::conditional_t<Map::vectors, OpenParts, NoLaneFunctions> open{};
  };

  KOKKOS_FUNCTION Lanes start(Table const& table, Partition const& chunks, std::uint64_t segment) const {
    std::uint64_t const pairs = allocation.pairs();
    Lanes at{{}, {}, {}, table.turn};
    typename Allocation<Space>::Place place{};
    for (int w = 0; w < lanes; ++w) {
      Part& part = at.part[w];
      std::uint64_t const begin = (segment + static_cast<std::uint64_t>(w)) * chunks.length;
      at.sample[w] = 2 * begin;
      bool const near = w > 0 && chunks.length <= few_pairs && begin < pairs;
      if (begin < pairs && !near)
        place = allocation.find(begin);
      if (near)
        go_on(place, begin, at.corner, w);
      else
        Map::place(at.corner, w, begin < pairs ? place.cube.index : 0, strata);
      if (begin < pairs) {
        part.stratum = place.cube;
        part.rest = static_cast<std::uint32_t>(begin + chunks.length < pairs ? chunks.length : pairs - begin);
        part.open(begin - place.first);
        if constexpr (Map::vectors)
          at.open.begin(w, part);
      }
    }
    return at;
  }
  KOKKOS_FUNCTION static bool any(Lanes const& at) {
    if constexpr (Map::vectors)
      return at.open.live != 0;
    std::uint32_t open = 0;
    for (int w = 0; w < lanes; ++w)
      open |= at.part[w].size;
    return open != 0;
  }
  KOKKOS_FUNCTION static bool live(Lanes const& at, int w) {
    if constexpr (Map::vectors)
      return at.open(w);
    else
      return at.part[w].size != 0;
  }
  /// Of lanes at a sample of a run.
  KOKKOS_FUNCTION static LaneBits bits(Lanes const& at, std::uint64_t s)
    requires(Map::vectors)
  {
    return {at.open.live, s == 0 ? at.open.first : 0};
  }
  KOKKOS_FUNCTION static constexpr std::uint64_t run() { return 2; }
  KOKKOS_FUNCTION static bool first(Lanes const& at, int w, std::uint64_t s) {
    if constexpr (Map::vectors)
      return s == 0 && (at.open.first >> w & 1) != 0;
    else
      return s == 0 && at.part[w].left == at.part[w].size;
  }

  KOKKOS_FUNCTION void draw(Lanes const& at, Table const& table, Points& to) const {
    Map::draw_at(at.sample, at.corner, table, to);
  }
  /// The sample after it.
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
    if constexpr (Map::vectors) {
      if (~at.open.live == 0)
        for (int w = 0; w < lanes; ++w)
          ++at.sample[w];
      else
        for (int w = 0; w < lanes; ++w)
          at.sample[w] += at.open.live >> w & 1;
      Map::record(at.turn, table, points, values, bits(at, 1), sum.largest);
    } else {
      for (int w = 0; w < lanes; ++w)
        if (live(at, w))
          ++at.sample[w];
      Map::record(at.turn, table, points, values, [&](int w) { return live(at, w); }, sum.largest);
    }
  }

  template <class Close>
  KOKKOS_FUNCTION void end_run(Lanes& at, Close const& close) const {
    if constexpr (Map::vectors) {
      for (auto ended = at.open.next(Map::by_vectors); ended != 0; ended &= ended - 1) {
        int const w = Kokkos::countr_zero(ended);
        if (end_part(at, w, close))
          at.open.begin(w, at.part[w]);
        else
          at.open.end(w);
      }
    } else {
      for (int w = 0; w < lanes; ++w)
        if (at.part[w].size != 0 && --at.part[w].left == 0)
          end_part(at, w, close);
    }
  }

  /// Maximum number of runs per segment, and the part that contains the next sample of a single lane.
  KOKKOS_FUNCTION static std::uint64_t runs(Partition const& chunks) { return chunks.length; }
  KOKKOS_FUNCTION static Part const& part(Lanes const& at) { return at.part[0]; }

  /// A part that closes.
  static constexpr bool stratified = true;
  KOKKOS_FUNCTION static PartOfStratum extent(Table const&, Part const& part) {
    return {std::uint64_t{2} * part.size, static_cast<double>(part.share)};
  }
  std::uint64_t strata_count() const { return strata.cubes; }

  /// Maximum number of samples per segment.
  static std::uint64_t steps(Partition const& chunks) { return 2 * chunks.length; }
  KOKKOS_FUNCTION static std::uint64_t drawn(Lanes const& at, Partition const& chunks, std::uint64_t segment) {
    std::uint64_t sum = 0;
    for (int w = 0; w < lanes; ++w)
      sum += at.sample[w] - 2 * (segment + static_cast<std::uint64_t>(w)) * chunks.length;
    return sum;
  }

private:
  /// @returns whether another part begins
  template <class Close>
  KOKKOS_FORCEINLINE_FUNCTION bool end_part(Lanes& at, int w, Close const& close) const {
    Part& part = at.part[w];
    close(w, part);
    if (part.rest == 0) {
      part.size = 0;
      return false;
    }
    part.stratum = allocation.next(part.stratum);
    Map::advance(at.corner, w);
    part.open(0);
    return true;
  }

  /// Up to this many pairs per segment, advancing from the previous lane's cube is cheaper than a search.
  static constexpr std::uint64_t few_pairs = 64;

  /// From the cube where lane w - 1 begins to that of a pair behind it, where lane w does.
  KOKKOS_FUNCTION void go_on(typename Allocation<Space>::Place& place, std::uint64_t pair, typename Map::Corner& corner,
                             int w) const {
    Map::copy(corner, w - 1, w);
    for (; place.first + place.cube.pairs <= pair; Map::advance(corner, w)) {
      place.first += place.cube.pairs;
      place.cube = allocation.next(place.cube);
    }
  }
};

/// Sums the means of strata and the variances of these, and writes the weights by which the next iteration allocates
/// its samples.
template <class Space, class Acc, int C, bool with_products = false>
struct KeepStrata {
  static constexpr int components = C;
  static constexpr bool products = with_products;
  using Sums = StratumSums<Acc, C, with_products>;

  /// The strata's weights; empty if not wanted.
  Kokkos::View<float*, Space, Kokkos::MemoryUnmanaged> weights;
  /// beta / 2, and the factor of the standard deviation that keeps it within the range of single precision.
  float half_beta;
  double deviation_scale;
  DriverWeights<C> drive = {}; ///< see Driving

  template <int W, class Part>
  KOKKOS_FUNCTION void close(ShiftedSums<Acc, C, W, with_products> const& values, int w, Part const& part,
                             Sums& sum) const {
    auto const a = static_cast<Acc>(2 * part.size);
    Acc const over_both = Acc(1) / (a * (a - 1)), over_a = over_both * (a - 1);
    Acc driving = 0;
    for (int c = 0; c < C; ++c) {
      Acc const variance = values.squares(c, w, over_a) * over_both; // of the mean
      Acc const mean = values.mean(c, w, over_a) * part.share;
      sum.means[c] += mean;
      sum.add_magnitude(c, mean);
      sum.spreads[c] += variance * part.share * part.share;
      if constexpr (C == 1)
        driving = variance;
      else if (auto const weight = static_cast<Acc>(drive.of[c]); weight > 0)
        driving += weight * (weight * variance);
    }
    if (part.weigh && weights.data()) {
      float const weight = weight_of(static_cast<double>(driving * a));
      weights(part.stratum.index) = weight;
      sum.weights += static_cast<double>(weight);
    }
    if constexpr (with_products)
      values.add_products_to(sum, w, over_a, over_both * part.share * part.share);
  }

  KOKKOS_FUNCTION KeepStrata<Space, Acc, C> without_products() const {
    return {weights, half_beta, deviation_scale, drive};
  }
  /// The factor of products of deviations within a part.
  template <class Part>
  KOKKOS_FUNCTION static Acc factor(Part const& part) {
    auto const a = static_cast<Acc>(2 * part.size);
    return part.share * part.share / (a * (a - 1));
  }

private:
  /// sigma^beta.
  KOKKOS_FUNCTION float weight_of(double variance) const {
    auto const scaled = static_cast<float>(variance * deviation_scale * deviation_scale);
    if (!(scaled > 0))
      return 0;
    float const bounded = scaled < 0x1p120f ? scaled : 0x1p120f;
    KOKKOS_IF_ON_HOST((if (half_beta == 0.375f) {
      float const root = std::sqrt(std::sqrt(bounded)); // beta = 3/4, in less time
      return root * std::sqrt(root);
    }))
    return Kokkos::exp2(half_beta * Kokkos::log2(bounded));
  }
};

} // namespace kubature::detail
