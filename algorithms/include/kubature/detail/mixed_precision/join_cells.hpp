#pragma once

#include <kubature/detail/launch/join.hpp>
#include <kubature/detail/mixed_precision/cell.hpp>
#include <kubature/detail/sampling/stratum_sums.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// Joins the partial sums of each cell's teams, one team per cell, in an order fixed by their numbers. The result
/// is the cell's part of the integral, with its variance and, where wanted, the covariances.
template <class Space, class Keep>
struct JoinCells {
  using Moments = typename Keep::Sums;
  using Sums = StratumSums<double, Keep::components, Keep::products>;
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;

  Kokkos::View<Cell const*, Space, Kokkos::MemoryUnmanaged> cells;
  Kokkos::View<Moments const*, Space, Kokkos::MemoryUnmanaged> partials;
  Kokkos::View<Sums*, Space, Kokkos::MemoryUnmanaged> sums;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Cell const& cell = cells(team.league_rank());
    int const first = cell.first_team;
    auto const& parts = partials;
    Moments all;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, cell.teams), [&](int i, Moments& partial) { partial.join(parts(first + i)); },
        Join<Moments>(all));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      auto const n = static_cast<double>(all.count);
      double const share = cell.share;
      Sums sum;
      sum.count = all.count;
      sum.non_finite = all.non_finite;
      sum.on_poles = all.on_poles;
      sum.serious = all.serious;
      for (int c = 0; c < Keep::components; ++c) {
        sum.means[c] = share * all.mean[c];
        sum.spreads[c] = share * share * all.squares[c] / (n - 1) / n;
      }
      if constexpr (Keep::products)
        for (int p = 0; p < pairs(Keep::components); ++p)
          sum.products[p] = share * share * all.products[p] / (n - 1) / n;
      sums(team.league_rank()) = sum;
    });
  }
};

} // namespace kubature::detail
