#pragma once

#include <kubature/detail/chunks.hpp>
#include <kubature/detail/deadline.hpp>
#include <kubature/detail/evaluate.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/detail/vegas/map_sampler.hpp>
#include <kubature/detail/vegas/strata.hpp>
#include <kubature/detail/vegas_plus/allotment.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>

namespace kubature::detail {

/// Sums over cubes of C components: of the cubes' means, and of the variances of these.
template <class Acc, int C>
struct StrataSums {
  std::uint64_t samples = 0;
  std::uint64_t non_finite = 0;
  double largest = 0; ///< |J f| of the recorded samples
  double weights = 0; ///< of the cubes
  Acc means[C] = {};
  Acc variances[C] = {};

  KOKKOS_FUNCTION void join(StrataSums const& other) {
    samples += other.samples;
    non_finite += other.non_finite;
    largest = largest < other.largest ? other.largest : largest;
    weights += other.weights;
    for (int c = 0; c < C; ++c) {
      means[c] += other.means[c];
      variances[c] += other.variances[c];
    }
  }

  /// Integral and error: the mean of the cubes' means (Lepage 2021, eq. 22-23, with n - 1).
  template <class Value>
  Iteration<Value> estimate(std::uint64_t cubes) const {
    Iteration<Value> result;
    result.evaluations = samples;
    for (int c = 0; c < C; ++c) {
      ValueTraits<Value>::get(result.value, c) = means[c] / static_cast<double>(cubes);
      ValueTraits<Value>::get(result.error, c) =
          std::sqrt(static_cast<double>(variances[c])) / static_cast<double>(cubes);
    }
    return result;
  }
};

/// The sampling kernel of VEGAS+: a team a chunk, a thread the strands, a strand a run of pairs of samples, equally
/// long whatever the cubes. A strand keeps the sums of the cube that it is in and closes them at the cube's end.
///
/// A cube that is cut by the end of a strand has a part in each; the parts add to its mean, and each to the mean's
/// variance by its own deviations, so nothing has to be put together. The part that holds the cube's middle pair says
/// the cube's weight.
template <class Space, class P, class F, int D>
struct SampleStrata {
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  using Tune = Tuning<Space>;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;
  static constexpr int lanes = Tune::lanes;
  using Sums = StrataSums<Acc, components>;
  using Policy = Kokkos::TeamPolicy<Space, typename Tune::SamplingBounds>;
  using Member = typename Policy::member_type;
  using Sampler = MapSampler<Space, P, D>;

  F f;
  Sampler sampler;
  Strata<D> strata;
  Allotment<Space> allotment;
  Chunks chunks;
  Kokkos::View<Sums*, Space, Kokkos::MemoryUnmanaged> partials;
  /// The cubes' weights for the next iteration; empty where none are wanted.
  Kokkos::View<float*, Space, Kokkos::MemoryUnmanaged> weights;
  /// beta / 2, and what the standard deviation is multiplied with before, so that single precision holds it.
  float half_beta;
  double deviation_scale;
  NonFinite policy;
  Deadline deadline{};

