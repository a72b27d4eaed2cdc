#pragma once

#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The number of regions in a batch that occupy a device if each is evaluated by one lane.
template <class Space>
std::uint64_t regions_to_fill(Space const& exec) {
  return static_cast<std::uint64_t>(exec.concurrency()) / 2;
}

/// Stores points of regions in memory, in the order of ValuesInMemory. A thread stores some points of a region, next to
/// those that do the same for its neighbours.
///
/// @tparam List   list[slot] is the region in a slot
/// @tparam Choice choice(integral, place, number) is one of its points
template <class Space, class Integral, class Regions, class List, class Choice>
struct StoreRegionPoints {
  static constexpr std::uint64_t points_each = 16;

  Integral integral;
  Regions regions;
  List list;
  Choice choice;
  std::uint64_t count; ///< of the regions
  std::uint64_t each;  ///< points per region
  StoredPoints<Space> points;

  void launch(Space const& exec) const {
    auto const parts = (each + points_each - 1) / points_each;
    Kokkos::parallel_for(
        "kubature::batched::store_points",
        as_argument(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, count * parts)), *this);
  }

  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    std::uint64_t const slot = k % count, first = k / count * points_each;
    auto const place = integral.place(regions, list[slot]);
    for (std::uint64_t number = first; number < each && number < first + points_each; ++number) {
      auto const x = integral.in_box(choice(integral, place, static_cast<int>(number)));
      for (int i = 0; i < x.size(); ++i)
        points(number * count + slot, i) = x[i];
    }
  }
};

/// The choice of all points of the rule.
struct PointsOfRule {
  template <class Integral>
  KOKKOS_FUNCTION auto operator()(Integral const& integral, typename Integral::Place const& place, int number) const {
    return integral.point(place, number);
  }
};

} // namespace kubature::detail
