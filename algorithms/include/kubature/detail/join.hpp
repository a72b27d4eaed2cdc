#pragma once

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// A reducer for partial results that know how to join(): T{} is the neutral element.
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

/// Joins the partial results of each bundle of consecutive chunks.
template <class Partials, class Bundles>
struct JoinBundles {
  Partials partials;
  Bundles bundles;
  int bundle;

  KOKKOS_FUNCTION void operator()(int n) const {
    typename Partials::non_const_value_type sum{};
    int const begin = n * bundle, left = static_cast<int>(partials.extent(0)) - begin;
    for (int k = 0; k < (bundle < left ? bundle : left); ++k)
      sum.join(partials(begin + k));
    bundles(n) = sum;
  }
};

/// Joins the partial results of all chunks in an order that their number alone fixes, by one team, and leaves the
/// total where the host reads it.
template <class Space, class Partials, class Total>
struct JoinChunks {
  Partials partials;
  Total total;

  KOKKOS_FUNCTION void operator()(typename Kokkos::TeamPolicy<Space>::member_type const& team) const {
    using T = typename Partials::non_const_value_type;
    T sum{};
    auto const& parts = partials;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(parts.extent(0))),
        [&](int chunk, T& partial) { partial.join(parts(chunk)); }, Join<T>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { total() = sum; });
  }
};

} // namespace kubature::detail
