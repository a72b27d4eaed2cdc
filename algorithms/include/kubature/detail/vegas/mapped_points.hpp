#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/sampling/strata.hpp>
#include <kubature/detail/sampling/stream.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas/recorded_points.hpp>
#include <kubature/point.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kubature::detail {

/// The common part of the sources of m-Cubes and VEGAS+: points drawn in cubes of the unit cube and mapped into the box
/// by the VEGAS map, and their weights recorded (RecordedPoints).
///
/// Edges, in coordinates of the box, lie in team scratch where the backend has room for them. A point's position along
/// an axis of the map is a fixed-point number of 63 bits: the interval in the upper bits, the position within it in the
/// lower ones, so that no number is converted.
template <class Space, class P, int D>
struct MappedPoints : RecordedPoints<Space, P, D> {
  using Base = RecordedPoints<Space, P, D>;
  using Base::axes, Base::bins, Base::bins_level, Base::by_vectors, Base::capacity, Base::fill, Base::lanes,
      Base::record_every, Base::thread, Base::vectors;
  using typename Base::Acc, typename Base::Layout, typename Base::Points, typename Base::Sample, typename Base::Table,
      typename Base::Tune, typename Base::Turn;
  template <class T>
  using Scratch = typename Base::template Scratch<T>;
  using Position = std::uint64_t;

  Transform<double, D> transform;
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> edges;
  /// By axis_place().
  static constexpr int places = axis_places<D>;
  Kokkos::Array<Position, places> step{}; ///< a cube's side
  Kokkos::Array<Position, places> span{}; ///< of all cubes
  /// The upper halves of the sides: nvcc multiplies 32-bit numbers faster if it sees them as such.
  Kokkos::Array<std::uint32_t, places> upper_step{};
  int dimension;
  int tables; ///< of edges in the box: 1 if all axes share map and side, else one per axis
  int stride; ///< from an axis to the next in these
  /// The number of boxes of intervals, times the ratio of the box's volume to that of its sides rounded to Sample. In a
  /// narrow Acc this would overflow, as it would for many axes, so each axis contributes its factor.
  Acc boxes = 1;
  static constexpr bool wide = sizeof(Acc) >= sizeof(double) && !many_variables<D>;
  int fraction_bits; ///< of a position
  Stream stream;
  /// Chosen by configure().
  bool edges_in_scratch = false;
  int edges_level = 0;

  /// @param factor multiplies the weights of the points, see Scaling
  MappedPoints(Box<D> const& box, DeviceMap<Space> const& map, Strata<D> const& strata, Stream where,
               std::uint32_t every, bool filling, double factor = 1)
      : Base(map, every, filling), transform(box, CoordinateFormat::of<typename P::sample_type>(), map.bins()),
        edges(map.edges()), dimension(box.dimension()), tables(axes == 1 && box.is_cube() ? 1 : dimension),
        stride(tables > 1 ? bins + 1 : 0), fraction_bits(63 - std::bit_width(static_cast<unsigned>(bins))),
        stream(where) {
    boxes = static_cast<Acc>(factor / transform.inner());
    for (int i = 0; i < dimension; ++i) {
      int const at = axis_place<D>(i);
      step[at] = static_cast<Position>(std::ldexp(static_cast<double>(bins) / strata.counts[at], fraction_bits));
      span[at] = static_cast<Position>(strata.counts[at]) * step[at];
      upper_step[at] = static_cast<std::uint32_t>(step[at] >> 32);
      auto const lower = static_cast<Sample>(transform.place(i, 0)),
                 upper = static_cast<Sample>(transform.place(i, bins));
      boxes *= static_cast<Acc>(transform.stretch(i, bins) / static_cast<double>(upper - lower) * (wide ? bins : 1));
    }
  }

  /// Bytes of the device's memory for the slow scratch of all concurrent teams.
  static std::size_t slow_scratch(Space const& exec, int tables, int axes, int bins) {
    return Layout(tables, axes, bins, true).bytes[1] *
           static_cast<std::size_t>(exec.concurrency() / Tune::sampling_team + 1);
  }

