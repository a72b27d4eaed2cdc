#pragma once

#include <kubature/batched.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// Lists the points of a batch of regions at which f is not finite, and the points that stand in for them
/// (RegionIntegral::stand_in); or copies their values to where those are missing.
/// @tparam List list[slot] is the region in a slot
template <class Space, class Integral, class Regions, class List>
struct MovePoints {
  Integral integral;
  Regions regions;
  List list;
  std::uint64_t count; ///< of the regions
  BatchValues<Space> values;
  StoredPoints<Space> moved;
  BatchValues<Space> values_moved;

  struct Count {};
  struct Place {};
  struct Take {};

  KOKKOS_FUNCTION bool bad(std::uint64_t k) const {
    return size_of(stored_value<Integral::components>(values, k)) == Size::not_finite && !is_harmless(values(k, 0));
  }
  KOKKOS_FUNCTION void operator()(Count, std::uint64_t k, std::uint64_t& sum) const { sum += bad(k) ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(Place, std::uint64_t k, std::uint64_t& number, bool last) const {
    if (!bad(k))
      return;
    if (last) {
      auto const place = integral.place(regions, list[k % count]);
      auto const x = integral.in_box(integral.stand_in(place, static_cast<int>(k / count)));
      for (int i = 0; i < x.size(); ++i)
        moved(number, i) = x[i];
    }
    ++number;
  }
  KOKKOS_FUNCTION void operator()(Take, std::uint64_t k, std::uint64_t& number, bool last) const {
    if (!bad(k))
      return;
    if (last)
      for (int c = 0; c < Integral::components; ++c)
        values(k, c) = values_moved(number, c);
    ++number;
  }
};

/// Has an integrand of batches evaluated at points that stand in for those where it is not finite.
/// @param count regions of `each` points, in the order of ValuesInMemory
/// @returns the number of these points
template <class Space, class Integral, class F, int C, class Regions, class List>
std::uint64_t move_points(Space const& exec, Integral const& integral, Batched<F, C> const& f, Regions const& regions,
                          List const& list, std::uint64_t count, BatchValues<Space> const& values) {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  using Move = MovePoints<Space, Integral, Regions, List>;
  auto const over_all = [&]<class Tag>(Tag) {
    return as_argument(Kokkos::RangePolicy<Space, Tag, Kokkos::IndexType<std::uint64_t>>(exec, 0, values.extent(0)));
  };
  Move move{integral, regions, list, count, values, {}, {}};
  std::uint64_t found = 0;
  Kokkos::parallel_reduce("kubature::moved_points::count", over_all(typename Move::Count()), move, found);
  if (found == 0)
    return 0;
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const points(
      view_alloc(exec, WithoutInitializing, "kubature::moved_points::points"), found, integral.dimension);
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const of_these(
      view_alloc(exec, WithoutInitializing, "kubature::moved_points::values"), found, C);
  move.moved = points;
  move.values_moved = of_these;
  Kokkos::parallel_scan("kubature::moved_points::place", over_all(typename Move::Place()), move);
  f.f(exec, BatchPoints<Space>(points), BatchValues<Space>(of_these));
  Kokkos::parallel_scan("kubature::moved_points::take", over_all(typename Move::Take()), move);
  return found;
}

} // namespace kubature::detail
