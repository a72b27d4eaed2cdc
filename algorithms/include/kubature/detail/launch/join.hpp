#pragma once

#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// A reducer for partial results that have join(): T{} is the neutral element.
template <class T>
class Join {
public:
  using reducer = Join;
  using value_type = T;
  using result_view_type = Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  KOKKOS_FUNCTION explicit Join(T& value) : value_(&value) {}
  KOKKOS_FUNCTION void join(T& to, T const& from) const { to.join(from); }
  KOKKOS_FUNCTION void init(T& value) const { value = T{}; }
  KOKKOS_FUNCTION T& reference() const { return *value_; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(value_); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }

private:
  T* value_;
};

/// For teams that join partial results: however large these are, the compiler keeps registers for all threads.
template <class Space>
using JoinPolicy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tuning<Space>::reduction_team>>;

/// Joins runs of `length` consecutive partial results, one team per run, in an order fixed by their number alone.
template <class Space, class Partials, class Totals>
struct JoinRuns {
  Partials partials;
  Totals totals; ///< one per run
  int length;
  int first = 0; ///< number of the first run

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    using T = typename Partials::non_const_value_type;
    int const run = first + team.league_rank(), begin = run * length,
              left = static_cast<int>(partials.extent(0)) - begin;
    T sum{};
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, length < left ? length : left),
        [&](int k, T& partial) { partial.join(partials(begin + k)); }, Join<T>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { totals(run) = sum; });
  }
};

} // namespace kubature::detail
