#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/cubature/refine_alone.hpp>
#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/cubature/workers.hpp>
#include <kubature/detail/launch/deadline.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/many/at_parameters.hpp>
#include <kubature/integrand.hpp>
#include <kubature/tolerance.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// Many integrals, one team per integral: it begins with PAGANI's first grid and refines it as two-phase cubature
/// refines a region (see RefineAlone). The boxes are the regions of a list.
template <class Space, class P, class F, class Parameters, int D>
struct RefineMany {
  using G = AtParameters<F, Parameters>;
  using Alone = RefineAlone<Space, P, G, D>;
  using Integral = RegionIntegral<P, G, D>;
  using BoxOnDevice = Interior<typename P::sample_type, D>;
  static constexpr int components = Integral::components;
  using Policy = typename Alone::Policy;
  using Member = typename Policy::member_type;

  F f;
  Parameters const* parameters;            ///< of each integral, or one for all
  BoxOnDevice const* boxes;                ///< likewise
  std::uint64_t next_parameters, next_box; ///< 1, or 0 if there is one for all
  RuleView<typename P::sample_type, typename P::accumulate_type> rule;
  int dimension;
  NonFinite policy;
  std::uint64_t* non_finite; ///< [integral]: number of such values
  double caution;            ///< factor for the errors of the first grid, which no parents check
  Grid grid;
  bool whole;                   ///< whether the sum over the grid is compared with the box as one region
  Regions boxes_as_regions;     ///< of all integrals
  Regions parts;                ///< the part lists of this launch's integrals
  std::uint32_t const* numbers; ///< which integrals these are
  int* sizes;                   ///< of these lists
  int most_parts;               ///< maximum number of parts, more than the first grid has
  Tolerance tolerance;
  Counters* counters;
  Deadline deadline;
  int* met; ///< [integral]: whether the tolerance is met

  void launch(Space const& exec, std::uint64_t count) const {
    Kokkos::parallel_for("kubature::many::refine",
                         as_argument(Policy(exec, static_cast<int>(count), Alone::team_size, Alone::lanes)), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const rank = static_cast<std::uint64_t>(team.league_rank());
    std::uint64_t const number = numbers[rank];
    Integral integral{G{&f, parameters + next_parameters * number},
                      boxes[next_box * number],
                      rule,
                      dimension,
                      policy,
                      non_finite + number};
    std::uint64_t const base = rank * static_cast<unsigned>(most_parts);
    Kokkos::single(Kokkos::PerTeam(team), [&] { begin(base, rank, number); });
    team.team_barrier();
    LanesOfTeam<Member> const all_lanes{team, Alone::team_size * Alone::lanes};
    integral.caution = static_cast<typename P::accumulate_type>(caution);
    for (std::uint64_t cell = 0; cell < grid.size; ++cell)
      integral(all_lanes, parts, base + cell);
    if (whole) {
      integral.non_finite = nullptr;
      integral(all_lanes, parts, base + grid.size);
      integral.non_finite = non_finite + number;
    }
    team.team_barrier();
    if (whole)
      Kokkos::single(Kokkos::PerTeam(team), [&] { compare_with_whole(base); });
    team.team_barrier();
    integral.caution = 1;
    Alone const alone{integral,   boxes_as_regions, parts,     number - rank, 0,        sizes,
                      most_parts, most_parts,       tolerance, counters,      deadline, met};
    alone(team);
  }

private:
  /// Makes the cells of the grid the first parts of a list.
  KOKKOS_FUNCTION void begin(std::uint64_t base, std::uint64_t rank, std::uint64_t number) const {
    sizes[rank] = static_cast<int>(grid.size);
    for (int k = 0; k < dimension; ++k)
      boxes_as_regions.interval(k, number) = {};
    for (std::uint64_t cell = 0; cell < grid.size; ++cell)
      grid.place(parts, base + cell, cell);
    if (whole)
      for (int k = 0; k < dimension; ++k)
        parts.interval(k, base + grid.size) = {};
  }

  /// Raises the errors of the grid's cells where these sum to less than least_grid_error().
  KOKKOS_FUNCTION void compare_with_whole(std::uint64_t base) const {
    for (int c = 0; c < components; ++c) {
      double value = 0, magnitude = 0, error = 0;
      for (std::uint64_t i = base; i < base + grid.size; ++i) {
        value += parts.value(c, i);
        magnitude += Kokkos::abs(parts.value(c, i));
        error += parts.error(c, i);
      }
      double const least = least_grid_error(Kokkos::abs(value - parts.value(c, base + grid.size)), magnitude);
      if (least > error && Kokkos::isfinite(least))
        for (std::uint64_t i = base; i < base + grid.size; ++i)
          parts.raise_error(c, i, error, least, grid.size);
    }
  }
};

} // namespace kubature::detail
