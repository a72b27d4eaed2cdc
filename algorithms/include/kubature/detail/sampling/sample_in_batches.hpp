#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/launch/slices.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/sampling/protocols.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace kubature::detail {

/// The layout of the samples of some chunks in memory: step by step, those of all segments side by side, so that the
/// lanes that do a step together access neighbours.
struct Slots {
  std::uint64_t first = 0;    ///< segment
  std::uint64_t segments = 0; ///< of these chunks, that have a place
  std::uint64_t steps = 0;    ///< maximum per segment
  /// Segments of a chunk, and the number of the first ones that have a place.
  std::uint64_t of_chunk = 1, placed = 1;
  /// Whether each chunk is a contiguous part by itself, so that a thread of a host finds its own chunks' numbers in its
  /// cache.
  bool by_chunks = false;

  KOKKOS_FUNCTION bool has(std::uint64_t segment) const { return placed == of_chunk || segment % of_chunk < placed; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t of(std::uint64_t segment, std::uint64_t step) const {
    std::uint64_t const n = segment - first;
    if (by_chunks)
      return (n / of_chunk * steps + step) * placed + n % of_chunk;
    return step * segments + (placed == of_chunk ? n : n / of_chunk * placed + n % of_chunk);
  }
  /// From a sample of a segment to the next.
  KOKKOS_FUNCTION std::uint64_t stride() const { return by_chunks ? placed : segments; }
  KOKKOS_FUNCTION std::uint64_t all() const { return segments * steps; }
};

/// Data that hosts keep of the points of a batch, slot by slot, so that none is drawn again once its value is known:
/// Jacobians, and the intervals of the map. On devices, redrawing a point is cheaper than loading it.
struct DrawnColumns {
  static constexpr bool kept = false; // but by draw()
  double* jacobian = nullptr;
  int* interval = nullptr; ///< [axis][slot]
  std::uint64_t slots = 0;
  int axes = 0;

  /// Numbers stored per slot.
  static std::size_t numbers(int axes) { return 1 + (static_cast<std::size_t>(axes) + 1) / 2; }
  static DrawnColumns at(double* memory, std::uint64_t slots, int axes) {
    return {memory, reinterpret_cast<int*>(memory + slots), slots, axes};
  }

  /// @returns false if nothing was kept
  template <class Points>
  KOKKOS_FUNCTION bool read(Points& to, std::uint64_t slot) const {
    if (!jacobian)
      return false;
    std::memcpy(to.jacobian, jacobian + slot, sizeof(to.jacobian));
    for (int i = 0; i < axes; ++i)
      std::memcpy(to.interval[i], interval + static_cast<unsigned>(i) * slots + slot, sizeof(to.interval[i]));
    return true;
  }
};

/// An integrand whose values are precomputed in memory.
template <class Space, int C>
struct StoredValues {
  static constexpr auto evaluation = Evaluation::stored;
  BatchValues<Space> values;
  Slots slots;
  struct Nothing {};
  std::conditional_t<on_device_of_its_own<Space>, Nothing, DrawnColumns> drawn{};

  /// The values of the lanes that begin with a segment, at a step.
  struct At {
    static constexpr auto evaluation = Evaluation::stored;
    BatchValues<Space> const& values;
    std::uint64_t slot;

    KOKKOS_FUNCTION auto value(int w) const { return stored_value<C>(values, slot + static_cast<std::uint64_t>(w)); }
    KOKKOS_FUNCTION double const* data() const { return &values(slot, 0); }
  };
  KOKKOS_FUNCTION At at(std::uint64_t segment, std::uint64_t step) const { return {values, slots.of(segment, step)}; }
};

/// For sources without data besides the points; otherwise see SampleTable.
struct PointsAlone {
  static constexpr bool kept = false;
};

/// Stores the points of a source in memory: one team per chunk, in the order of SampleChunks.
template <class Space, class Source, class Besides = PointsAlone>
struct StorePoints {
  static constexpr int lanes = Source::lanes;
  using Tune = Tuning<Space>;
  using Policy = Kokkos::TeamPolicy<Space, TeamSchedule<Space>, typename Tune::SamplingBounds>;
  using Member = typename Policy::member_type;

  Source source;
  Partition chunks;
  StoredPoints<Space> points;
  Slots slots;
  Besides besides{};

