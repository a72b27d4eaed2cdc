#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/chunks.hpp>
#include <kubature/detail/deadline.hpp>
#include <kubature/detail/draw.hpp>
#include <kubature/detail/evaluate.hpp>
#include <kubature/detail/join.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <type_traits>

namespace kubature::detail {

/// Count, mean and sum of squared deviations of C components, joined by the update of Chan, Golub and LeVeque
/// ("Algorithms for computing the sample variance", 1983, eq. 2.1).
template <class Acc, int C>
struct SampleMoments {
  std::uint64_t count = 0;
  std::uint64_t non_finite = 0;
  Acc mean[C] = {};
  Acc squares[C] = {};

  KOKKOS_FUNCTION void join(SampleMoments const& other) {
    if (other.count == 0)
      return;
    auto const n = static_cast<Acc>(count), m = static_cast<Acc>(other.count);
    Acc const share = m / (n + m);
    for (int c = 0; c < C; ++c) {
      Acc const step = other.mean[c] - mean[c];
      squares[c] += other.squares[c] + step * step * n * share;
      mean[c] += step * share;
    }
    count += other.count;
    non_finite += other.non_finite;
  }

  template <class Value>
  Iteration<Value> estimate() const {
    Iteration<Value> result;
    result.evaluations = count;
    auto const n = static_cast<double>(count);
    for (int c = 0; c < C; ++c) {
      ValueTraits<Value>::get(result.value, c) = mean[c];
      ValueTraits<Value>::get(result.error, c) = std::sqrt(squares[c] / (n - 1) / n);
    }
    return result;
  }
};

/// The kernel of plain Monte Carlo: a team a chunk, a thread the strands, a strand a run of samples.
template <class Space, class P, class F, int D>
struct SampleUniform {
  using Sample = typename P::sample_type;
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  using Tune = Tuning<Space>;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;
  static constexpr bool batched = Batched<F, Eval, D, Tune::batch>;
  static constexpr int lanes = batched ? Tune::batch : Tune::lanes;
  static constexpr int team_size = batched ? Tune::batch_team : Tune::sampling_team;
  using Moments = SampleMoments<Acc, components>;
  using Bounds = std::conditional_t<batched, typename Tune::BatchBounds, typename Tune::SamplingBounds>;
  using Policy = Kokkos::TeamPolicy<Space, Bounds>;
  using Member = typename Policy::member_type;

  F f;
  Transform<Sample, D> transform;
  Chunks chunks;
  Kokkos::View<Moments*, Space, Kokkos::MemoryUnmanaged> partials;
  int dimension;
  Stream stream;
  NonFinite policy;
  double volume; ///< of the box, by what Scaling says
  Deadline deadline{};

  void launch(Space const& exec) const {
    if (chunks.mine == 0)
      return;
    Kokkos::parallel_for("kubature::plain_monte_carlo::sample", as_argument(Policy(exec, chunks.mine, team_size)),
                         *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const chunk = static_cast<std::uint64_t>(chunks.first + team.league_rank());
    Moments sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, Tune::strands / lanes),
        [&](int group, Moments& partial) {
          strands(chunk * Tune::strands + static_cast<std::uint64_t>(group) * lanes, partial);
        },
        Join<Moments>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(chunk) = sum; });
  }

private:
  /// Strands first ... first + lanes - 1, side by side.
  KOKKOS_FUNCTION void strands(std::uint64_t first, Moments& sum) const {
    int const d = D == dynamic ? dimension : D;
    std::uint64_t begin[lanes];
    for (int w = 0; w < lanes; ++w)
      begin[w] = (first + static_cast<std::uint64_t>(w)) * chunks.length;
    Acc shift[components][lanes] = {}, s1[components][lanes] = {}, s2[components][lanes] = {};
    std::uint64_t bad = 0;
    Deadline::Watch watch(deadline);
    for (std::uint64_t k = 0; k < chunks.length; ++k) {
      int active = 0; // strands fill up in order, so the active ones come first
      while (active < lanes && begin[active] + k < chunks.items)
        ++active;
      if (active == 0 || watch.over())
        break;

      Point<Sample, D> x[lanes];
      Acc jacobian[lanes];
      draw(begin, k, d, x, jacobian);
      Acc values[components][lanes];
      evaluate<Eval>(f, x, jacobian, [active](int w) { return w < active; }, policy, values, bad);
      for (int c = 0; c < components; ++c)
        for (int w = 0; w < lanes; ++w) {
          if (k == 0)
            shift[c][w] = values[c][w];
          Acc const v = w < active ? values[c][w] - shift[c][w] : Acc(0);
          s1[c][w] += v;
          s2[c][w] += v * v;
        }
    }
    join(begin, shift, s1, s2, bad, sum);
  }

  KOKKOS_FUNCTION void draw(std::uint64_t const (&begin)[lanes], std::uint64_t k, int d, Point<Sample, D> (&x)[lanes],
                            Acc (&jacobian)[lanes]) const {
    std::uint64_t sample[lanes];
    for (int w = 0; w < lanes; ++w) {
      sample[w] = begin[w] + k;
      x[w].set_size(d);
      jacobian[w] = static_cast<Acc>(volume);
    }
    for (int block = 0; 4 * block < d; ++block) {
      std::uint32_t words[4][lanes];
      stream.words(sample, static_cast<std::uint32_t>(block), words);
      for (int j = 0; j < 4 && 4 * block + j < d; ++j)
        for (int w = 0; w < lanes; ++w)
          x[w][4 * block + j] = transform.place(4 * block + j, uniform<Sample>(words[j][w]));
    }
    if (transform.infinite())
      for (int w = 0; w < lanes; ++w)
        jacobian[w] *= transform.template map_infinite<Acc>(x[w]);
  }

  KOKKOS_FUNCTION void join(std::uint64_t const (&begin)[lanes], Acc const (&shift)[components][lanes],
                            Acc const (&s1)[components][lanes], Acc const (&s2)[components][lanes], std::uint64_t bad,
                            Moments& sum) const {
    for (int w = 0; w < lanes && begin[w] < chunks.items; ++w) {
      Moments strand;
      strand.count = chunks.items - begin[w] < chunks.length ? chunks.items - begin[w] : chunks.length;
      auto const n = static_cast<Acc>(strand.count);
      for (int c = 0; c < components; ++c) {
        strand.mean[c] = shift[c][w] + s1[c][w] / n;
        Acc const squares = s2[c][w] - s1[c][w] * s1[c][w] / n;
        strand.squares[c] = squares < 0 ? Acc(0) : squares;
      }
      strand.non_finite = w == 0 ? bad : 0;
      sum.join(strand);
    }
  }
};

} // namespace kubature::detail
