#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/memory/batches.hpp>
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
    !on_device_of_its_own<Space> &&
    requires(F const& f, BatchPoints<Space> const& points, BatchValues<Space> const& values) {
      f.in_thread(points, values);
      f.thread_safe();
    };

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

/// SampleChunks on a host whose threads call the integrand themselves: each draws the points of a few steps of its
/// lanes, has the integrand evaluate these, and sums the values, while all are in its cache.
template <class Space, class Eval, class F, int C, class Source, class Accumulator>
struct SampleInBlocks {
  using Stored = StoredValues<Space, C>;
  using Sampling = SampleChunks<Space, Eval, Stored, Source, Accumulator>;
  using Sums = typename Sampling::Sums;
  using Policy = typename Sampling::Policy;
  using Member = typename Sampling::Member;
  using Columns = std::conditional_t<keeps_columns<Source>, DrawnColumns, PointsAlone>;
  using Drawing = StorePoints<Space, Source, Columns>;
  using Thread = Kokkos::Experimental::UniqueToken<Space>;
  static constexpr int lanes = Source::lanes;
  static constexpr std::size_t block_bytes = std::size_t{1} << 18; ///< of a thread

  F const* f;
  Sampling sampling;
  std::uint64_t steps; ///< of a block
  double* memory;      ///< numbers() for each thread
  Thread thread;
  FirstException* exception;

  /// Numbers that a step takes: coordinates, values, and what is kept of the points.
  static std::size_t numbers(int dimension) {
    auto const kept = keeps_columns<Source> ? DrawnColumns::numbers(dimension) : 0;
    return lanes * (static_cast<std::size_t>(dimension + C) + kept);
  }
  static std::uint64_t steps_of_block(int dimension) {
    return std::max<std::uint64_t>(1, block_bytes / sizeof(double) / numbers(dimension));
  }

  void launch(Space const& exec, std::string const& label) {
    auto const policy = sampling.source.configure(Policy(exec, sampling.chunks.mine, Sampling::team_size));
    Kokkos::parallel_for(label, as_argument(policy), *this);
    exec.fence("kubature::batched::sampled");
    exception->rethrow();
  }

  void operator()(Member const& team) const {
    auto const chunk = static_cast<std::uint64_t>(sampling.chunks.first + team.league_rank());
    auto const table = sampling.source.open(team, chunk);
    auto const mine = thread.acquire();
    Block block(*this, static_cast<std::size_t>(mine));
    constexpr int segments = Sampling::Tune::segments;
    Sums sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, segments / lanes),
        [&](int k, Sums& partial) {
          block.sample(table, chunk * segments + static_cast<std::uint64_t>(k) * lanes, partial);
        },
        Join<Sums>(sum));
    thread.release(mine);
    sampling.partials(chunk) = sum;
    sampling.source.close(team, table);
  }

