#pragma once

#include <kubature/batched.hpp>
#include <kubature/detail/cubature/behind_points.hpp>
#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/detail/cubature/stored_regions.hpp>
#include <kubature/detail/launch/policy.hpp>
#include <kubature/detail/memory/batches.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// Second opinions for integrands that evaluate batches. The kernels are those of other integrands, with values from
/// memory; only regions that look have points there.

namespace kubature::detail {

/// The points across the faces of a region, three on each axis and side: just behind the face, and farther away.
template <class P, class F, int D>
struct PointsAcross {
  using Integral = RegionIntegral<P, F, D>;
  using Sample = typename P::sample_type;

  Integral const& integral;
  typename Integral::Place const& place;

  KOKKOS_FUNCTION Point<Sample, D> point(int k, int upper, int n) const {
    Sample const step = n == 0 ? Sample(0.5) + close_to_face(integral, place, k) : n == 1 ? Sample(0.75) : Sample(1);
    auto x = place.centre;
    x[k] += (upper != 0 ? step : -step) * place.side[k];
    return x;
  }
  KOKKOS_FUNCTION static int number(int k, int upper, int n) { return 6 * k + 3 * upper + n; }
  KOKKOS_FUNCTION Point<Sample, D> point(int number) const { return point(number / 6, number / 3 % 2, number % 3); }
};

/// The choice of these for StoreRegionPoints. Across the ends of the box, where no value is read, the centre of the
/// region stands in.
struct ChooseAcross {
  template <class P, class F, int D>
  KOKKOS_FUNCTION auto operator()(RegionIntegral<P, F, D> const& integral,
                                  typename RegionIntegral<P, F, D>::Place const& place, int number) const {
    PointsAcross<P, F, D> const points{integral, place};
    int const k = number / 6;
    auto const neighbour = points.point(k, number / 3 % 2, 2); // its centre
    return integral.transform.contains(k, neighbour[k]) ? points.point(number) : place.centre;
  }
};

/// The choice of the points behind those of the rule, and after them those of the rule.
struct ChooseWithin {
  template <class P, class F, int D>
  KOKKOS_FUNCTION auto operator()(RegionIntegral<P, F, D> const& integral,
                                  typename RegionIntegral<P, F, D>::Place const& place, int number) const {
    int const behind = static_cast<int>(evaluations_behind_points(integral.dimension));
    return number < behind ? PointsBehind<P, F, D>{integral, place}.point(number)
                           : integral.point(place, number - behind);
  }
};

/// The integral as kernels evaluate it; if the integrand evaluates batches, with values from memory.
template <class Space, class P, class F, int D>
auto in_memory(RegionIntegral<P, F, D> const& integral) {
  if constexpr (is_batched<F>)
    return integral.of(ValuesInMemory<Space, F::components>());
  else
    return integral;
}

/// Lists which of the regions look, for a parallel_scan.
template <class Look, class Who>
struct ChooseRegions {
  Look look;
  std::uint64_t begin;
  std::uint32_t* chosen;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, std::uint32_t& count, bool last) const {
    auto const i = begin + k;
    if (!look.looks(Who(), i))
      return;
    if (last)
      chosen[count] = static_cast<std::uint32_t>(i);
    ++count;
  }
};

/// Makes the regions of a list look.
template <class Tag, class Space, class Look, class F>
void launch_look(Space const& exec, std::string const& label, Look const& look, F const&, std::uint64_t size,
                 Batches<Space>*) {
  using Policy = Kokkos::RangePolicy<Space, Tag, Kokkos::IndexType<std::uint64_t>>;
  Kokkos::parallel_for(label, as_argument(Policy(exec, 0, size)), look);
}

/// The same in batches, with `points` points of each region.
/// @tparam Who looks
template <class Tag, class Who, class Choice, class Space, class Look, class F, int C>
void look_in_batches(Space const& exec, std::string const& label, Look look, Batched<F, C> const& integrand,
                     std::uint64_t size, std::uint64_t points, Batches<Space>& batches) {
  using Integral = std::remove_const_t<decltype(look.integral)>;
  using Store = StoreRegionPoints<Space, Integral, Regions, std::uint32_t const*, Choice>;
  auto* const chosen = look.regions.moves; // no parents are known after a summary
  auto const most = look.regions.capacity / 2 * 2;
  for (std::uint64_t begin = 0; begin < size; begin += most) {
    std::uint32_t count = 0;
    Kokkos::parallel_scan(
        "kubature::second_opinion::choose",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, std::min(most, size - begin)),
        ChooseRegions<Look, Who>{look, begin, chosen}, count);
    batches.evaluate(
        exec, integrand, look.integral.dimension, count, points, regions_to_fill(exec),
        [&](std::uint64_t first, std::uint64_t now, StoredPoints<Space> const& at) {
          Store{look.integral, look.regions, chosen + first, {}, now, points, at}.launch(exec);
        },
        [&](std::uint64_t first, std::uint64_t now, BatchValues<Space> const& values) {
          look.chosen = chosen + first;
          look.integral.f = {values, now};
          launch_look<Tag>(exec, label, look, 0, now, &batches);
        });
  }
}
template <class Tag, class Space, class Look, class F, int C>
void launch_look(Space const& exec, std::string const& label, Look const& look, Batched<F, C> const& integrand,
                 std::uint64_t size, Batches<Space>* batches) {
  int const d = look.integral.dimension;
  if constexpr (std::is_same_v<Tag, typename Look::Across>) {
    look_in_batches<Tag, Tag, ChooseAcross>(exec, label, look, integrand, size, static_cast<unsigned>(6 * d), *batches);
  } else {
    auto const behind = evaluations_behind_points(d);
    auto const rule = look.thorough ? look.integral.points() : 0;
    look_in_batches<Tag, typename Look::Unwarned, ChooseWithin>(exec, label, look, integrand, size, behind, *batches);
    look_in_batches<Tag, typename Look::Warned, ChooseWithin>(exec, label, look, integrand, size, behind + rule,
                                                              *batches);
  }
}

} // namespace kubature::detail
