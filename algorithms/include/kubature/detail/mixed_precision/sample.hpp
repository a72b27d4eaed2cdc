#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/deadline.hpp>
#include <kubature/detail/draw.hpp>
#include <kubature/detail/evaluate.hpp>
#include <kubature/detail/join.hpp>
#include <kubature/detail/mixed_precision/parts.hpp>
#include <kubature/detail/mixed_precision/stratum.hpp>
#include <kubature/detail/plain_monte_carlo/sample.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace kubature::detail {

/// In which formats the integrand is evaluated in a launch: all of it in one, or each term in its own. A kernel for
/// each, so that none carries the registers of what it does not do.
enum class Mix { doubles, singles, terms };

/// Samples strata: a team a part of one stratum, a thread the strands, a strand a run of samples. All terms of a sample
/// share its point, which is drawn in fp64 where any of them is in fp64 and in fp32 otherwise, and rounded for the
/// terms.
template <class Space, Mix mix, class Lowest, class F, int D>
struct SampleMixed {
  using Sample = std::conditional_t<mix == Mix::singles, float, double>;
  using Tune = Tuning<Space>;
  static constexpr bool batched = Batched<F, Sample, D, Tune::batch>;
  static constexpr int lanes = batched ? Tune::batch : Tune::lanes;
  static constexpr int team_size = batched ? Tune::batch_team : Tune::sampling_team;
  using Moments = SampleMoments<double, 1>;
  using Bounds = std::conditional_t<batched, typename Tune::BatchBounds, typename Tune::SamplingBounds>;
  using Policy = Kokkos::TeamPolicy<Space, Bounds>;
  using Member = typename Policy::member_type;
  using Strata = Kokkos::View<Stratum const*, Space, Kokkos::MemoryUnmanaged>;

  F f;
  Transform<Sample, D> transform;
  Strata strata;                                                   ///< of this launch, whose teams are consecutive
  Kokkos::View<Moments*, Space, Kokkos::MemoryUnmanaged> partials; ///< of all teams of the iteration
  int dimension;
  Stream stream;
  NonFinite policy;
  int first_team; ///< of the launch's teams that this process runs
  double volume;  ///< of the box, by what Scaling says
  Deadline deadline{};

  void launch(Space const& exec, int teams) const {
    Kokkos::parallel_for("kubature::mixed_precision::sample", as_argument(Policy(exec, teams, team_size)), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const number = strata(0).first_team + first_team + team.league_rank();
    Stratum const& stratum = strata(find(number));
    auto const first = static_cast<std::uint64_t>(number - stratum.first_team) * Tune::strands;
    Moments sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, Tune::strands / lanes),
        [&](int group, Moments& partial) {
          strands(stratum, first + static_cast<std::uint64_t>(group) * lanes, partial);
        },
        Join<Moments>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { partials(number) = sum; });
  }

