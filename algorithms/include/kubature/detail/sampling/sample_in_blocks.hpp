#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/sampling/protocols.hpp>
#include <kubature/detail/sampling/sample.hpp>
#include <kubature/detail/sampling/sample_in_batches.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>

namespace kubature::detail {

/// Whether threads of a host may call an integrand within kernels; see batched().
template <class Space, class F>
inline constexpr bool called_in_threads = false;
template <class Space, class F, int C>
inline constexpr bool called_in_threads<Space, Batched<F, C>> =
    !on_device_of_its_own<Space> && EvaluatesInThreads<F, BatchPoints<Space>, BatchValues<Space>>;

/// The first exception that threads of a kernel threw.
class FirstException {
public:
  bool any() const { return thrown_.load(std::memory_order_relaxed); }
  /// Keeps the exception that is being handled, if it is the first.
  void keep() {
    if (!thrown_.exchange(true))
      first_ = std::current_exception();
  }
  /// Throws it, if there is one, when the kernel has ended.
  void rethrow() const {
    if (first_)
      std::rethrow_exception(first_);
  }

private:
  std::atomic<bool> thrown_ = false;
  std::exception_ptr first_;
};

/// The steps of some lanes in blocks: a thread of a host draws the points of a block, has the integrand evaluate them,
/// and SampleChunks reads the values, while all are in the thread's cache.
template <class Space, class Eval, class F, int C, class Source, class Accumulator>
class BlocksOfLanes {
public:
  using Stored = StoredValues<Space, C>;
  using Sampling = SampleChunks<Space, Eval, Stored, Source, Accumulator>;
  using Columns = std::conditional_t<keeps_drawn<Source>, DrawnColumns, PointsAlone>;
  using Drawing = StorePoints<Space, Source, Columns>;
  static constexpr int lanes = Source::lanes;

  /// Numbers stored per step: coordinates, values, and the data kept of the points.
  static std::size_t numbers(int dimension) {
    auto const kept = keeps_drawn<Source> ? DrawnColumns::numbers(dimension) : 0;
    return lanes * (static_cast<std::size_t>(dimension + C) + kept);
  }

  /// @param sampling reads the values
  /// @param memory   numbers() for each of `steps` steps
  /// @param segment  of the first lane
  BlocksOfLanes(F const& f, Sampling const& sampling, std::uint64_t steps, double* memory, FirstException& exception,
                typename Source::Table const& table, std::uint64_t segment, typename Source::Lanes const& at)
      : f_(f), steps_(steps), exception_(exception), table_(table), ahead_(at), watch_(sampling.deadline),
        drawing_{sampling.source, {}, {}, {}, {}}, sampling_(sampling) {
    auto const slots = steps * lanes;
    int const d = drawing_.source.dimension;
    drawing_.source.record_nothing();
    drawing_.points = StoredPoints<Space>(memory, slots, d);
    sampling_.f.values = BatchValues<Space>(memory + drawing_.points.size(), slots, C);
    sampling_.f.slots = drawing_.slots = Slots{segment, lanes, steps};
    if constexpr (keeps_drawn<Source>)
      sampling_.f.drawn = drawing_.besides = DrawnColumns::at(memory + drawing_.points.size() + slots * C, slots, d);
  }

  /// The reader of the values.
  Sampling const& sampling() const { return sampling_; }

  /// Provides the values of a step; if the last block has been used up, it is the first step of the next one.
  bool operator()(std::uint64_t& step) {
    if (step < drawn_)
      return true;
    step = 0;
    drawn_ = draw();
    return !watch_.over() && evaluate();
  }

private:
  /// Stores the points of the next steps. @returns their number
  std::uint64_t draw() {
    Source const& source = drawing_.source;
    typename Source::Acc const zeros[lanes] = {};
    typename Source::Points points;
    typename Drawing::Nothing nothing;
    std::uint64_t step = 0, in_run = in_run_;
    for (; step < steps_ && source.any(ahead_); ++step) {
      drawing_.draw(ahead_, table_, points, step * lanes);
      source.end_sample(ahead_, table_, points, zeros, nothing);
      if (++in_run < source.run())
        continue;
      in_run = 0;
      source.end_run(ahead_, [](int, auto const&) {});
    }
    in_run_ = in_run;
    return step;
  }

