#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/buffer.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/detail/sampling/partition.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/slices.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kubature::detail {

/// Where the samples of some chunks lie in memory: step by step, those of all segments side by side, so that the lanes
/// that take a step together read and write neighbours.
struct Slots {
  std::uint64_t first = 0;    ///< segment
  std::uint64_t segments = 0; ///< of these chunks
  std::uint64_t steps = 0;    ///< of each segment at most

  std::uint64_t count() const { return segments * steps; }
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

    KOKKOS_FUNCTION auto value(int w) const {
      if constexpr (C == 1) {
        return values(slot + static_cast<std::uint64_t>(w), 0);
      } else {
        Kokkos::Array<double, C> result;
        for (int c = 0; c < C; ++c)
          result[c] = values(slot + static_cast<std::uint64_t>(w), c);
        return result;
      }
    }
  };
  KOKKOS_FUNCTION At at(std::uint64_t segment, std::uint64_t step) const { return {values, slots.of(segment, step)}; }
};

/// Leaves the points of a source in memory: one team per chunk, in the order of SampleChunks.
template <class Space, class Source>
struct StorePoints {
  static constexpr int lanes = Source::lanes;
  using Tune = Tuning<Space>;
  using Policy = Kokkos::TeamPolicy<Space, typename Tune::SamplingBounds>;
  using Member = typename Policy::member_type;

  Source source;
  Partition chunks;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged> points;
  Slots slots;

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
        source.end_sample(at, table, drawn, zeros, nothing);
      }
      source.end_run(at, [](int, auto const&) {});
    }
    source.draw(at, table, drawn);
    for (; step < slots.steps; ++step)
      store(drawn, slots.of(segment, step));
  }

  KOKKOS_FUNCTION void store(typename Source::Points const& drawn, std::uint64_t slot) const {
    for (int i = 0; i < drawn.x[0].size(); ++i)
      for (int w = 0; w < lanes; ++w)
        points(slot + static_cast<std::uint64_t>(w), i) = drawn.x[w][i];
  }
};

/// The memory of a method for integrands that evaluate batches; it lasts from call to call.
template <class Space>
class Batches {
public:
  explicit Batches(std::string const& label) : memory_(label) {}

  /// Bytes that batches may take.
  void limit(std::size_t bytes) { room_ = bytes; }

  /// Samples the chunks of a kernel whose integrand evaluates batches: points to memory, their values by the caller's
  /// function, and the kernel with these values.
  /// @returns false where there is no room for one chunk; nothing is done then
  template <class Eval, class F, int C, class Source, class Accumulator>
  bool sample(Space const& exec, SampleChunks<Space, Eval, Batched<F, C>, Source, Accumulator> const& kernel,
              std::string const& label) {
    auto const& chunks = kernel.chunks;
    int const dimension = kernel.source.dimension;
    auto const width = static_cast<std::size_t>(dimension + C);
    Slots slots{0, Tuning<Space>::segments, kernel.source.steps(chunks)};
    std::size_t const chunk = slots.count() * width * sizeof(double);
    auto const useful = std::max(small, chunk * filling_chunks(exec)); // enough to fill the device
    auto bytes = std::min(room_, useful);
    if (bytes > memory_.size())
      bytes = std::min(bytes, memory_.size() + free_memory(exec) / 2);
    auto const fit = bytes / chunk;
    if (fit == 0)
      return false;
    auto const most = static_cast<int>(std::min<std::size_t>(fit, static_cast<std::size_t>(std::max(1, chunks.mine))));
    auto const most_slots = static_cast<std::size_t>(most) * slots.count();
    auto const memory = memory_.template as<double>(exec, most_slots * width);
    for (int done = 0; done < chunks.mine; done += most) {
      Partition batch = chunks;
      batch.first = chunks.first + done;
      batch.mine = std::min(most, chunks.mine - done);
      slots.first = static_cast<std::uint64_t>(batch.first) * Tuning<Space>::segments;
      slots.segments = static_cast<std::uint64_t>(batch.mine) * Tuning<Space>::segments;
      Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged> const points(memory.data(),
                                                                                              slots.count(), dimension);
      BatchValues<Space> const values(memory.data() + points.size(), slots.count(), C);
      StorePoints<Space, Source> store{kernel.source, batch, points, slots};
      store.source.record_nothing();
      store.launch(exec);
      kernel.f.f(exec, BatchPoints<Space>(points), values);
      using Stored = StoredValues<Space, C>;
      SampleChunks<Space, Eval, Stored, Source, Accumulator>{{values, slots}, kernel.source, kernel.accumulator, batch,
                                                             kernel.partials, kernel.policy, kernel.deadline}
          .launch(exec, label);
    }
    return true;
  }

private:
  static constexpr std::size_t small = std::size_t{1} << 28;
  Buffer<Space> memory_;
  std::size_t room_ = small;
};

} // namespace kubature::detail
