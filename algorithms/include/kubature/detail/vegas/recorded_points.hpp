#pragma once

#include <kubature/detail/sampling/drawn_lanes.hpp>
#include <kubature/detail/sampling/points.hpp>
#include <kubature/detail/vegas/device_map.hpp>
#include <kubature/detail/vegas/record_turn.hpp>
#include <kubature/detail/vegas/scratch_layout.hpp>
#include <kubature/point.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kubature::detail {

/// The weights (J f)^2 of samples in the histogram that refines the VEGAS map: a chunk's histogram lies in team scratch
/// and is added to the global one at the chunk's end.
template <class Space, class P, int D>
struct RecordedPoints {
  using Sample = typename P::sample_type;
  using Acc = typename P::accumulate_type;
  using Tune = Tuning<Space>;
  static constexpr int lanes = Tune::lanes;
  static constexpr int capacity = Point<double, D>::capacity;

  Kokkos::View<std::uint64_t*, Space, Kokkos::MemoryUnmanaged> weights, counts;
  ThreadRows<Space> rows;
  double scale;
  int axes, bins;
  /// One sample in `record_every` is recorded; 0: none.
  std::uint32_t record_every;
  /// Whether recorded samples enter the histogram; otherwise only their largest |J f| is determined.
  bool fill;
  int bins_level = 0; ///< of scratch
  struct OfDevice {};
  /// Identifies the calling thread of a host.
  using Thread = std::conditional_t<on_device_of_its_own<Space>, OfDevice, Kokkos::Experimental::UniqueToken<Space>>;
  Thread thread{};
  static constexpr bool vectors = may_use_vectors<Sample, Acc, D, lanes>;
  LaneFunctionsIf<vectors> by_vectors = lane_functions_if<vectors>();

  RecordedPoints(DeviceMap<Space> const& map, std::uint32_t every, bool filling)
      : weights(map.weights()), counts(map.counts()), rows(map.rows()), scale(map.scale()), axes(map.axes()),
        bins(map.bins()), record_every(every), fill(filling && every > 0) {}

  using Layout = ScratchLayout<Space, Sample>;
  template <class T>
  using Scratch = typename Layout::template Scratch<T>;

  void record_nothing() {
    fill = false;
    record_every = 0;
  }

  using Turn = RecordTurn;

  /// A chunk's edges and histogram, and its first turn.
  struct Table {
    Scratch<Sample> edge; ///< empty if the edges are read from the map itself
    std::uint64_t* bin;   ///< nullptr if nothing is filled in
    Turn turn;
  };

  /// From now on nothing is recorded in this table.
  KOKKOS_FUNCTION static void record_nothing(Table& table) { table.bin = nullptr; }

  /// Points in the box, and the map intervals that contain them.
  struct Points : detail::Points<Sample, Acc, D, Tune::lanes> {
    int interval[capacity][lanes];
  };

  /// Records the samples of the live lanes (on hosts LaneBits) where it is their turn: their |J f|.
  template <class Values, class Live>
  KOKKOS_FUNCTION void record(Turn& turn, Table const& table, Points const& points, Values const& values,
                              Live const& live, double& largest) const {
    if ((vectors && record_every == 0) || !turn()) // hosts also draw lanes that were started where samples are recorded
      return;
    if constexpr (vectors) {
      if (by_vectors)
        return record_by_vectors(points, values, live.live, table.bin, largest);
    }
    for (int w = 0; w < lanes; ++w)
      if (live(w))
        record(values[w], points, w, table.bin, largest);
  }

  /// Called by all threads of a team: adds the chunk's histogram to the global one, or to the row of a host's thread.
  template <class Member>
  KOKKOS_FUNCTION void close(Member const& team, Table const& table) const {
    if (!fill)
      return;
    if constexpr (!on_device_of_its_own<Space>) {
      auto const row = thread.acquire();
      add_row(static_cast<int>(row), table.bin);
      thread.release(row);
      return;
    }
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, axes * bins), [&](int k) {
      std::uint64_t const packed = table.bin[k];
      if (packed == 0)
        return;
      Kokkos::atomic_add(&weights(k), FixedPoint::weight(packed));
      Kokkos::atomic_add(&counts(k), FixedPoint::count(packed));
    });
  }

private:
  /// Adds a chunk's histogram to that of a host's thread.
  KOKKOS_FUNCTION void add_row(int number, std::uint64_t const* packed) const {
    rows.used(number) = 1;
    if constexpr (vectors)
      if (by_vectors)
        return by_vectors->unpack(packed, rows.bins, rows.weights(number), rows.counts(number));
    rows.add(number, packed);
  }

  /// Adds the weight of lane w's sample to its intervals, along every axis that has a map.
  KOKKOS_FUNCTION void record(Acc value, Points const& points, int w, std::uint64_t* bin, double& largest) const {
    double magnitude = Kokkos::abs(static_cast<double>(value));
    if (!Kokkos::isfinite(magnitude))
      magnitude = 0;
    largest = largest < magnitude ? magnitude : largest;
    if (bin == nullptr)
      return;
    std::uint64_t const packed = FixedPoint::pack(magnitude, scale);
    for (int i = 0; i < (is_dynamic<D> ? axes : D); ++i)
      if (i < axes)
        add(bin[i * bins + points.interval[i][w]], packed);
  }

  /// Those of all lanes at once, whose values are 0 where they are not live.
  template <class Values>
  KOKKOS_FUNCTION void record_by_vectors(Points const& points, Values const& values, std::uint32_t live,
                                         std::uint64_t* bin, double& largest) const {
    double value[lanes];
    for (int w = 0; w < lanes; ++w)
      value[w] = values[w];
    std::uint64_t packed[lanes];
    by_vectors->pack(value, scale, packed, largest);
    if (bin == nullptr)
      return;
    for (int w = 0; live != LaneBits::all && w < lanes; ++w)
      packed[w] = live >> w & 1 ? packed[w] : 0;
    for (int i = 0; i < axes; ++i) {
      std::uint64_t* const row = bin + i * bins;
      int const* const interval = points.interval[i];
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
      for (int w = 0; w < lanes; ++w)
        row[interval[w]] += packed[w];
    }
  }

  /// Adds to the chunk's histogram, which a team of one thread does not share.
  KOKKOS_FUNCTION static void add(std::uint64_t& to, std::uint64_t packed) {
    if constexpr (Tune::sampling_team == 1)
      to += packed;
    else
      Kokkos::atomic_add(&to, packed);
  }
};

} // namespace kubature::detail
