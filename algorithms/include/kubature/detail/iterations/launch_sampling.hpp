#pragma once

#include <kubature/batched.hpp>
#include <kubature/communicator.hpp>
#include <kubature/detail/components/sample_components.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/launch/host_threads.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/slices.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/sampling/sample_in_batches.hpp>
#include <kubature/detail/sampling/sample_in_blocks.hpp>
#include <kubature/result.hpp>

#include <cstdint>
#include <string>

namespace kubature::detail {

/// The instance that samples these chunks: each is the work of one thread of a host, unless the integrand has kernels
/// of its own.
template <class F, class Space>
Space const& exec_for(HostThreads<Space> const& threads, Partition const& chunks) {
  return is_batched<F> || summed_elsewhere<F> || chunks.mine > 1 ? threads.all() : threads.for_work(0);
}

/// Launches a sampling kernel over the chunks of this rank, in slices if the call is watched (see in_slices).
/// @param batches memory for integrands that evaluate batches; others do not need it
/// @returns whether everything was launched; if not, the call has ended, on all ranks
template <class Space, class Run, class Eval, class F, class Source, class Accumulator>
bool launch_sampling(Space const& exec, Communicator const& ranks, Run& run,
                     SampleChunks<Space, Eval, F, Source, Accumulator> kernel, std::string const& label,
                     [[maybe_unused]] Batches<Space>* batches = nullptr) {
  if constexpr (summed_elsewhere<F>) {
    return sample_components(exec, ranks, run, kernel, label, batches->room());
  } else {
    Partition const chunks = kernel.chunks;
    [[maybe_unused]] bool room = true;
    auto const launch = [&](std::uint64_t first, std::uint64_t count, Deadline const& deadline) {
      kernel.chunks.first = static_cast<int>(first);
      kernel.chunks.mine = static_cast<int>(count);
      kernel.deadline = deadline;
      if constexpr (is_batched<F>) {
        if constexpr (called_in_threads<Space, F>)
          if (kernel.f.f.thread_safe() && !wants_weights(kernel.f.f)) {
            room = room && sample_in_blocks(exec, kernel, *batches, label);
            return;
          }
        room = room && sample_in_batches(exec, kernel, *batches, label);
      } else {
        kernel.launch(exec, label);
      }
    };
    auto const filling = filling_chunks(exec);
    auto slice = filling;
    bool const all = in_slices(exec, ranks, run, static_cast<std::uint64_t>(chunks.first),
                               static_cast<std::uint64_t>(chunks.mine), filling, slice, launch);
    if constexpr (is_batched<F>)
      if (all && ranks.any(!room)) { // on any rank
        run.give_up(Status::memory_exhausted);
        return false;
      }
    return all;
  }
}

} // namespace kubature::detail
