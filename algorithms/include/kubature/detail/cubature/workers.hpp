#pragma once

#include <kubature/detail/launch/join.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// The workers that evaluate one region: a team, the lanes of one of its threads, or a single lane. The numbers are
/// indices into tables of Tuning.
enum class Workers { team, thread, lane };

/// The three as a kernel sees them, so that the same code works for all:
///
///   sum_over_lanes(work, sum) calls work(rank, size, partial) once per lane; every lane gets the sum of the partials.
///   once(write) calls write() on one lane.

/// For many regions.
struct OneLane {
  template <class T, class Work>
  KOKKOS_FUNCTION void sum_over_lanes(Work const& work, T& sum) const {
    work(0, 1, sum);
  }
  template <class Write>
  KOKKOS_FUNCTION void once(Write const& write) const {
    write();
  }
};

template <class Member>
struct LanesOfThread {
  Member const& team;
  int size; ///< lanes

  template <class T, class Work>
  KOKKOS_FUNCTION void sum_over_lanes(Work const& work, T& sum) const {
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, size), [&](int rank, T& partial) { work(rank, size, partial); }, Join<T>(sum));
  }
  template <class Write>
  KOKKOS_FUNCTION void once(Write const& write) const {
    Kokkos::single(Kokkos::PerThread(team), write);
  }
};

/// For few regions, or many points.
template <class Member>
struct LanesOfTeam {
  Member const& team;
  int size; ///< threads times lanes

  template <class T, class Work>
  KOKKOS_FUNCTION void sum_over_lanes(Work const& work, T& sum) const {
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, size), [&](int rank, T& partial) { work(rank, size, partial); }, Join<T>(sum));
  }
  template <class Write>
  KOKKOS_FUNCTION void once(Write const& write) const {
    Kokkos::single(Kokkos::PerTeam(team), write);
  }
};

} // namespace kubature::detail
