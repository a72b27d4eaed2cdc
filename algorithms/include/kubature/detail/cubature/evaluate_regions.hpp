#pragma once

#include <kubature/detail/cubature/moved_points.hpp>
#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/detail/cubature/stored_regions.hpp>
#include <kubature/detail/cubature/workers.hpp>
#include <kubature/detail/launch/at_dimension.hpp>
#include <kubature/detail/launch/partition.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace kubature::detail {

/// The new regions of a list, numbered from 0 to `count` - 1: the first `fresh` of the list, then those from `siblings`
/// on.
struct NewRegions {
  std::uint64_t fresh, siblings, count;

  /// The place of a new region in the list.
  KOKKOS_FUNCTION std::uint64_t operator[](std::uint64_t number) const {
    return number < fresh ? number : siblings + (number - fresh);
  }
};

/// New regions from number `first` on.
struct NewRegionsFrom {
  NewRegions all;
  std::uint64_t first;

  KOKKOS_FUNCTION std::uint64_t operator[](std::uint64_t number) const { return all[first + number]; }
};

/// Evaluates `count` of the new regions, from number `first` on.
template <class Space, class P, class F, int D, Workers workers>
struct EvaluateRegions {
  using Tune = Tuning<Space>;
  static constexpr int who = static_cast<int>(workers);
  static constexpr int team_size = Tune::region_team[who], lanes = Tune::region_lanes[who];
  using Policy = Kokkos::TeamPolicy<Space, TeamSchedule<Space>,
                                    Kokkos::LaunchBounds<team_size * lanes, Tune::region_teams_resident[who]>>;
  using Member = typename Policy::member_type;
  static constexpr int per_team = Tune::regions_per_team[who];

  RegionIntegral<P, F, D> integral;
  Regions regions;
  NewRegions new_regions;
  std::uint64_t first, count;

  void launch(Space const& exec) const {
    auto const teams = static_cast<int>(Partition::ceil(count, per_team));
    Kokkos::parallel_for("kubature::regions::evaluate", as_argument(Policy(exec, teams, team_size, lanes)), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const begin = static_cast<std::uint64_t>(team.league_rank()) * per_team;
    if constexpr (workers == Workers::team)
      one(LanesOfTeam<Member>{team, team_size * lanes}, begin);
    else
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, per_team), [&](int k) {
        if (begin + static_cast<unsigned>(k) >= count)
          return;
        if constexpr (workers == Workers::thread)
          one(LanesOfThread<Member>{team, lanes}, begin + static_cast<unsigned>(k));
        else
          one(OneLane(), begin + static_cast<unsigned>(k));
      });
  }

private:
  template <class Lanes>
  KOKKOS_FUNCTION void one(Lanes const& who_works, std::uint64_t number) const {
    integral(who_works, regions, new_regions[first + number], number);
  }
};

/// The same by a kind of worker. A function of its own, so that a program can compile its kernels once, in another
/// file.
template <Workers workers, class Space, class P, class F, int D>
void evaluate_regions_by(Space const& exec, RegionIntegral<P, F, D> const& integral, Regions const& regions,
                         NewRegions const& new_regions, std::uint64_t first, std::uint64_t count) {
  if constexpr (workers == Workers::lane || Tuning<Space>::thread_regions > 0)
    at_dimension<Space, P, F, RegionIntegral<P, F, D>::components, D>(
        integral.dimension, [&]<int N>(std::integral_constant<int, N>) {
          EvaluateRegions<Space, P, F, N, workers>{integral.template of<N>(integral.f), regions, new_regions, first,
                                                   count}
              .launch(exec);
        });
}

/// Launches the evaluation of `count` of the new regions, from number `first` on, by workers suited to their number and
/// to that of the rule's points.
template <class Space, class P, class F, int D>
void evaluate_regions(Space const& exec, RegionIntegral<P, F, D> const& integral, Regions const& regions,
                      NewRegions const& new_regions, std::uint64_t points, std::uint64_t first, std::uint64_t count) {
  using Tune = Tuning<Space>;
  if (count == 0)
    return;
  if constexpr (Tune::thread_regions > 0) {
    if (new_regions.count <= Tune::team_regions && points >= Tune::team_points)
      return evaluate_regions_by<Workers::team>(exec, integral, regions, new_regions, first, count);
    if (new_regions.count <= Tune::thread_regions)
      return evaluate_regions_by<Workers::thread>(exec, integral, regions, new_regions, first, count);
  }
  evaluate_regions_by<Workers::lane>(exec, integral, regions, new_regions, first, count);
}

/// The same for an integrand that evaluates batches, each with as many regions as fit. The workers of a region do not
/// depend on that. Where values are not finite, points are moved (RegionIntegral::stand_in).
/// @param batches with room for any region
template <class Space, class P, class F, int C, int D>
void evaluate_regions(Space const& exec, RegionIntegral<P, Batched<F, C>, D> const& integral, Regions const& regions,
                      NewRegions const& new_regions, std::uint64_t points, std::uint64_t first, std::uint64_t count,
                      Batches<Space>& batches) {
  using Stored = ValuesInMemory<Space, C>;
  using Store = StoreRegionPoints<Space, RegionIntegral<P, Stored, D>, Regions, NewRegionsFrom, PointsOfRule>;
  BatchPoints<Space> stored;
  batches.evaluate(
      exec, integral.f, integral.dimension, count, points, regions_to_fill(exec),
      [&](std::uint64_t begin, std::uint64_t size, StoredPoints<Space> const& at) {
        stored = at;
        Store{integral.of(Stored()), regions, {new_regions, first + begin}, {}, size, points, at}.launch(exec);
      },
      [&](std::uint64_t begin, std::uint64_t size, BatchValues<Space> const& values) {
        mark_harmless<C>(exec, integral.transform, stored, values, false,
                         [&](auto const& x, auto const& y) { integral.f.f(exec, x, y); });
        if (integral.policy == NonFinite::error)
          move_points(exec, integral.of(Stored()), integral.f, regions, NewRegionsFrom{new_regions, first + begin},
                      size, values);
        evaluate_regions<Space>(exec, integral.of(Stored{values, size}), regions, new_regions, points, first + begin,
                                size);
      });
}

} // namespace kubature::detail