  void launch(Space const& exec) {
    Kokkos::parallel_for("kubature::batched::store_points",
                         as_argument(source.configure(Policy(exec, chunks.mine, Tune::sampling_team))), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const chunk = static_cast<std::uint64_t>(chunks.first + team.league_rank());
    auto const table = source.open(team, chunk);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Tune::segments / lanes), [&](int group) {
      store(table, chunk * Tune::segments + static_cast<std::uint64_t>(group) * lanes);
    });
  }

  struct Nothing {
    double largest = 0;
  };

  /// Draws points and stores them in memory.
  KOKKOS_FUNCTION void draw(typename Source::Lanes const& at, typename Source::Table const& table,
                            typename Source::Points& drawn, std::uint64_t slot) const {
    if constexpr (std::is_same_v<Besides, DrawnColumns>) {
      if (source.draw_columns(at.sample, at.corner, table, &points(slot, 0), static_cast<std::ptrdiff_t>(slots.all()),
                              besides.jacobian + slot, besides.interval + slot,
                              static_cast<std::ptrdiff_t>(slots.all())))
        return;
    }
    draw_in_box(at, table, drawn);
    store(drawn, slot);
    if constexpr (std::is_same_v<Besides, DrawnColumns>)
      for (int w = 0; w < lanes; ++w) {
        besides.jacobian[slot + static_cast<unsigned>(w)] = drawn.jacobian[w];
        for (int i = 0; i < source.dimension; ++i)
          besides.interval[static_cast<unsigned>(i) * slots.all() + slot + static_cast<unsigned>(w)] =
              drawn.interval[i][w];
      }
  }

private:
  KOKKOS_FUNCTION void draw_in_box(typename Source::Lanes const& at, typename Source::Table const& table,
                                   typename Source::Points& drawn) const {
    source.draw(at, table, drawn);
    source.template place_in_box<true>(drawn);
  }

  /// Slots without a sample are filled with a point of the box, whose value is not used.
  KOKKOS_FUNCTION void store(typename Source::Table const& table, std::uint64_t segment) const {
    if (!slots.has(segment))
      return;
    typename Source::Lanes at = source.start(table, chunks, segment);
    typename Source::Points drawn;
    Nothing nothing;
    typename Source::Acc const zeros[lanes] = {};
    std::uint64_t step = 0;
    while (source.any(at)) {
      for (std::uint64_t s = 0; s < source.run(); ++s, ++step) {
        draw(at, table, drawn, slots.of(segment, step));
        keep(drawn, slots.of(segment, step), [&](int w) { return source.live(at, w); });
        source.end_sample(at, table, drawn, zeros, nothing);
      }
      source.end_run(at, [&](int w, auto const& part) {
        if constexpr (Besides::kept)
          close(table, segment, step, w, part);
      });
    }
    draw_in_box(at, table, drawn);
    for (; step < slots.steps; ++step) {
      store(drawn, slots.of(segment, step));
      keep(drawn, slots.of(segment, step), [](int) { return false; });
    }
  }

  /// The part of a stratum that lane w has closed before this step.
  template <class Part>
  KOKKOS_FUNCTION void close(typename Source::Table const& table, std::uint64_t segment, std::uint64_t step, int w,
                             Part const& part) const {
    if constexpr (Source::stratified) {
      PartOfStratum const closed = source.extent(table, part);
      std::uint64_t const begun = closed.segment ? 0 : step - closed.samples;
      besides.close(slots.of(segment, begun) + static_cast<unsigned>(w), closed);
    }
  }

  template <class Live>
  KOKKOS_FUNCTION void keep(typename Source::Points const& drawn, std::uint64_t slot, Live const& live) const {
    if constexpr (Besides::kept)
      for (int w = 0; w < lanes; ++w)
        besides.sample(slot + static_cast<unsigned>(w), drawn, w, live(w));
  }

  KOKKOS_FUNCTION void store(typename Source::Points const& drawn, std::uint64_t slot) const {
    for (int i = 0; i < drawn.x[0].size(); ++i)
      for (int w = 0; w < lanes; ++w)
        points(slot + static_cast<std::uint64_t>(w), i) = drawn.x[w][i];
  }
};

/// The weights of the points of a source, in the column behind their coordinates.
template <class Space, class Source>
PointWeights<Space> weights_behind(StoredPoints<Space> const& points, Source const& source, Slots const& slots) {
  auto const d = static_cast<std::size_t>(source.dimension), n = points.extent(0);
  return {decltype(PointWeights<Space>::weight)(points.data() + d * n, n), slots.stride(), source.weight};
}