private:
  /// A thread's memory, and what fills it.
  struct Block {
    SampleInBlocks const& kernel;
    Drawing drawing;
    Sampling summing;

    Block(SampleInBlocks const& of, std::size_t thread)
        : kernel(of), drawing{of.sampling.source, {}, {}, {}, {}}, summing(of.sampling) {
      auto const slots = of.steps * lanes;
      int const d = drawing.source.dimension;
      double* const memory = of.memory + thread * of.steps * numbers(d);
      drawing.source.record_nothing();
      drawing.points = StoredPoints<Space>(memory, slots, d);
      summing.f.values = BatchValues<Space>(memory + drawing.points.size(), slots, C);
      summing.f.slots = drawing.slots = Slots{0, lanes, of.steps};
      if constexpr (keeps_columns<Source>)
        summing.f.drawn = drawing.besides = DrawnColumns::at(memory + drawing.points.size() + slots * C, slots, d);
    }

    /// The segments of the lanes that begin with this one, as SampleChunks samples them.
    void sample(typename Source::Table const& table, std::uint64_t segment, Sums& sum) {
      Source const& source = summing.source;
      summing.f.slots.first = segment;
      typename Source::Lanes at = source.start(table, summing.chunks, segment), ahead = at;
      typename Sampling::Kept kept;
      for (int w = 0; w < lanes; ++w)
        kept.clear(w);
      NonFiniteSamples bad;
      std::uint64_t s = 0, s_ahead = 0; // samples of a run
      Deadline::Watch watch(summing.deadline);
      while (source.any(at)) {
        auto const steps = draw(table, ahead, s_ahead);
        if (watch.over() || !evaluate(steps))
          return;
        for (std::uint64_t step = 0; step < steps; ++step) {
          typename Source::Points points;
          typename Source::Acc values[C][lanes];
          summing.take(table, at, segment, step, points, values, bad);
          summing.keep(table, at, s, points, values, kept, sum);
          if (++s < source.run())
            continue;
          s = 0;
          source.end_run(at, [&](int w, auto const& part) {
            summing.accumulator.close(kept, w, part, sum);
            kept.clear(w);
          });
        }
      }
      sum.finish(source.drawn(at, summing.chunks, segment), bad);
    }

  private:
    /// Leaves the points of the next steps in memory.
    /// @param s sample of a run
    /// @returns how many steps there are
    std::uint64_t draw(typename Source::Table const& table, typename Source::Lanes& at, std::uint64_t& s) const {
      Source const& source = drawing.source;
      typename Source::Acc const zeros[lanes] = {};
      typename Source::Points points;
      typename Drawing::Nothing nothing;
      std::uint64_t step = 0;
      for (; step < kernel.steps && source.any(at); ++step) {
        drawing.draw(at, table, points, step * lanes);
        source.end_sample(at, table, points, zeros, nothing);
        if (++s < source.run())
          continue;
        s = 0;
        source.end_run(at, [](int, auto const&) {});
      }
      return step;
    }

    /// Has the integrand evaluate the points of these steps.
    /// @returns false once it has thrown an exception, in any thread
    bool evaluate(std::uint64_t steps) const {
      if (kernel.exception->any())
        return false;
      auto const slots = Kokkos::pair<std::uint64_t, std::uint64_t>(0, steps * lanes);
      try {
        BatchPoints<Space> const points(Kokkos::subview(drawing.points, slots, Kokkos::ALL));
        BatchValues<Space> const values(Kokkos::subview(summing.f.values, slots, Kokkos::ALL));
        kernel.f->in_thread(points, values);
        if constexpr (requires { drawing.source.transform.infinite(); })
          mark_harmless_in_thread<C, Space>(drawing.source.transform, points, values,
                                            [&](auto const& x, auto const& y) { kernel.f->in_thread(x, y); });
      } catch (...) {
        kernel.exception->keep();
        return false;
      }
      return true;
    }
  };
};

/// Samples the chunks of a kernel whose integrand threads may call at the same time.
/// @returns false where there is no room for a step of each thread; nothing is done then
template <class Space, class Eval, class F, int C, class Source, class Accumulator>
bool sample_in_blocks(Space const& exec, SampleChunks<Space, Eval, Batched<F, C>, Source, Accumulator> const& kernel,
                      Batches<Space>& batches, std::string const& label) {
  using Blocks = SampleInBlocks<Space, Eval, F, C, Source, Accumulator>;
  if (kernel.chunks.mine == 0)
    return true;
  typename Blocks::Thread const threads(exec);
  auto const step = Blocks::numbers(kernel.source.dimension) * static_cast<std::size_t>(threads.size());
  auto const steps =
      std::min<std::uint64_t>(Blocks::steps_of_block(kernel.source.dimension), batches.room() / sizeof(double) / step);
  double* const memory = steps > 0 ? batches.numbers(exec, steps * step) : nullptr;
  if (!memory)
    return false;
  FirstException exception;
  Blocks{&kernel.f.f,
         {{}, kernel.source, kernel.accumulator, kernel.chunks, kernel.partials, kernel.policy, kernel.deadline},
         steps,
         memory,
         threads,
         &exception}
      .launch(exec, label);
  return true;
}

} // namespace kubature::detail
