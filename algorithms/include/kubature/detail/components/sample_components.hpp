#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/launch/slices.hpp>
#include <kubature/detail/sampling/protocols.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/sampling/sample_in_batches.hpp>
#include <kubature/detail/sampling/samples.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace kubature::detail {

/// The slots of a batch of chunks.
template <class Space, class Source>
Slots slots_of(Source const& source, Partition const& batch) {
  constexpr auto segments = std::uint64_t{Tuning<Space>::segments};
  return {static_cast<std::uint64_t>(batch.first) * segments, static_cast<std::uint64_t>(batch.mine) * segments,
          source.steps(batch)};
}

/// Numbers that a function of batches gets for each point: coordinates, and a weight where it wants that.
template <class F, class Source>
int numbers_of_point(F const& f, Source const& source) {
  return source.dimension + (weighs_points<Source, F> && wants_weights(f) ? 1 : 0);
}

/// Draws the points of a batch of components known at run time, and has the caller's function evaluate them.
/// @param batch chunks
template <class Space, class Eval, class F, class Source, class Accumulator>
auto evaluate_batch(Space const& exec,
                    SampleChunks<Space, Eval, SummedComponents<Space, F>, Source, Accumulator> const& kernel,
                    Partition const& batch) {
  auto& sums = *kernel.f.sums;
  auto const slots = slots_of<Space>(kernel.source, batch);
  auto memory =
      sums.batch(numbers_of_point(kernel.f.f, kernel.source), batch.mine, Tuning<Space>::segments * slots.steps);
  if constexpr (weighs_points<Source, F>)
    if (wants_weights(kernel.f.f))
      memory.samples.weights = weights_behind(memory.points, kernel.source, slots);
  StorePoints<Space, Source, SampleTable<Space>> points{kernel.source, batch, memory.points, slots, memory.samples};
  points.source.record_nothing();
  points.launch(exec);
  kernel.f.f(exec, BatchPoints<Space>(memory.points), BatchValues<Space>(memory.values));
  sums.find_driving(memory, kernel.policy);
  return memory;
}

/// Samples a batch: the method's kernel processes the values that drive map and strata, and the sums of all components
/// are added.
/// @param first, count chunks of this rank
template <class Space, class Eval, class F, class Source, class Accumulator>
void sample_batch(Space const& exec,
                  SampleChunks<Space, Eval, SummedComponents<Space, F>, Source, Accumulator> const& kernel,
                  std::string const& label, std::uint64_t first, std::uint64_t count) {
  Partition batch = kernel.chunks;
  batch.first += static_cast<int>(first);
  batch.mine = static_cast<int>(count);
  auto const slots = slots_of<Space>(kernel.source, batch);
  auto const memory = evaluate_batch(exec, kernel, batch);
  SampleChunks<Space, Eval, StoredValues<Space, 1>, Source, Accumulator>{
      {memory.driving, slots}, kernel.source, kernel.accumulator, batch,
      kernel.partials,         kernel.policy, kernel.deadline}
      .launch(exec, label);
  kernel.f.sums->add(memory, Source::stratified, static_cast<int>(first), slots.segments, slots.steps);
}

/// Samples all chunks of a kernel in batches, and adds up the sums of all components.
/// @returns whether everything was sampled; if not, the call has ended
template <class Space, class Run, class Eval, class F, class Source, class Accumulator>
bool sample_components(Space const& exec, Communicator const& ranks, Run& run,
                       SampleChunks<Space, Eval, SummedComponents<Space, F>, Source, Accumulator> kernel,
                       std::string const& label, std::size_t room) {
  static_assert(StratifiedSource<Source>,
                "a source of components known at run time needs `stratified` (whether samples are in strata), "
                "strata_count() (their number) and extent(table, part) (the samples of a part of one)");
  auto& sums = *kernel.f.sums;
  auto const slots = Tuning<Space>::segments * kernel.source.steps(kernel.chunks);
  if (ranks.any(!sums.begin(numbers_of_point(kernel.f.f, kernel.source), slots, kernel.chunks, room))) {
    run.give_up(Status::memory_exhausted);
    return false;
  }
  sums.strata(Source::stratified ? kernel.source.strata_count() : 0);
  auto const chunks = static_cast<std::uint64_t>(kernel.chunks.mine),
             most = static_cast<std::uint64_t>(sums.chunks_per_batch());
  if (sums.needs_shift()) {
    Partition batch = kernel.chunks;
    batch.first = 0;
    batch.mine = std::min(sums.chunks_per_batch(), batch.count);
    sums.shift_by(evaluate_batch(exec, kernel, batch));
  }
  auto const launch = [&](std::uint64_t first, std::uint64_t count, Deadline const& deadline) {
    kernel.deadline = deadline;
    for (std::uint64_t batch = first; batch < first + count; ++batch)
      sample_batch(exec, kernel, label, batch * most, std::min(most, chunks - batch * most));
  };
  std::uint64_t slice = 1;
  return in_slices(exec, ranks, run, 0, (chunks + most - 1) / most, 1, slice, launch);
}

} // namespace kubature::detail
