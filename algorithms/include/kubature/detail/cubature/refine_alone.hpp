#pragma once

#include <kubature/detail/cubature/behind_points.hpp>
#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/detail/cubature/region_statistics.hpp>
#include <kubature/detail/cubature/workers.hpp>
#include <kubature/detail/error_norms.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/error_norm.hpp>
#include <kubature/tolerance.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// The second phase, one team per region: it repeatedly bisects the part of the largest error, until the region's own
/// tolerance is met, even after an examination behind the points of all parts (behind_points.hpp), or the list of parts
/// is full. The sums over the parts replace the region's estimate in the list. If a launch ends earlier, the next one
/// resumes.
template <class Space, class P, class F, int D>
struct RefineAlone {
  using Integral = RegionIntegral<P, F, D>;
  static constexpr int components = Integral::components;
  using Tune = Tuning<Space>;
  static constexpr int team_size = Tune::part_list_team, lanes = Tune::part_list_lanes;
  using Policy = Kokkos::TeamPolicy<Space, TeamSchedule<Space>, Kokkos::LaunchBounds<team_size * lanes>>;
  using Member = typename Policy::member_type;

  Integral integral;
  Regions regions;            ///< the list
  Regions parts;              ///< the lists, one after the other
  std::uint64_t first, count; ///< regions of this launch
  int* sizes;     ///< [list]: number of parts, 0 before the first launch; negative if the region is finished
  int most_parts; ///< maximum number of parts per region
  int most;       ///< maximum number of bisections per region in one launch
  Tolerance tolerance;
  Counters* counters;
  Deadline deadline{};
  int* met = nullptr;     ///< [list]: whether the tolerance is met, if the regions are whole integrals
  bool published = false; ///< whether errors are the published ones (HalfErrors), without examination behind the points

  void launch(Space const& exec) const {
    Kokkos::parallel_for("kubature::two_phase::refine_alone",
                         as_argument(Policy(exec, static_cast<int>(count), team_size, lanes)), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const region = first + static_cast<unsigned>(team.league_rank());
    auto const base = static_cast<std::uint64_t>(team.league_rank()) * static_cast<unsigned>(most_parts);
    int const before = sizes[team.league_rank()];
    if (before < 0)
      return;
    if (before == 0)
      Kokkos::single(Kokkos::PerTeam(team), [&] { parts.copy(base, regions, region); });
    team.team_barrier();

    double absolute = tolerance.absolute;
    for (int k = 0; k < regions.dimension; ++k)
      absolute *= regions.interval(k, region).length();
    int const begun = before == 0 ? 1 : before;
    int size = begun;
    Deadline::Watch watch(deadline);
    for (;;) {
      Worst worst;
      double weights[components];
      auto const found = compare(team, region, base, size, absolute, weights, worst);
      bool const good = found == Found::good;
      if (good && !published && size < most_parts && !watch.over() && look_behind_points(team, base, size, weights))
        continue;
      bool const done = good || size >= most_parts || worst.error < 0 || watch.over();
      if (done || size - begun >= most) {
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          sizes[team.league_rank()] = done ? -size : size;
          if (met != nullptr)
            met[team.league_rank()] = good;
          Kokkos::atomic_add(&counters->bisections, static_cast<std::uint64_t>(size - begun));
          if (done && !good)
            Kokkos::atomic_inc(&counters->unfinished);
        });
        return;
      }
      bisect(team, base + static_cast<unsigned>(found == Found::zeros ? in_turn(base, size, worst.part) : worst.part),
             base + static_cast<unsigned>(size));
      ++size;
    }
  }

