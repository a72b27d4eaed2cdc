#pragma once

#include <kubature/detail/chunks.hpp>
#include <kubature/detail/deadline.hpp>
#include <kubature/detail/evaluate.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/detail/vegas/map_sampler.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>

namespace kubature::detail {

/// Sums over cubes of C components: of the cubes' means, and of their sums of squared deviations.
template <class Acc, int C>
struct CubeSums {
  std::uint64_t non_finite = 0;
  double largest = 0; ///< |J f| of the recorded samples
  Acc means[C] = {};
  Acc squares[C] = {};

  KOKKOS_FUNCTION void join(CubeSums const& other) {
    non_finite += other.non_finite;
    largest = largest < other.largest ? other.largest : largest;
    for (int c = 0; c < C; ++c) {
      means[c] += other.means[c];
      squares[c] += other.squares[c];
    }
  }

  /// Integral and error from all cubes with p samples each: the mean of the cubes' means, and the sum of their
  /// variances (with p - 1).
  template <class Value>
  Iteration<Value> estimate(std::uint64_t cubes, std::uint64_t p) const {
    Iteration<Value> result;
    result.evaluations = cubes * p;
    auto const m = static_cast<double>(cubes), n = static_cast<double>(p);
    for (int c = 0; c < C; ++c) {
      ValueTraits<Value>::get(result.value, c) = means[c] / m;
      ValueTraits<Value>::get(result.error, c) = std::sqrt(squares[c] / (n * (n - 1))) / m;
    }
    return result;
  }
};

/// The sampling kernel of m-Cubes: a team a chunk, a thread the strands, a strand a run of cubes, p samples in each
/// cube through the VEGAS map. It sums the cubes' means and variances, and records the weights (J f)^2 of a subset
/// of the samples, or none, in the histogram that refines the map.
template <class Space, class P, class F, int D>
struct SampleCubes {
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  using Tune = Tuning<Space>;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;
  static constexpr int lanes = Tune::lanes;
  using Sums = CubeSums<Acc, components>;
  using Policy = Kokkos::TeamPolicy<Space, typename Tune::SamplingBounds>;
  using Member = typename Policy::member_type;
  using Sampler = MapSampler<Space, P, D>;

  F f;
  Sampler sampler;
  Strata<D> strata;
  Chunks chunks;
  Kokkos::View<Sums*, Space, Kokkos::MemoryUnmanaged> partials;
  NonFinite policy;
  Deadline deadline{};

  void launch(Space const& exec) {
    if (chunks.mine == 0)
      return;
    auto const teams = sampler.configure(Policy(exec, chunks.mine, Tune::sampling_team));
    Kokkos::parallel_for("kubature::mcubes::sample", as_argument(teams), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    sampler.sample(team, chunks, partials, [&](std::uint64_t first, auto const& turn, auto const& table, Sums& sum) {
      strands(first, turn, table, sum);
    });
  }

private:
  /// Strands first ... first + lanes - 1, side by side: in each the cubes of a run, and p samples in every cube.
  KOKKOS_FUNCTION void strands(std::uint64_t first, typename Sampler::Turn turn, typename Sampler::Table const& table,
                               Sums& sum) const {
    std::uint64_t begin[lanes], sample[lanes];
    typename Sampler::Corner corner;
    for (int w = 0; w < lanes; ++w) {
      begin[w] = (first + static_cast<std::uint64_t>(w)) * chunks.length;
      sample[w] = begin[w] * strata.samples;
      sampler.place(corner, w, begin[w], strata);
    }

    std::uint32_t bad = 0;
    auto const p = static_cast<Acc>(strata.samples);
    Acc const over_p = Acc(1) / p;
    Deadline::Watch watch(deadline);
    for (std::uint64_t k = 0; k < chunks.length; ++k) {
      int active = 0; // strands fill up in order, so the active ones come first
      while (active < lanes && begin[active] + k < chunks.items)
        ++active;
      if (active == 0)
        break;

      ShiftedSums<Acc, components, lanes> cube;
      for (int w = 0; w < lanes; ++w)
        cube.clear(w);
      for (std::uint64_t s = 0; s < strata.samples; ++s) {
        if (watch.over())
          return;
        typename Sampler::Points points;
        sampler.draw(sample, corner, table, points);
        Acc values[components][lanes];
        evaluate<Eval>(f, points.x, points.jacobian, [active](int w) { return w < active; }, policy, values, bad);
        for (int w = 0; w < lanes; ++w) {
          cube.add(values, w, s == 0);
          ++sample[w];
        }
        if (turn())
          for (int w = 0; w < active; ++w)
            sampler.record(values[0][w], points, w, table.bin, sum.largest);
      }
      for (int c = 0; c < components; ++c)
        for (int w = 0; w < lanes; ++w)
          if (w < active) {
            sum.means[c] += cube.mean(c, w, over_p);
            sum.squares[c] += cube.squares(c, w, over_p);
          }
      for (int w = 0; w < lanes; ++w)
        sampler.advance(corner, w);
    }
    sum.non_finite += bad;
  }
};

} // namespace kubature::detail
