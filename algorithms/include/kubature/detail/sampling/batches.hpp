#pragma once

#include <kubature/batched.hpp>
#include <kubature/detail/batches.hpp>
#include <kubature/detail/components/samples.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/detail/sampling/partition.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/slices.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace kubature::detail {

/// Where the samples of some chunks lie in memory: step by step, those of all segments side by side, so that the lanes
/// that take a step together read and write neighbours.
struct Slots {
  std::uint64_t first = 0;    ///< segment
  std::uint64_t segments = 0; ///< of these chunks
  std::uint64_t steps = 0;    ///< of each segment at most

  KOKKOS_FUNCTION std::uint64_t of(std::uint64_t segment, std::uint64_t step) const {
    return step * segments + (segment - first);
  }
};

/// The integrand that finds its values in memory.
template <class Space, int C>
struct StoredValues {
  BatchValues<Space> values;
  Slots slots;

  /// The values of the lanes that begin with a segment, at a step.
  struct At {
    BatchValues<Space> const& values;
    std::uint64_t slot;

    KOKKOS_FUNCTION auto value(int w) const { return stored_value<C>(values, slot + static_cast<std::uint64_t>(w)); }
  };
  KOKKOS_FUNCTION At at(std::uint64_t segment, std::uint64_t step) const { return {values, slots.of(segment, step)}; }
};

/// Nothing is kept of samples besides their points; else see SampleTable.
struct PointsAlone {
  static constexpr bool kept = false;
};

/// Leaves the points of a source in memory: one team per chunk, in the order of SampleChunks.
template <class Space, class Source, class Besides = PointsAlone>
struct StorePoints {
  static constexpr int lanes = Source::lanes;
  using Tune = Tuning<Space>;
  using Policy = Kokkos::TeamPolicy<Space, typename Tune::SamplingBounds>;
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

private:
  struct Nothing {
    double largest = 0;
  };

  /// Where no sample is left, a point of the box stands in, which nobody will ask for.
  KOKKOS_FUNCTION void store(typename Source::Table const& table, std::uint64_t segment) const {
    typename Source::Lanes at = source.start(table, chunks, segment);
    typename Source::Points drawn;
    Nothing nothing;
    typename Source::Acc const zeros[lanes] = {};
    std::uint64_t step = 0;
    while (source.any(at)) {
      for (std::uint64_t s = 0; s < source.run(); ++s, ++step) {
        source.draw(at, table, drawn);
        store(drawn, slots.of(segment, step));
        keep(drawn, slots.of(segment, step), [&](int w) { return source.live(at, w); });
        source.end_sample(at, table, drawn, zeros, nothing);
      }
      source.end_run(at, [&](int w, auto const& part) {
        if constexpr (Besides::kept)
          close(segment, step, w, part);
      });
    }
    source.draw(at, table, drawn);
    for (; step < slots.steps; ++step) {
      store(drawn, slots.of(segment, step));
      keep(drawn, slots.of(segment, step), [](int) { return false; });
    }
  }

  /// The part of a stratum that lane w has closed before this step.
  template <class Part>
  KOKKOS_FUNCTION void close(std::uint64_t segment, std::uint64_t step, int w, Part const& part) const {
    if constexpr (Source::stratified) {
      PartOfStratum const closed = source.extent(part);
      besides.close(slots.of(segment, step - closed.samples) + static_cast<unsigned>(w), closed);
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

/// Samples the chunks of a kernel whose integrand evaluates batches: points to memory, their values by the caller's
/// function, and the kernel with these values.
/// @returns false where there is no room for one chunk; nothing is done then
template <class Space, class Eval, class F, int C, class Source, class Accumulator>
bool sample_in_batches(Space const& exec, SampleChunks<Space, Eval, Batched<F, C>, Source, Accumulator> const& kernel,
                       Batches<Space>& batches, std::string const& label) {
  auto const& chunks = kernel.chunks;
  Slots slots{0, 0, kernel.source.steps(chunks)};
  Partition batch = chunks;
  auto const store = [&](std::uint64_t first, std::uint64_t count, StoredPoints<Space> const& points) {
    batch.first = chunks.first + static_cast<int>(first);
    batch.mine = static_cast<int>(count);
    slots.first = static_cast<std::uint64_t>(batch.first) * Tuning<Space>::segments;
    slots.segments = count * Tuning<Space>::segments;
    StorePoints<Space, Source> kept{kernel.source, batch, points, slots};
    kept.source.record_nothing();
    kept.launch(exec);
  };
  auto const read = [&](std::uint64_t, std::uint64_t, BatchValues<Space> const& values) {
    using Stored = StoredValues<Space, C>;
    SampleChunks<Space, Eval, Stored, Source, Accumulator>{{values, slots}, kernel.source, kernel.accumulator, batch,
                                                           kernel.partials, kernel.policy, kernel.deadline}
        .launch(exec, label);
  };
  return batches.evaluate(exec, kernel.f, kernel.source.dimension, static_cast<std::uint64_t>(chunks.mine),
                          Tuning<Space>::segments * slots.steps, filling_chunks(exec), store, read);
}

} // namespace kubature::detail
