#pragma once

#include <kubature/detail/memory/batches.hpp>
#include <kubature/point.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Macros.hpp>

#include <type_traits>

namespace kubature::detail {

/// Whether integrands of type F are evaluated by PairsSideBySide. Orbits for fewer variables have few pairs.
template <class F, int D>
inline constexpr bool in_pairs_side_by_side = D >= 5 && !is_in_memory<F>;

/// Several pairs of points of a region and the values of an integrand there, computed in loops over the points that a
/// host's compiler turns into vector instructions where the integrand allows it (docs/design/cubature.md).
/// @tparam Eval type of the integrand's arguments, Acc of its values in sums
template <class Eval, class Acc, int components, int D>
struct PairsSideBySide {
  static constexpr int pairs = 8;

  Eval x[D][2 * pairs];             ///< first the points above the centre, then those below
  Acc value[2 * pairs][components]; ///< in the same order

  /// Places pairs of an orbit in a region.
  /// @param offsets as in RuleView, from the first of these pairs on; `stride` is their number in the rule
  template <class Place, class Sample>
  KOKKOS_FUNCTION void place(Place const& place, Sample const* offsets, int stride) {
    for (int axis = 0; axis < D; ++axis)
      for (int p = 0; p < pairs; ++p)
        put(place, axis, p, place.side[axis] * offsets[axis * stride + p]);
  }
  /// Places pairs of corners: bit `axis` of a pair's number is set where its first point lies below the centre.
  template <class Place, class Sample>
  KOKKOS_FUNCTION void place_at_corners(Place const& place, Sample corner, int first) {
    for (int axis = 0; axis < D; ++axis)
      for (int p = 0; p < pairs; ++p)
        put(place, axis, p, place.side[axis] * (((first + p) >> axis & 1) != 0 ? -corner : corner));
  }

  template <class F>
  KOKKOS_FUNCTION void evaluate(F const& f) {
    for (int p = 0; p < 2 * pairs; ++p) {
      Point<Eval, D> at;
      for (int axis = 0; axis < D; ++axis)
        at[axis] = x[axis][p];
      auto const result = f(at);
      using Traits = ValueTraits<std::remove_const_t<decltype(result)>>;
      for (int c = 0; c < components; ++c)
        value[p][c] = static_cast<Acc>(Traits::get(result, c));
    }
  }

private:
  template <class Place, class Sample>
  KOKKOS_FORCEINLINE_FUNCTION void put(Place const& place, int axis, int p, Sample step) {
    x[axis][p] = static_cast<Eval>(place.centre[axis] + step);
    x[axis][pairs + p] = static_cast<Eval>(place.centre[axis] - step);
  }
};

} // namespace kubature::detail
