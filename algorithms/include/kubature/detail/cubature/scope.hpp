#pragma once

#include <kubature/detail/join.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// Who works on one region together. The same code serves all: a scope's reduce() adds up what work(i, partial) adds
/// for i = 0 ... count - 1, and every thread of the scope gets the sum; its write() is done by one of them.

/// A lane each: for many regions.
struct LaneScope {
  static constexpr int index = 2;

  template <class T, class Work>
  KOKKOS_FUNCTION void reduce(int count, Work const& work, T& sum) const {
    for (int i = 0; i < count; ++i)
      work(i, sum);
  }
  template <class Write>
  KOKKOS_FUNCTION void write(Write const& write) const {
    write();
  }

  template <class Member>
  KOKKOS_FUNCTION static int regions(Member const& team) {
    return team.team_size();
  }
  template <class Member, class Work>
  KOKKOS_FUNCTION static void for_each(Member const& team, int count, Work const& work) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) { work(LaneScope(), i); });
  }
};

/// The vector lanes of a thread each.
template <class Member>
struct ThreadScope {
  static constexpr int index = 1;
  Member const& team;

  template <class T, class Work>
  KOKKOS_FUNCTION void reduce(int count, Work const& work, T& sum) const {
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, count), work, Join<T>(sum));
  }
  template <class Write>
  KOKKOS_FUNCTION void write(Write const& write) const {
    Kokkos::single(Kokkos::PerThread(team), write);
  }
};

/// A team each: for few regions, or many points.
template <class Member>
struct TeamScope {
  static constexpr int index = 0;
  Member const& team;

  template <class T, class Work>
  KOKKOS_FUNCTION void reduce(int count, Work const& work, T& sum) const {
    Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, count), work, Join<T>(sum));
  }
  template <class Write>
  KOKKOS_FUNCTION void write(Write const& write) const {
    Kokkos::single(Kokkos::PerTeam(team), write);
  }
};

} // namespace kubature::detail