  void launch(Space const& exec) {
    if (chunks.mine == 0)
      return;
    auto const teams = sampler.configure(Policy(exec, chunks.mine, Tune::sampling_team));
    Kokkos::parallel_for("kubature::vegas_plus::sample", as_argument(teams), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const pairs = allotment.pairs();
    sampler.sample(team, chunks, partials, [&](std::uint64_t first, auto const& turn, auto const& table, Sums& sum) {
      strands(first, pairs, turn, table, sum);
    });
  }

private:
  using Cube = typename Allotment<Space>::Cube;

  /// Where a strand is.
  struct Strand {
    Cube cube{};
    std::uint32_t size = 0; ///< pairs of the part of the cube that it works on; 0 at the end of the strand
    std::uint32_t left = 0; ///< of these
    std::uint32_t rest = 0; ///< pairs behind this part
    Acc share = 1;          ///< of the cube that the part is
    bool weigh = false;     ///< whether the part says the cube's weight

    /// The part that `ahead` of the cube's pairs are before.
    KOKKOS_FUNCTION void open(std::uint64_t ahead) {
      std::uint64_t const whole = cube.pairs - ahead;
      size = whole < rest ? static_cast<std::uint32_t>(whole) : rest;
      left = size;
      rest -= size;
      share = size == cube.pairs ? Acc(1) : static_cast<Acc>(size) / static_cast<Acc>(cube.pairs);
      weigh = Allotment<Space>::holds_middle(cube.pairs, ahead, size);
    }
  };

  /// Strands first ... first + lanes - 1, side by side.
  KOKKOS_FUNCTION void strands(std::uint64_t first, std::uint64_t pairs, typename Sampler::Turn turn,
                               typename Sampler::Table const& table, Sums& sum) const {
    Strand strand[lanes];
    std::uint64_t sample[lanes];
    typename Sampler::Corner corner;
    ShiftedSums<Acc, components, lanes> sums;
    std::uint32_t bad = 0;
    for (int w = 0; w < lanes; ++w) {
      std::uint64_t const begin = (first + static_cast<std::uint64_t>(w)) * chunks.length;
      sample[w] = 2 * begin;
      sums.clear(w);
      if (begin < pairs) {
        auto const place = allotment.find(begin);
        strand[w].cube = place.cube;
        strand[w].rest = static_cast<std::uint32_t>(begin + chunks.length < pairs ? chunks.length : pairs - begin);
        strand[w].open(begin - place.first);
      }
      sampler.place(corner, w, strand[w].cube.index, strata);
    }

    Deadline::Watch watch(deadline);
    while (any_open(strand)) {
      if (watch.over())
        return;
      for (int half = 0; half < 2; ++half) {
        typename Sampler::Points points;
        sampler.draw(sample, corner, table, points);
        Acc values[components][lanes];
        evaluate<Eval>(f, points.x, points.jacobian, [&](int w) { return strand[w].size != 0; }, policy, values, bad);
        bool const record = turn();
        for (int w = 0; w < lanes; ++w) {
          if (strand[w].size == 0)
            continue;
          sums.add(values, w, half == 0 && strand[w].left == strand[w].size);
          ++sample[w];
          if (record)
            sampler.record(values[0][w], points, w, table.bin, sum.largest);
        }
      }
      for (int w = 0; w < lanes; ++w)
        if (strand[w].size != 0 && --strand[w].left == 0)
          close(strand[w], sums, corner, w, sum);
    }
    for (int w = 0; w < lanes; ++w)
      sum.samples += sample[w] - 2 * (first + static_cast<std::uint64_t>(w)) * chunks.length;
    sum.non_finite += bad;
  }

  KOKKOS_FUNCTION static bool any_open(Strand const (&strand)[lanes]) {
    std::uint32_t open = 0;
    for (int w = 0; w < lanes; ++w)
      open |= strand[w].size;
    return open != 0;
  }

  /// Adds a part of a cube, all of whose samples are drawn, to the sums, and goes on to the next cube.
  KOKKOS_FUNCTION void close(Strand& strand, ShiftedSums<Acc, components, lanes>& sums,
                             typename Sampler::Corner& corner, int w, Sums& sum) const {
    auto const a = static_cast<Acc>(2 * strand.size);
    Acc const over_both = Acc(1) / (a * (a - 1)), over_a = over_both * (a - 1);
    for (int c = 0; c < components; ++c) {
      Acc const variance = sums.squares(c, w, over_a) * over_both; // of the mean
      sum.means[c] += sums.mean(c, w, over_a) * strand.share;
      sum.variances[c] += variance * strand.share * strand.share;
      if (c == 0 && strand.weigh && weights.data()) {
        float const weight = weight_of(static_cast<double>(variance * a));
        weights(strand.cube.index) = weight;
        sum.weights += static_cast<double>(weight);
      }
    }
    sums.clear(w);
    if (strand.rest == 0) {
      strand.size = 0;
      return;
    }
    strand.cube = allotment.next(strand.cube);
    sampler.advance(corner, w);
    strand.open(0);
  }

  /// sigma^beta.
  KOKKOS_FUNCTION float weight_of(double variance) const {
    auto const scaled = static_cast<float>(variance * deviation_scale * deviation_scale);
    return scaled > 0 ? Kokkos::exp2(half_beta * Kokkos::log2(Kokkos::fmin(scaled, 0x1p120f))) : 0;
  }
};

} // namespace kubature::detail