  /// The policy with the scratch that a team needs.
  /// @param taken   bytes of the fast level used otherwise
  /// @param samples maximum per chunk: if they are few, a device reads edges from the map itself, since placing all of
  ///                them in scratch would take longer
  template <class Policy>
  Policy configure(Policy policy, std::size_t taken = 0,
                   std::uint64_t samples = std::numeric_limits<std::uint64_t>::max()) {
    bool const placed = !on_device_of_its_own<Space> || samples > 2 * static_cast<std::uint64_t>(bins);
    Layout const layout(placed ? tables : 0, axes, bins, fill, taken);
    edges_in_scratch = placed && layout.edges_in_scratch;
    edges_level = layout.edges_level;
    bins_level = layout.bins_level;
    if constexpr (!on_device_of_its_own<Space>)
      thread = typename Base::Thread(policy.space());
    return policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(layout.bytes[0])))
        .set_scratch_size(1, Kokkos::PerTeam(static_cast<int>(layout.bytes[1])));
  }

  /// The beginning of a lane's cube along every axis, and half of a random word's share further. The first axis runs
  /// fastest.
  struct Corner {
    Position at[places][lanes];
  };

  KOKKOS_FUNCTION void place(Corner& corner, int w, std::uint64_t cube, Strata<D> const& strata) const {
    bool const drawn = !vectors || tables > 0;
    for (int i = 0; i < used_places(); ++i) {
      if (!drawn) {
        corner.at[i][w] = 0;
        continue;
      }
      auto const n = static_cast<std::uint64_t>(strata.counts[i]);
      corner.at[i][w] = cube % n * step[i] + (step[i] >> 33);
      cube /= n;
    }
  }

  KOKKOS_FUNCTION void copy(Corner& corner, int from, int to) const {
    for (int i = 0; i < used_places(); ++i)
      corner.at[i][to] = corner.at[i][from];
  }

  /// From a cube to the one after it.
  KOKKOS_FUNCTION void advance(Corner& corner, int w) const {
    int const d = used_places();
    for (int i = 0; i < d; ++i) {
      corner.at[i][w] += step[i];
      if (corner.at[i][w] < span[i])
        return;
      corner.at[i][w] = step[i] >> 33;
    }
  }

  /// A uniform point in each lane's cube, mapped by the VEGAS map.
  KOKKOS_FUNCTION void draw_at(std::uint64_t const (&sample)[lanes], Corner const& corner, Table const& table,
                               Points& to) const {
    if constexpr (vectors) {
      if (by_vectors && edges_in_scratch) {
        by_vectors->draw({stream, sample, corner.at[0], step.data(), table.edge.data(), stride,
                          is_dynamic<D> ? dimension : D, fraction_bits, boxes, &to.x[0][0],
                          sizeof(to.x[0]) / sizeof(double), 1, to.jacobian, to.interval[0], lanes});
        if constexpr (D == dynamic)
          for (int w = 0; w < lanes; ++w)
            to.x[w].set_size(dimension);
        return;
      }
    }
    if (edges_in_scratch)
      draw(sample, corner, [&](int axis, int node) { return table.edge.data()[axis * stride + node]; }, to);
    else
      draw(sample, corner, [&](int axis, int node) { return edge(axis, node); }, to);
  }
  /// See place_drawn().
  template <bool channels>
  KOKKOS_FUNCTION void place_in_box(Points& to) const {
    place_drawn<channels>(transform, to);
  }

  /// The same on a host, where lane w has its place behind the first one's: stores points and what is recorded with
  /// them.
  /// @returns false if draw_at() has to do it
  KOKKOS_FUNCTION bool draw_columns(std::uint64_t const (&sample)[lanes], Corner const& corner, Table const& table,
                                    double* x, std::ptrdiff_t next_axis, double* jacobian, int* interval,
                                    std::ptrdiff_t next_interval) const
    requires(vectors)
  {
    if (!by_vectors || !edges_in_scratch || transform.maps())
      return false;
    by_vectors->draw({stream, sample, corner.at[0], step.data(), table.edge.data(), stride,
                      is_dynamic<D> ? dimension : D, fraction_bits, boxes, x, 1, next_axis, jacobian, interval,
                      next_interval});
    return true;
  }

  /// The same in one block.
  template <class Lanes>
  KOKKOS_FUNCTION bool draw_columns(Lanes const& at, Table const& table, double (*x)[lanes], Points& besides) const
    requires(vectors)
  {
    return draw_columns(at.sample, at.corner, table, x[0], lanes, besides.jacobian, besides.interval[0], lanes);
  }

  /// For points in memory: nothing is drawn, so no edges are needed.
  void leave_points() { tables = 0; }

  template <class F>
  KOKKOS_FUNCTION static F const& integrand(F const& f, Table const&) {
    return f;
  }

  /// Called by all threads of a team.
  template <class Member>
  KOKKOS_FUNCTION Table open(Member const& team, std::uint64_t chunk) const {
    int const nodes = tables * (bins + 1);
    // On a device edges are in shared memory or absent: nvcc must see that, or it reads them by slower instructions.
    int const level = on_device_of_its_own<Space> ? 0 : edges_level;
    Table table{Scratch<Sample>(team.team_scratch(level), edges_in_scratch ? nodes : 0), nullptr, turn(chunk)};
    if constexpr (Tune::sampling_team == 1) {
      for (int axis = 0; edges_in_scratch && axis < tables; ++axis)
        place_edges(axis, table.edge.data() + axis * (bins + 1));
    } else if (edges_in_scratch) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, nodes),
                           [&](int k) { table.edge(k) = edge(k / (bins + 1), k % (bins + 1)); });
    }
    if (fill) {
      table.bin = Scratch<std::uint64_t>(team.team_scratch(bins_level), axes * bins).data();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, axes * bins), [&](int k) { table.bin[k] = 0; });
    }
    team.team_barrier();
    return table;
  }

