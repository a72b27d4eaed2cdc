#pragma once

#include <kubature/detail/cubature/behind_points.hpp>
#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/cubature/workers.hpp>
#include <kubature/detail/deadline.hpp>
#include <kubature/detail/join.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// The second phase, one team per region: it always bisects the part of the largest error, until the region's own
/// tolerance is met, also after a look behind the points of all parts (behind_points.hpp), or the heap of parts is
/// full. The sums over the parts replace the region's estimate in the list. A launch may end before that, and the next
/// one goes on.
template <class Space, class P, class F, int D>
struct RefineAlone {
  using Integral = RegionIntegral<P, F, D>;
  static constexpr int components = Integral::components;
  using Tune = Tuning<Space>;
  static constexpr int team_size = Tune::heap_team, lanes = Tune::heap_lanes;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<team_size * lanes>>;
  using Member = typename Policy::member_type;

  Integral integral;
  Regions regions;            ///< the list
  Regions parts;              ///< the heaps, one after the other
  std::uint64_t first, count; ///< regions of this launch
  int* sizes; ///< [heap]: number of parts, 0 before the first launch; less than 0 where the region is done with
  int heap;   ///< parts of a region at most
  int most;   ///< bisections of a region in one launch at most
  Tolerance tolerance;
  Counters* counters;
  Deadline deadline{};

  void launch(Space const& exec) const {
    Kokkos::parallel_for("kubature::two_phase::refine_alone",
                         as_argument(Policy(exec, static_cast<int>(count), team_size, lanes)), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const region = first + static_cast<unsigned>(team.league_rank());
    auto const base = static_cast<std::uint64_t>(team.league_rank()) * static_cast<unsigned>(heap);
    int const before = sizes[team.league_rank()];
    if (before < 0)
      return;
    if (before == 0)
      Kokkos::single(Kokkos::PerTeam(team), [&] { parts.copy(base, regions, region); });
    team.team_barrier();

    double allowed_absolute = tolerance.absolute;
    for (int k = 0; k < regions.dimension; ++k)
      allowed_absolute *= regions.interval(k, region).length();
    int const begun = before == 0 ? 1 : before;
    int size = begun;
    Deadline::Watch watch(deadline);
    for (;;) {
      Worst worst;
      double weights[components];
      bool met = true;
      for (int c = 0; c < components; ++c) {
        Worst of_c;
        add_up(team, base, size, c, of_c);
        double const value = Kokkos::abs(of_c.sums.value.value());
        double const allowed = Kokkos::fmax(tolerance.relative * value, allowed_absolute);
        bool const met_c = of_c.sums.error.value() <= allowed;
        if (c == 0 || (met && !met_c))
          worst = of_c; // the first component that has not met its tolerance drives
        met = met && met_c;
        weights[c] = allowed > 0 ? 1 / allowed : 0;
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          regions.value(c, region) = of_c.sums.value.value();
          regions.error(c, region) = of_c.sums.error.value();
        });
      }
      if (met && size < heap && !watch.over() && look_behind_points(team, base, size, weights))
        continue;
      bool const done = met || size >= heap || worst.error < 0 || watch.over();
      if (done || size - begun >= most) {
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          sizes[team.league_rank()] = done ? -size : size;
          Kokkos::atomic_add(&counters->bisections, static_cast<std::uint64_t>(size - begun));
          if (done && !met)
            Kokkos::atomic_inc(&counters->unfinished);
        });
        return;
      }
      bisect(team, base + static_cast<unsigned>(worst.part), base + static_cast<unsigned>(size));
      ++size;
    }
  }

private:
  /// The sums over all parts, and the part of the largest error: of equal errors the first.
  struct Worst {
    RegionTotals sums;
    double error = -1;
    int part = 0;

    KOKKOS_FUNCTION void offer(double other, int place) {
      if (other > error || (other == error && place < part)) {
        error = other;
        part = place;
      }
    }
    KOKKOS_FUNCTION void join(Worst const& other) {
      sums.join(other.sums);
      offer(other.error, other.part);
    }
  };

  KOKKOS_FUNCTION void add_up(Member const& team, std::uint64_t base, int size, int c, Worst& worst) const {
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, size),
        [&](int k, Worst& partial) {
          double const error = parts.error(c, base + static_cast<unsigned>(k));
          partial.sums.value.add(parts.value(c, base + static_cast<unsigned>(k)));
          partial.sums.error.add(error);
          if (parts.axis(base + static_cast<unsigned>(k)) != Regions::no_axis)
            partial.offer(error, k);
        },
        Join<Worst>(worst));
  }

  /// Looks behind the points of all new parts. @returns whether it has raised any errors
  KOKKOS_FUNCTION bool look_behind_points(Member const& team, std::uint64_t base, int size,
                                          double const (&weights)[components]) const {
    int doubted = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, size),
        [&](int k, int& sum) {
          auto const i = base + static_cast<unsigned>(k);
          if (parts.seen_again(i))
            return;
          std::uint64_t evaluations = 0;
          if (doubt_behind_points(integral, parts, i, weights, 0.25 / size, evaluations))
            ++sum;
          parts.mark_seen_again(i);
          Kokkos::atomic_add(&counters->second_evaluations, evaluations);
        },
        doubted);
    team.team_barrier();
    return doubted > 0;
  }

  KOKKOS_FUNCTION void bisect(Member const& team, std::uint64_t part, std::uint64_t sibling) const {
    double parent[components];
    for (int c = 0; c < components; ++c)
      parent[c] = parts.value(c, part);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { parts.bisect(part, sibling); });
    team.team_barrier();
    LanesOfTeam<Member> const all_lanes{team, team_size * lanes};
    integral(all_lanes, parts, part);
    integral(all_lanes, parts, sibling);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int c = 0; c < components; ++c)
        parts.improve_errors(c, part, sibling, parent[c]);
    });
    team.team_barrier();
  }
};

/// Makes heaps empty, before their regions come.
struct EmptyHeaps {
  int* sizes;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { sizes[i] = 0; }
};

/// How many regions are not done with.
struct CountUnfinished {
  int const* sizes;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const { sum += sizes[i] >= 0; }
};

} // namespace kubature::detail
