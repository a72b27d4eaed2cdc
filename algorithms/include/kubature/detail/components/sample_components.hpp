#pragma once

#include <kubature/communicator.hpp>
#include <kubature/detail/components/component_sums.hpp>
#include <kubature/detail/components/samples.hpp>
#include <kubature/detail/deadline.hpp>
#include <kubature/detail/sampling/batches.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/slices.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace kubature::detail {

/// Samples a batch of components known at run time: points to memory, their values by the caller's function, the kernel
/// of the method with the values that drive map and strata, and the sums of all components.
/// @param first, count chunks
template <class Space, class Eval, class F, class Source, class Accumulator>
void sample_batch(Space const& exec,
                  SampleChunks<Space, Eval, SummedComponents<Space, F>, Source, Accumulator> const& kernel,
                  std::string const& label, std::uint64_t first, std::uint64_t count) {
  auto& sums = *kernel.f.sums;
  Partition batch = kernel.chunks;
  batch.first += static_cast<int>(first);
  batch.mine = static_cast<int>(count);
  Slots const slots{static_cast<std::uint64_t>(batch.first) * Tuning<Space>::segments, count * Tuning<Space>::segments,
                    kernel.source.steps(kernel.chunks)};
  auto const memory = sums.batch(kernel.source.dimension, batch.mine, Tuning<Space>::segments * slots.steps);
  StorePoints<Space, Source, SampleTable<Space>> points{kernel.source, batch, memory.points, slots, memory.samples};
  points.source.record_nothing();
  points.launch(exec);
  kernel.f.f(exec, BatchPoints<Space>(memory.points), BatchValues<Space>(memory.values));
  DriveBySamples<Space>{memory.values, memory.samples, memory.driving, sums.driver(),
                        kernel.policy == NonFinite::propagate}
      .launch(exec);
  SampleChunks<Space, Eval, StoredValues<Space, 1>, Source, Accumulator>{
      {memory.driving, slots}, kernel.source, kernel.accumulator, batch,
      kernel.partials,         kernel.policy, kernel.deadline}
      .launch(exec, label);
  sums.template add<Source::stratified>(memory, slots.segments, slots.steps);
}

/// Samples all chunks of a kernel in batches, and adds up the sums of all components.
/// @returns whether all was sampled; if not, the call has ended
template <class Space, class Run, class Eval, class F, class Source, class Accumulator>
bool sample_components(Space const& exec, Communicator const& ranks, Run& run,
                       SampleChunks<Space, Eval, SummedComponents<Space, F>, Source, Accumulator> kernel,
                       std::string const& label, std::size_t room) {
  auto& sums = *kernel.f.sums;
  auto const slots = Tuning<Space>::segments * kernel.source.steps(kernel.chunks);
  if (!sums.begin(kernel.source.dimension, slots, kernel.chunks.mine, room)) {
    run.give_up(Status::memory_exhausted);
    return false;
  }
  sums.strata(Source::stratified ? kernel.source.strata_count() : 0);
  auto const chunks = static_cast<std::uint64_t>(kernel.chunks.mine),
             most = static_cast<std::uint64_t>(sums.chunks_per_batch());
  auto const launch = [&](std::uint64_t first, std::uint64_t count, Deadline const& deadline) {
    kernel.deadline = deadline;
    for (std::uint64_t batch = first; batch < first + count; ++batch)
      sample_batch(exec, kernel, label, batch * most, std::min(most, chunks - batch * most));
  };
  std::uint64_t slice = 1;
  return in_slices(exec, ranks, run, 0, (chunks + most - 1) / most, slice, launch);
}

} // namespace kubature::detail
