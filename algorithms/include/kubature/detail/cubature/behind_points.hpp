#pragma once

#include <kubature/detail/cubature/region_integral.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// What a rule cannot see in a region: jumps and kinks of f between its outermost points and the faces.

namespace kubature::detail {

/// f along an axis of a region: at the centre; on one side at half the distance of the outermost points, at these and
/// at the face; and on the opposite side at the former two. Distances are in units of the side.
struct AxisProfile {
  double outer, face, centre, here[3], opposite[2];

  /// By how much f may differ on average from its smooth continuation between the outermost point and the face: the
  /// jump there, or half of a kink's effect at the face; 0 if f may well be smooth.
  /// @param epsilon of the values
  KOKKOS_FUNCTION double missed(double epsilon) const {
    double const half = outer / 2;
    double const size = Kokkos::fmax(Kokkos::abs(here[0]), Kokkos::fmax(Kokkos::abs(here[1]), Kokkos::abs(here[2])));
    double const jump = Kokkos::abs(here[2] - here[1] - (face - outer) * (here[1] - here[0]) / half);
    if (jump > least_jump * size)
      return jump;
    // The deviation of f from a parabola: at the face, from the one through the centre and the two points before it; at
    // the outermost points on both sides, from the one through the three points between these. If the third derivative
    // changes little, the former is `ratio` times the latter; if it changes its sign, it does so on one side only.
    double const slope = (here[0] - centre) / half, other_slope = (opposite[0] - centre) / half;
    double const second = (slope + other_slope) / outer;
    double const at_face =
        Kokkos::abs(here[2] - centre - face * (slope + (face - half) * ((here[1] - here[0]) / half - slope) / outer));
    double const at_outer = Kokkos::abs(here[1] - centre - outer * (slope + half * second));
    double const at_other_outer = Kokkos::abs(opposite[1] - centre - outer * (other_slope + half * second));
    double const ratio = face * (face - half) * (face - outer) / (outer * half * (outer + half));
    return at_face > least_kink * ratio * Kokkos::fmax(at_outer, at_other_outer) + 64 * epsilon * size ? at_face / 2
                                                                                                       : 0;
  }

  /// The threshold of a jump, in units of the largest of the three values; and of a kink, in units of the deviation of
  /// a smooth function.
  static constexpr double least_jump = 0.1, least_kink = 8;
};

/// The distance from a region's face across axis k at which f is evaluated, in units of the side: as close as rounding
/// allows, and much closer than the rule's points.
template <class P, class F, int D>
KOKKOS_FUNCTION typename P::sample_type close_to_face(RegionIntegral<P, F, D> const& integral,
                                                      typename RegionIntegral<P, F, D>::Place const& place, int k) {
  auto const gap = integral.rule.gap;
  return gap * integral.transform.closeness(gap, place.centre[k], place.side[k]);
}

/// Maximum number of evaluations of f by look_behind_points().
KOKKOS_INLINE_FUNCTION std::uint64_t evaluations_behind_points(int dimension) {
  return 1 + 6 * static_cast<std::uint64_t>(dimension);
}

/// The points of look_behind_points(): number 0 is the centre, followed, axis by axis, by those on either side.
template <class P, class F, int D>
struct PointsBehind {
  using Integral = RegionIntegral<P, F, D>;
  using Sample = typename P::sample_type;

  Integral const& integral;
  typename Integral::Place const& place;

  /// Distances from the centre along axis k.
  struct Offsets {
    Sample at[3];
  };
  KOKKOS_FUNCTION Offsets offsets(int k) const {
    Sample const outer = Sample(0.5) - integral.rule.gap;
    return {{outer / 2, outer, Sample(0.5) - close_to_face(integral, place, k)}};
  }
  KOKKOS_FUNCTION Point<Sample, D> point(Offsets const& offsets, int k, int side, int n) const {
    auto x = place.centre;
    x[k] += (side == 0 ? offsets.at[n] : -offsets.at[n]) * place.side[k];
    return x;
  }
  KOKKOS_FUNCTION static int number(int k, int side, int n) { return 1 + 6 * k + 3 * side + n; }
  KOKKOS_FUNCTION Point<Sample, D> point(int number) const {
    int const k = (number - 1) / 6;
    return number == 0 ? place.centre : point(offsets(k), k, (number - 1) / 3 % 2, (number - 1) % 3);
  }
};

/// Looks behind the outermost points along each axis, and adds to `missed` by how much the integral over a region of
/// unit volume may change because of what is there.
/// @param least changes too small to matter, in units of 1 / weights[component]
/// @returns the axis along which the integral may change most; -1 if there is no change
template <class P, class F, int D>
KOKKOS_FUNCTION int look_behind_points(RegionIntegral<P, F, D> const& integral,
                                       typename RegionIntegral<P, F, D>::Place const& place, double const* weights,
                                       double least, std::uint64_t& evaluations,
                                       double (&missed)[RegionIntegral<P, F, D>::components]) {
  using Integral = RegionIntegral<P, F, D>;
  using Acc = typename P::accumulate_type;
  constexpr int components = Integral::components;
  PointsBehind<P, F, D> const points{integral, place};
  Acc middle[components];
  integral.evaluate_apart(place, 0, place.centre, middle);
  ++evaluations;
  int worst = -1;
  double most = 0;
  for (int k = 0; k < (D == dynamic ? integral.dimension : D); ++k) {
    auto const offsets = points.offsets(k);
    Acc at[2][3][components];
    for (int side = 0; side < 2; ++side)
      for (int n = 0; n < 3; ++n)
        integral.evaluate_apart(place, points.number(k, side, n), points.point(offsets, k, side, n), at[side][n]);
    evaluations += 6;
    for (int c = 0; c < components; ++c) {
      double sum = 0;
      for (int side = 0; side < 2; ++side) {
        auto const value = [&](int s, int n) { return static_cast<double>(at[s][n][c]); };
        AxisProfile const profile{static_cast<double>(offsets.at[1]),
                                  static_cast<double>(offsets.at[2]),
                                  static_cast<double>(middle[c]),
                                  {value(side, 0), value(side, 1), value(side, 2)},
                                  {value(1 - side, 0), value(1 - side, 1)}};
        double const part = static_cast<double>(integral.rule.gap) * profile.missed(Integral::epsilon);
        sum += part * weights[c] > least && Kokkos::isfinite(part) ? part : 0;
      }
      missed[c] += sum;
      if (sum * weights[c] > most) {
        most = sum * weights[c];
        worst = k;
      }
    }
  }
  return worst;
}

/// Raises a region's error by what may lie behind its points, and has it bisected along the axis where that is largest.
/// @param least what is too small to matter, in units of 1 / weights[component]
/// @param slot  see RegionIntegral
/// @returns whether there was any
template <class P, class F, int D>
KOKKOS_FUNCTION bool suspect_behind_points(RegionIntegral<P, F, D> const& integral, Regions const& regions,
                                           std::uint64_t i, double const* weights, double least,
                                           std::uint64_t& evaluations, std::uint64_t slot = 0) {
  constexpr int components = RegionIntegral<P, F, D>::components;
  auto const place = integral.place(regions, i, slot);
  double const volume = integral.volume(regions, i);
  double missed[components] = {};
  int const axis = look_behind_points(integral, place, weights, least / volume, evaluations, missed);
  if (axis < 0)
    return false;
  for (int c = 0; c < components; ++c)
    regions.error(c, i) += volume * missed[c];
  if (integral.has_room(place, regions, i, axis))
    regions.set_axis(i, axis);
  return true;
}

} // namespace kubature::detail
