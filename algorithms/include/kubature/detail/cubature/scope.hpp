#pragma once

#include <kubature/detail/join.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// Who works on one region together: the same code serves all. work(rank, size, sum) does a share of the work, number
/// `rank` of `size`; all of the scope get the sum of all shares.

/// One lane: for many regions.
struct LaneScope {
  template <class T, class Work>
  KOKKOS_FUNCTION void share(Work const& work, T& sum) const {
    work(0, 1, sum);
  }
  template <class Write>
  KOKKOS_FUNCTION void once(Write const& write) const {
    write();
  }
};

/// The lanes of a thread.
template <class Member>
struct ThreadScope {
  Member const& team;
  int size; ///< lanes

  template <class T, class Work>
  KOKKOS_FUNCTION void share(Work const& work, T& sum) const {
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, size), [&](int rank, T& partial) { work(rank, size, partial); }, Join<T>(sum));
  }
  template <class Write>
  KOKKOS_FUNCTION void once(Write const& write) const {
    Kokkos::single(Kokkos::PerThread(team), write);
  }
};

/// All lanes of a team: for few regions, or many points.
template <class Member>
struct TeamScope {
  Member const& team;
  int size; ///< threads times lanes

  template <class T, class Work>
  KOKKOS_FUNCTION void share(Work const& work, T& sum) const {
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, size), [&](int rank, T& partial) { work(rank, size, partial); }, Join<T>(sum));
  }
  template <class Write>
  KOKKOS_FUNCTION void once(Write const& write) const {
    Kokkos::single(Kokkos::PerTeam(team), write);
  }
};

} // namespace kubature::detail
