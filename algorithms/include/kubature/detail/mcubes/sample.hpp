#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/chunks.hpp>
#include <kubature/detail/draw.hpp>
#include <kubature/detail/evaluate.hpp>
#include <kubature/detail/join.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/detail/vegas/map.hpp>
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
///
/// Edges and histogram lie in team scratch where the backend has room for them; the histogram of a chunk is added
/// to the global one at its end.
template <class Space, class P, class F, int D>
struct SampleCubes {
  using Sample = typename P::sample_type;
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  using Tune = Tuning<Space>;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;
  static constexpr int lanes = Tune::lanes;
  using Sums = CubeSums<Acc, components>;
  using Policy = Kokkos::TeamPolicy<Space, typename Tune::SamplingBounds>;
  using Member = typename Policy::member_type;
  static constexpr int capacity = Point<double, D>::capacity;

  F f;
  Transform<Sample, D> transform;
  Strata<D> strata;
  Chunks chunks;
  Kokkos::View<Sums*, Space, Kokkos::MemoryUnmanaged> partials;
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> edges;
  Kokkos::View<std::uint64_t*, Space, Kokkos::MemoryUnmanaged> weights, counts;
  double scale;
  int dimension, axes, bins;
  Stream stream;
  NonFinite policy;
  /// One sample in so many is recorded; 0 records none.
  std::uint32_t record_every;
  /// Recorded samples go into the histogram; if not, only the largest |J f| of them is found.
  bool fill;
  /// Scratch levels, chosen by launch().
  int edges_level = 0, bins_level = 0;

  void launch(Space const& exec) {
    auto const edge_bytes = static_cast<int>(scratch_bytes<Sample>(axes * (bins + 1)));
    auto const bin_bytes = fill && record_every > 0 ? static_cast<int>(scratch_bytes<std::uint64_t>(axes * bins)) : 0;
    auto const room = Policy::scratch_size_max(0);
    edges_level = edge_bytes <= room ? 0 : 1;
    bins_level = bin_bytes + (edges_level == 0 ? edge_bytes : 0) <= room ? 0 : 1;
    int bytes[2] = {0, 0};
    bytes[edges_level] += edge_bytes;
    bytes[bins_level] += bin_bytes;
    Kokkos::parallel_for("kubature::mcubes::sample",
                         as_argument(Policy(exec, chunks.count, Tune::sampling_team)
                                         .set_scratch_size(0, Kokkos::PerTeam(bytes[0]))
                                         .set_scratch_size(1, Kokkos::PerTeam(bytes[1]))),
                         *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Scratch<Sample> const edge(team.team_scratch(edges_level), axes * (bins + 1));
    bool const filling = fill && record_every > 0;
    Scratch<std::uint64_t> const bin(team.team_scratch(bins_level), filling ? axes * bins : 0);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, axes * (bins + 1)),
                         [&](int k) { edge(k) = static_cast<Sample>(edges(k)); });
    if (filling)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, axes * bins), [&](int k) { bin(k) = 0; });
    team.team_barrier();

    auto const chunk = static_cast<std::uint64_t>(team.league_rank());
    // Which samples of a chunk are recorded is random, so that no cube is left out or preferred.
    std::uint32_t const phase = record_every > 1 ? stream.word(chunk) % record_every : 0;
    Sums sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, Tune::strands / lanes),
        [&](int group, Sums& partial) {
          strands(chunk * Tune::strands + static_cast<std::uint64_t>(group) * lanes, phase, edge.data(),
                  filling ? bin.data() : nullptr, partial);
        },
        Join<Sums>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(chunk) = sum; });

    if (!filling)
      return;
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, axes * bins), [&](int k) {
      std::uint64_t const packed = bin(k);
      if (packed == 0)
        return;
      Kokkos::atomic_add(&weights(k), FixedPoint::weight(packed));
      Kokkos::atomic_add(&counts(k), FixedPoint::count(packed));
    });
  }