private:
  KOKKOS_FUNCTION int used_places() const {
    return D == dynamic ? dimension : D == dynamic_many ? Kokkos::min(dimension, places) : places;
  }

  /// All edges of an axis.
  KOKKOS_FUNCTION void place_edges(int axis, Sample* to) const {
    if constexpr (vectors)
      if (by_vectors)
        return by_vectors->place(edges.data() + (axes > 1 ? axis * (bins + 1) : 0), bins + 1,
                                 transform.place(axis, 0.0), transform.stretch(axis, 1), to);
    for (int k = 0; k <= bins; ++k)
      to[k] = edge(axis, k);
  }

  /// Of all segments of a chunk. Without records the turn never comes: a segment has fewer than 2^32 samples.
  KOKKOS_FUNCTION Turn turn(std::uint64_t chunk) const {
    return {record_every > 1 ? 1 + stream.word(chunk) % record_every : record_every, record_every};
  }

  /// An edge of the map in coordinates of the box, on an infinite side from 0 to 1.
  KOKKOS_FUNCTION Sample edge(int axis, int node) const {
    return static_cast<Sample>(transform.place(axis, edges.data()[(axes > 1 ? axis * (bins + 1) : 0) + node]));
  }

  template <class Edge>
  KOKKOS_FUNCTION void draw(std::uint64_t const (&sample)[lanes], Corner const& corner, Edge const& at,
                            Points& to) const {
    int const d = is_dynamic<D> ? dimension : D;
    for (int w = 0; w < lanes; ++w) {
      to.x[w].set_size(d);
      to.jacobian[w] = boxes;
    }
    for (int block = 0; 4 * block < d; ++block) {
      std::uint32_t words[4][lanes];
      stream.words(sample, static_cast<std::uint32_t>(block), words);
      for (int j = 0; j < 4 && 4 * block + j < d; ++j) {
        int const i = 4 * block + j, place = axis_place<D>(i);
        for (int w = 0; w < lanes; ++w) {
          Position const position = corner.at[place][w] + within_cube(words[j][w], place);
          int const k = static_cast<int>(position >> fraction_bits);
          to.interval[i][w] = k;
          Sample const left = at(i, k);
          Sample const width = at(i, k + 1) - left;
          to.jacobian[w] *= wide ? static_cast<Acc>(width) : static_cast<Acc>(width) * static_cast<Acc>(bins);
          auto const part = static_cast<std::uint32_t>((position << (64 - fraction_bits)) >> 32);
          to.x[w][i] = left + fraction<Sample>(part) * width;
        }
      }
    }
  }

  /// word / 2^32 of a cube's side. In three and more variables, cubes are so wide that the lower bits of the side are
  /// negligible: with n cubes per axis they are less than n 2^-30 of it, and dropping them moves the mean of a cube by
  /// less than that fraction of the variation of f within it.
  KOKKOS_FUNCTION Position within_cube(std::uint32_t word, int place) const {
    Position const position = Position{word} * upper_step[place];
    if ((is_dynamic<D> ? dimension : D) >= 3)
      return position;
    return position + product(word, static_cast<std::uint32_t>(step[place])).high;
  }

  /// (part + 1/2) / 2^32, in single precision from the upper 23 bits: a number in (0, 1). The part becomes the lower
  /// bits of a floating-point number, from which the upper ones are subtracted.
  template <class Real>
  KOKKOS_FUNCTION static Real fraction(std::uint32_t part) {
    if constexpr (std::is_same_v<Real, double>)
      return Kokkos::bit_cast<double>(std::uint64_t{0x41300000} << 32 | part) - (0x1p20 - 0x1p-33);
    else
      return Kokkos::bit_cast<float>(std::uint32_t{0x3f800000} | part >> 9) - (1 - 0x1p-24f);
  }
};

} // namespace kubature::detail