private:
  /// The stratum that a team works on.
  KOKKOS_FUNCTION int find(int team) const {
    int low = 0, high = static_cast<int>(strata.extent(0));
    while (high - low > 1) {
      int const middle = (low + high) / 2;
      (strata(middle).first_team <= team ? low : high) = middle;
    }
    return low;
  }

  /// Strands first ... first + lanes - 1 of the stratum, side by side.
  KOKKOS_FUNCTION void strands(Stratum const& stratum, std::uint64_t first, Moments& sum) const {
    int const d = D == dynamic ? dimension : D;
    std::uint64_t const samples = stratum.samples, length = stratum.length;
    TermFormats const formats = stratum.formats;
    Point<Sample, D> origin, extent;
    for (int i = 0; i < d; ++i) {
      origin[i] = transform.place(i, stratum.cell.origin[i]);
      extent[i] = transform.stretch(i, stratum.cell.length[i]);
    }
    std::uint64_t begin[lanes];
    for (int w = 0; w < lanes; ++w)
      begin[w] = (first + static_cast<std::uint64_t>(w)) * length;
    double shift[lanes] = {}, s1[lanes] = {}, s2[lanes] = {};
    std::uint64_t bad = 0;
    Deadline::Watch watch(deadline);
    for (std::uint64_t k = 0; k < length; ++k) {
      int active = 0; // strands fill up in order, so the active ones come first
      while (active < lanes && begin[active] + k < samples)
        ++active;
      if (active == 0 || watch.over())
        break;

      Point<Sample, D> x[lanes];
      double jacobian[lanes], values[lanes];
      draw(begin, stratum.first + k, origin, extent, d, x, jacobian);
      evaluate_terms(formats, x, values);
      for (int w = 0; w < lanes; ++w) {
        bool const finite = Kokkos::isfinite(values[w]);
        values[w] *= jacobian[w];
        if (w < active && !finite) [[unlikely]] {
          ++bad;
          if (policy != NonFinite::propagate)
            values[w] = 0;
        }
        if (k == 0)
          shift[w] = values[w];
        double const v = w < active ? values[w] - shift[w] : 0.0;
        s1[w] += v;
        s2[w] += v * v;
      }
    }
    for (int w = 0; w < lanes && begin[w] < samples; ++w) {
      Moments strand;
      strand.count = samples - begin[w] < length ? samples - begin[w] : length;
      auto const n = static_cast<double>(strand.count);
      strand.mean[0] = shift[w] + s1[w] / n;
      double const squares = s2[w] - s1[w] * s1[w] / n;
      strand.squares[0] = squares < 0 ? 0.0 : squares;
      strand.non_finite = w == 0 ? bad : 0;
      sum.join(strand);
    }
  }

  KOKKOS_FUNCTION void draw(std::uint64_t const (&begin)[lanes], std::uint64_t offset, Point<Sample, D> const& origin,
                            Point<Sample, D> const& extent, int d, Point<Sample, D> (&x)[lanes],
                            double (&jacobian)[lanes]) const {
    std::uint64_t sample[lanes];
    for (int w = 0; w < lanes; ++w) {
      sample[w] = begin[w] + offset;
      x[w].set_size(d);
      jacobian[w] = volume;
    }
    for (int block = 0; 4 * block < d; ++block) {
      std::uint32_t words[4][lanes];
      stream.words(sample, static_cast<std::uint32_t>(block), words);
      for (int j = 0; j < 4 && 4 * block + j < d; ++j)
        for (int w = 0; w < lanes; ++w)
          x[w][4 * block + j] = origin[4 * block + j] + extent[4 * block + j] * uniform<Sample>(words[j][w]);
    }
    if constexpr (mix != Mix::singles) // infinite sides need the finer points
      if (transform.infinite())
        for (int w = 0; w < lanes; ++w)
          jacobian[w] *= transform.template map_infinite<double>(x[w]);
  }

  /// The integrand, or the sum of its terms, each in its format.
  KOKKOS_FUNCTION void evaluate_terms([[maybe_unused]] TermFormats const& formats, Point<Sample, D> const (&x)[lanes],
                                      double (&values)[lanes]) const {
    for (int w = 0; w < lanes; ++w)
      values[w] = 0;
    if constexpr (mix == Mix::terms) {
      Point<float, D> low[lanes];
      for (int w = 0; w < lanes; ++w)
        low[w] = rounded<float>(x[w]);
      for_each_term(f, [&](int k, auto const& term) {
        if (formats.half(k))
          add<Lowest>(term, low, values);
        else if (formats.single(k))
          add<float>(term, low, values);
        else
          add<double>(term, x, values);
      });
    } else {
      add<Sample>(f, x, values);
    }
  }

  /// Adds what g returns for points in the format Real.
  template <class Real, class G, class From>
  KOKKOS_FUNCTION static void add(G const& g, Point<From, D> const (&x)[lanes], double (&values)[lanes]) {
    if constexpr (Batched<G, Real, D, lanes>) {
      Real batch[lanes];
      if constexpr (std::is_same_v<Real, From>) {
        g.batch(x, batch);
      } else {
        Point<Real, D> at[lanes];
        for (int w = 0; w < lanes; ++w)
          at[w] = rounded<Real>(x[w]);
        g.batch(at, batch);
      }
      for (int w = 0; w < lanes; ++w)
        values[w] += static_cast<double>(batch[w]);
    } else {
      for (int w = 0; w < lanes; ++w)
        values[w] += static_cast<double>(g(rounded<Real>(x[w])));
    }
  }
};

/// The estimate of a stratum, or of several together.
struct StratumSum {
  double value = 0, variance = 0;
  std::uint64_t count = 0, non_finite = 0;

  KOKKOS_FUNCTION void join(StratumSum const& other) {
    value += other.value;
    variance += other.variance;
    count += other.count;
    non_finite += other.non_finite;
  }
};

/// Joins the partial sums of each stratum's teams, in an order that their numbers fix: a team a stratum.
template <class Space>
struct JoinStrata {
  using Moments = SampleMoments<double, 1>;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  Kokkos::View<Stratum const*, Space, Kokkos::MemoryUnmanaged> strata;
  Kokkos::View<Moments const*, Space, Kokkos::MemoryUnmanaged> partials;
  Kokkos::View<StratumSum*, Space, Kokkos::MemoryUnmanaged> sums;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Stratum const& stratum = strata(team.league_rank());
    int const first = stratum.first_team;
    auto const& parts = partials;
    Moments all;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, stratum.teams), [&](int i, Moments& partial) { partial.join(parts(first + i)); },
        Join<Moments>(all));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      auto const n = static_cast<double>(all.count);
      double const share = stratum.share;
      sums(team.league_rank()) = {share * all.mean[0], share * share * all.squares[0] / (n - 1) / n, all.count,
                                  all.non_finite};
    });
  }
};

} // namespace kubature::detail