private:
  /// The sums over all parts, and the part of the largest error: of equal errors, the first.
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

  /// How the sums over all parts compare: an error small enough or not, or all of them zero, which counts as an
  /// integral only if as many parts have been examined as in PAGANI.
  enum class Found { good, errors, zeros };

  /// Stores the sums over all parts in the list, and compares them with the tolerance.
  /// @param absolute tolerance of the region
  /// @param weights  1 / allowed error
  /// @param worst    of the component that drives: the first that has not met its tolerance
  KOKKOS_FUNCTION Found compare(Member const& team, std::uint64_t region, std::uint64_t base, int size, double absolute,
                                double (&weights)[components], Worst& worst) const {
    double seen[components];
    bool good = true, zero = true;
    for (int c = 0; c < components; ++c) {
      Worst of_c;
      add_up(team, base, size, c, of_c);
      double const value = Kokkos::abs(of_c.sums.value.value()), error = of_c.sums.error.value();
      seen[c] = of_c.sums.magnitude;
      double const allowed = this->allowed(value, seen[c], absolute, size);
      bool const good_c = error <= allowed;
      if (c == 0 || (good && !good_c))
        worst = of_c;
      good = good && good_c;
      zero = zero && seen[c] == 0 && error == 0;
      weights[c] = allowed > 0 ? 1 / allowed : 0;
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        regions.value(c, region) = of_c.sums.value.value();
        regions.error(c, region) = error;
      });
    }
    if constexpr (components > 1)
      if (tolerance.norm != ErrorNorm::individual) {
        team.team_barrier();
        good = compare_norms(team, region, base, size, absolute, seen, weights, worst);
      }
    if (met != nullptr && zero && !(absolute > 0 && size >= int{few_regions}))
      return Found::zeros;
    return good ? Found::good : Found::errors;
  }

  /// The same in norms of groups of components, using the sums in the list; the component that drives is the one
  /// farthest above its allowed error.
  /// @returns whether the tolerance is met
  KOKKOS_FUNCTION bool compare_norms(Member const& team, std::uint64_t region, std::uint64_t base, int size,
                                     double absolute, double const (&seen)[components], double (&weights)[components],
                                     Worst& worst) const {
    bool good = true;
    double farthest = 0, bound = 0;
    int driver = 0;
    for (int c = 0; c < components; ++c) {
      auto const group = ComponentGroup::of(tolerance.norm, c, components);
      if (c == group.first) {
        Norm values{tolerance.norm}, magnitudes{tolerance.norm}, errors{tolerance.norm};
        for (int k = group.first; k < group.last; ++k) {
          values.add(Kokkos::abs(regions.value(k, region)));
          magnitudes.add(seen[k]);
          errors.add(regions.error(k, region));
        }
        bound = allowed(values.value, magnitudes.value, absolute, size);
        good = good && errors.value <= bound;
      }
      double const error = regions.error(c, region), allowed_c = cautious(bound, seen[c], static_cast<unsigned>(size));
      good = good && error <= allowed_c;
      weights[c] = allowed_c > 0 ? 1 / allowed_c : 0;
      if (error * weights[c] > farthest) {
        farthest = error * weights[c];
        driver = c;
      }
    }
    worst = {};
    add_up(team, base, size, driver, worst);
    return good;
  }

  KOKKOS_FUNCTION double allowed(double value, double seen, double absolute, int size) const {
    return met != nullptr ? allowed_error({tolerance.relative, absolute}, value, seen, static_cast<unsigned>(size))
                          : Kokkos::fmax(tolerance.relative * value, absolute);
  }

  /// The part to bisect while all are zero, since the integrand may be nonzero elsewhere: all parts in turn, beginning
  /// with the first of 2^k. @returns `other` if that part cannot be bisected
  KOKKOS_FUNCTION int in_turn(std::uint64_t base, int size, int other) const {
    int all = 1;
    while (2 * all <= size)
      all *= 2;
    int const part = size - all;
    return parts.axis(base + static_cast<unsigned>(part)) != Regions::no_axis ? part : other;
  }

  KOKKOS_FUNCTION void add_up(Member const& team, std::uint64_t base, int size, int c, Worst& worst) const {
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, size),
        [&](int k, Worst& partial) {
          double const value = parts.value(c, base + static_cast<unsigned>(k)),
                       error = parts.error(c, base + static_cast<unsigned>(k));
          partial.sums.value.add(value);
          partial.sums.error.add(error);
          partial.sums.magnitude += Kokkos::abs(value);
          if (parts.axis(base + static_cast<unsigned>(k)) != Regions::no_axis)
            partial.offer(error, k);
        },
        Join<Worst>(worst));
  }

  /// Looks behind the points of all new parts. @returns whether it has raised any errors
  KOKKOS_FUNCTION bool look_behind_points(Member const& team, std::uint64_t base, int size,
                                          double const (&weights)[components]) const {
    int suspects = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, size),
        [&](int k, int& sum) {
          auto const i = base + static_cast<unsigned>(k);
          if (parts.seen_again(i))
            return;
          std::uint64_t evaluations = 0;
          if (suspect_behind_points(integral, parts, i, weights, 0.25 / size, evaluations))
            ++sum;
          parts.mark_seen_again(i);
          Kokkos::atomic_add(&counters->second_evaluations, evaluations);
        },
        suspects);
    team.team_barrier();
    return suspects > 0;
  }

  KOKKOS_FUNCTION void bisect(Member const& team, std::uint64_t part, std::uint64_t sibling) const {
    double parent[components];
    for (int c = 0; c < components; ++c)
      parent[c] = parts.value(c, part);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { parts.bisect(part, sibling); });
    team.team_barrier();
    LanesOfTeam<Member> const all_lanes{team, team_size * lanes};
    for (int half = 0; half < 2; ++half) // so that the integrand is compiled once for both
      integral(all_lanes, parts, half == 0 ? part : sibling);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int c = 0; c < components; ++c)
        parts.improve_errors(c, part, sibling, parent[c], published ? HalfErrors::published : HalfErrors::raised);
    });
    team.team_barrier();
  }
};

/// Empties the lists before their regions are refined.
struct EmptyPartLists {
  int* sizes;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { sizes[i] = 0; }
};

/// Counts the regions that are not finished.
struct CountUnfinished {
  int const* sizes;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const { sum += sizes[i] >= 0; }
};

} // namespace kubature::detail