  /// Has the integrand evaluate these points.
  /// @returns false once it has thrown an exception, in any thread
  bool evaluate() {
    if (exception_.any())
      return false;
    auto const slots = Kokkos::pair<std::uint64_t, std::uint64_t>(0, drawn_ * lanes);
    try {
      BatchPoints<Space> const points(Kokkos::subview(drawing_.points, slots, Kokkos::ALL));
      BatchValues<Space> const values(Kokkos::subview(sampling_.f.values, slots, Kokkos::ALL));
      f_.in_thread(points, values);
      if constexpr (TransformsBox<Source>)
        mark_harmless_in_thread<C, Space>(drawing_.source.transform, points, values,
                                          [&](auto const& x, auto const& y) { f_.in_thread(x, y); });
    } catch (...) {
      exception_.keep();
      return false;
    }
    return true;
  }

  F const& f_;
  std::uint64_t steps_; ///< of a block
  FirstException& exception_;
  typename Source::Table const& table_;
  typename Source::Lanes ahead_; ///< where the next block begins
  std::uint64_t in_run_ = 0;     ///< samples of a run before it
  std::uint64_t drawn_ = 0;      ///< steps of this block
  Deadline::Watch watch_;
  Drawing drawing_;
  Sampling sampling_;
};

/// An integrand that threads of a host call within SampleChunks, each for blocks of its points.
template <class Space, class F, int C>
struct CalledInThreads {
  static constexpr auto evaluation = Evaluation::blocks;
  using Thread = Kokkos::Experimental::UniqueToken<Space>;
  static constexpr std::size_t block_bytes = std::size_t{1} << 18; ///< of a thread

  F const* f;
  std::uint64_t steps; ///< of a block
  double* memory;      ///< of all threads
  Thread thread;
  FirstException* exception;

  /// SampleChunks::sample() of such an integrand.
  template <class Eval, class Source, class Accumulator>
  void sample(SampleChunks<Space, Eval, CalledInThreads, Source, Accumulator> const& kernel,
              typename Source::Table const& table, std::uint64_t segment, typename Source::Lanes& at,
              typename Accumulator::Sums& sum) const {
    using Blocks = BlocksOfLanes<Space, Eval, F, C, Source, Accumulator>;
    auto const mine = thread.acquire();
    Blocks blocks(
        *f, {{}, kernel.source, kernel.accumulator, kernel.chunks, kernel.partials, kernel.policy, kernel.deadline},
        steps, memory + static_cast<std::size_t>(mine) * steps * Blocks::numbers(kernel.source.dimension), *exception,
        table, segment, at);
    blocks.sampling().sample(table, segment, at, blocks, sum);
    thread.release(mine);
  }
};

/// Samples the chunks of a kernel whose integrand threads may call concurrently.
/// @returns false if there is no room for one step of each thread; nothing is done then
template <class Space, class Eval, class F, int C, class Source, class Accumulator>
bool sample_in_blocks(Space const& exec, SampleChunks<Space, Eval, Batched<F, C>, Source, Accumulator> const& kernel,
                      Batches<Space>& batches, std::string const& label) {
  using Called = CalledInThreads<Space, F, C>;
  if (kernel.chunks.mine == 0)
    return true;
  typename Called::Thread const threads(exec);
  auto const numbers = BlocksOfLanes<Space, Eval, F, C, Source, Accumulator>::numbers(kernel.source.dimension),
             step = numbers * static_cast<std::size_t>(threads.size());
  auto const steps = std::min<std::uint64_t>(std::max<std::uint64_t>(1, Called::block_bytes / sizeof(double) / numbers),
                                             batches.room() / sizeof(double) / step);
  double* const memory = steps > 0 ? batches.numbers(exec, steps * step) : nullptr;
  if (!memory)
    return false;
  FirstException exception;
  SampleChunks<Space, Eval, Called, Source, Accumulator>{{&kernel.f.f, steps, memory, threads, &exception},
                                                         kernel.source,
                                                         kernel.accumulator,
                                                         kernel.chunks,
                                                         kernel.partials,
                                                         kernel.policy,
                                                         kernel.deadline}
      .launch(exec, label);
  exec.fence("kubature::batched::sampled");
  exception.rethrow();
  return true;
}

} // namespace kubature::detail