private:
  template <class T>
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  template <class T>
  static std::size_t scratch_bytes(int count) {
    return Scratch<T>::shmem_size(static_cast<std::size_t>(count));
  }

  /// Strands first ... first + lanes - 1, side by side: in each the cubes of a run, and p samples in every cube.
  KOKKOS_FUNCTION void strands(std::uint64_t first, std::uint32_t phase, Sample const* edge, std::uint64_t* bin,
                               Sums& sum) const {
    int const d = D == dynamic ? dimension : D;
    std::uint64_t begin[lanes];
    int cube[capacity][lanes];
    for (int w = 0; w < lanes; ++w) {
      begin[w] = (first + static_cast<std::uint64_t>(w)) * chunks.length;
      std::uint64_t index = begin[w];
      for (int i = 0; i < d; ++i) {
        auto const n = static_cast<std::uint64_t>(strata.counts[i]);
        cube[i][w] = static_cast<int>(index % n);
        index /= n;
      }
    }
    Sample step[capacity]; // intervals of the map in a cube
    for (int i = 0; i < d; ++i)
      step[i] = static_cast<Sample>(bins) / static_cast<Sample>(strata.counts[i]);

    std::uint32_t until_record = phase;
    Acc const over_p = Acc(1) / static_cast<Acc>(strata.samples);
    for (std::uint64_t k = 0; k < chunks.length; ++k) {
      int active = 0; // strands fill up in order, so the active ones come first
      while (active < lanes && begin[active] + k < chunks.items)
        ++active;
      if (active == 0)
        break;

      Acc shift[components][lanes] = {}, s1[components][lanes] = {}, s2[components][lanes] = {};
      for (std::uint64_t s = 0; s < strata.samples; ++s) {
        std::uint64_t sample[lanes];
        for (int w = 0; w < lanes; ++w)
          sample[w] = (begin[w] + k) * strata.samples + s;
        Point<Eval, D> x[lanes];
        Acc jacobian[lanes];
        int interval[capacity][lanes];
        draw(sample, cube, step, edge, d, x, jacobian, interval);
        Acc values[components][lanes];
        evaluate(f, x, jacobian, active, policy, values, sum.non_finite);
        for (int c = 0; c < components; ++c)
          for (int w = 0; w < lanes; ++w) {
            if (s == 0)
              shift[c][w] = values[c][w];
            Acc const v = values[c][w] - shift[c][w];
            s1[c][w] += v;
            s2[c][w] += v * v;
          }
        if (record_every > 0 && until_record-- == 0) {
          until_record = record_every - 1;
          record(values[0], interval, active, bin, sum.largest);
        }
      }
      for (int c = 0; c < components; ++c)
        for (int w = 0; w < lanes; ++w) {
          Acc const squares = s2[c][w] - s1[c][w] * s1[c][w] * over_p;
          if (w < active) {
            sum.means[c] += shift[c][w] + s1[c][w] * over_p;
            sum.squares[c] += squares < 0 ? Acc(0) : squares;
          }
        }
      for (int w = 0; w < lanes; ++w)
        for (int i = 0; i < d && ++cube[i][w] == strata.counts[i]; ++i)
          cube[i][w] = 0;
    }
  }

  /// A uniform point in each lane's cube, taken through the map into the box.
  KOKKOS_FUNCTION void draw(std::uint64_t const (&sample)[lanes], int const (&cube)[capacity][lanes],
                            Sample const (&step)[capacity], Sample const* edge, int d, Point<Eval, D> (&x)[lanes],
                            Acc (&jacobian)[lanes], int (&interval)[capacity][lanes]) const {
    for (int w = 0; w < lanes; ++w) {
      x[w].set_size(d);
      jacobian[w] = 1;
    }
    int const stride = axes > 1 ? bins + 1 : 0;
    for (int block = 0; 4 * block < d; ++block) {
      std::uint32_t words[4][lanes];
      stream.words(sample, static_cast<std::uint32_t>(block), words);
      for (int j = 0; j < 4 && 4 * block + j < d; ++j) {
        int const i = 4 * block + j;
        Sample t[lanes];
        for (int w = 0; w < lanes; ++w) {
          Sample const position = (static_cast<Sample>(cube[i][w]) + uniform<Sample>(words[j][w])) * step[i];
          int const k = static_cast<int>(position) < bins ? static_cast<int>(position) : bins - 1;
          interval[i][w] = k;
          Sample const left = edge[i * stride + k];
          Sample const width = edge[i * stride + k + 1] - left;
          jacobian[w] *= static_cast<Acc>(width) * static_cast<Acc>(bins);
          t[w] = left + (position - static_cast<Sample>(k)) * width;
        }
        transform(i, t, jacobian);
        for (int w = 0; w < lanes; ++w)
          x[w][i] = static_cast<Eval>(t[w]);
      }
    }
  }

  /// Adds to the chunk's histogram, which a team of one thread has for itself.
  KOKKOS_FUNCTION static void add(std::uint64_t& to, std::uint64_t packed) {
    if constexpr (Tune::sampling_team == 1)
      to += packed;
    else
      Kokkos::atomic_add(&to, packed);
  }

  /// Adds the weights of a sample in each lane to the intervals that it fell in, along every axis that has a map.
  KOKKOS_FUNCTION void record(Acc const (&values)[lanes], int const (&interval)[capacity][lanes], int active,
                              std::uint64_t* bin, double& largest) const {
    for (int w = 0; w < active; ++w) {
      double magnitude = Kokkos::abs(static_cast<double>(values[w]));
      if (!Kokkos::isfinite(magnitude))
        magnitude = 0;
      largest = largest < magnitude ? magnitude : largest;
      if (bin == nullptr)
        continue;
      std::uint64_t const packed = FixedPoint::pack(magnitude, scale);
      for (int i = 0; i < (D == dynamic ? axes : D); ++i)
        if (i < axes)
          add(bin[i * bins + interval[i][w]], packed);
    }
  }
};

} // namespace kubature::detail