/// Number of chunks per batch, each of `bytes` bytes: on a host, as many as stay in the caches of its threads.
/// @param filling chunks that fill the device
template <class Space>
std::uint64_t chunks_at_once(std::size_t bytes, std::uint64_t filling) {
  if constexpr (on_device_of_its_own<Space>)
    return Batches<Space>::useful(bytes * filling) / bytes;
  else
    return filling * std::max<std::uint64_t>(1, Batches<Space>::of_thread / bytes);
}

/// The number of segments of a chunk that have samples: all, unless the source has filled_segments().
template <class Space, class Source>
std::uint64_t placed_segments(Source const& source) {
  if constexpr (FillsSomeSegments<Source>)
    return source.filled_segments();
  else
    return Tuning<Space>::segments;
}

/// Samples the chunks of a kernel whose integrand evaluates batches: points to memory, their values by the caller's
/// function, and the kernel with these values.
/// @returns false if there is no room for one chunk; nothing is done then
template <class Space, class Eval, class F, int C, class Source, class Accumulator>
bool sample_in_batches(Space const& exec, SampleChunks<Space, Eval, Batched<F, C>, Source, Accumulator> const& kernel,
                       Batches<Space>& batches, std::string const& label) {
  auto const& chunks = kernel.chunks;
  Slots slots{0,
              0,
              kernel.source.steps(chunks),
              Tuning<Space>::segments,
              placed_segments<Space>(kernel.source),
              !on_device_of_its_own<Space>};
  Partition batch = chunks;
  auto const take = [&](std::uint64_t first, std::uint64_t count) {
    batch.first = chunks.first + static_cast<int>(first);
    batch.mine = static_cast<int>(count);
    slots.first = static_cast<std::uint64_t>(batch.first) * slots.of_chunk;
    slots.segments = count * slots.placed;
  };
  int const d = kernel.source.dimension;
  bool const weighted = weighs_points<Source, F> && wants_weights(kernel.f.f);
  BatchPoints<Space> stored;
  auto const store = [&](std::uint64_t first, std::uint64_t count, StoredPoints<Space> const& given,
                         [[maybe_unused]] double* memory) {
    take(first, count);
    StoredPoints<Space> const points(given.data(), given.extent(0), d);
    stored = points;
    auto const launch = [&](auto const& besides) {
      StorePoints<Space, Source, std::remove_cvref_t<decltype(besides)>> kept{kernel.source, batch, points, slots,
                                                                              besides};
      kept.source.record_nothing();
      kept.launch(exec);
    };
    if constexpr (weighs_points<Source, F>)
      if (weighted)
        return launch(weights_behind(given, kernel.source, slots));
    if constexpr (keeps_drawn<Source>)
      launch(DrawnColumns::at(memory, slots.all(), d));
    else
      launch(PointsAlone());
  };
  auto const read = [&](std::uint64_t, std::uint64_t, BatchValues<Space> const& values,
                        [[maybe_unused]] double* memory) {
    if constexpr (TransformsBox<Source>)
      mark_harmless<C>(exec, kernel.source.transform, stored, values, true,
                       [&](auto const& x, auto const& y) { kernel.f.f(exec, x, y); });
    using Stored = StoredValues<Space, C>;
    SampleChunks<Space, Eval, Stored, Source, Accumulator> kept{
        {values, slots}, kernel.source, kernel.accumulator, batch, kernel.partials, kernel.policy, kernel.deadline};
    if constexpr (keeps_drawn<Source>)
      if (!weighted) {
        kept.f.drawn = DrawnColumns::at(memory, slots.all(), d);
        kept.source.leave_points();
      }
    kept.launch(exec, label);
  };
  auto const chunk = slots.placed * slots.steps, filling = filling_chunks(exec);
  auto const numbers = keeps_drawn<Source> && !weighted ? DrawnColumns::numbers(d) : 0;
  int const coordinates = weighted ? d + 1 : d;
  std::size_t const bytes = chunk * (static_cast<std::size_t>(coordinates + C) + numbers) * sizeof(double);
  return batches.evaluate(exec, kernel.f, coordinates, static_cast<std::uint64_t>(chunks.mine), chunk,
                          chunks_at_once<Space>(bytes, filling), numbers, store, read);
}

} // namespace kubature::detail
