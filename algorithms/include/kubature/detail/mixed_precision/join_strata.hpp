#pragma once

#include <kubature/detail/join.hpp>
#include <kubature/detail/mixed_precision/stratum.hpp>
#include <kubature/detail/sampling/moments.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

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

/// Joins the partial sums of each stratum's teams, in an order that their numbers fix: one team per stratum.
template <class Space>
struct JoinStrata {
  using Moments = detail::Moments<double, 1>;
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
