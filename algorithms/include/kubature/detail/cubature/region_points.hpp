#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/cubature/pairs_side_by_side.hpp>
#include <kubature/detail/cubature/region_sums.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/integrand.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The points of a cubature rule in a region, and the values of an integrand there, one point, pair or block of pairs
/// after the other.
template <class P, class F, int D>
struct RegionPoints {
  using Sample = typename P::sample_type;
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;

  F f;
  Interior<Sample, D> transform;
  RuleView<Sample, Acc> rule;
  int dimension;
  NonFinite policy;

  /// A region in the box; infinite sides still in the unit interval.
  struct Place {
    Point<Sample, D> centre, side;
    std::uint64_t slot;
  };

  KOKKOS_FUNCTION Place place(Regions const& regions, std::uint64_t i, std::uint64_t slot = 0) const {
    Place place;
    place.slot = slot;
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k) {
      auto const interval = regions.interval(k, i);
      place.centre[k] = transform.place(k, interval.centre());
      place.side[k] = transform.stretch(k, interval.length());
      transform.keep_inside(k, rule.gap, place.centre[k], place.side[k]);
    }
    return place;
  }

  /// Whether a region can be bisected along an axis: false if it is so short that rounding would put points of its
  /// halves on their faces.
  KOKKOS_FUNCTION bool has_room(Place const& place, Regions const& regions, std::uint64_t i, int axis) const {
    return regions.interval(axis, i).level() < Regions::deepest &&
           place.side[axis] * rule.gap > 4 * Kokkos::Experimental::epsilon_v<Sample> * Kokkos::abs(place.centre[axis]);
  }

  KOKKOS_FUNCTION double volume(Regions const& regions, std::uint64_t i) const {
    double volume = transform.volume();
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k)
      volume *= regions.interval(k, i).length();
    return volume;
  }

  /// Point `number` of the rule: 0 is the centre, then follow the pairs and the pairs of corners.
  KOKKOS_FUNCTION Point<Sample, D> point(Place const& place, int number) const {
    auto x = place.centre;
    int const index = (number - 1) / 2, signs = index - rule.pairs;
    for (int k = 0; number > 0 && k < (D == dynamic ? dimension : D); ++k) {
      Sample const offset = signs < 0               ? rule.offsets[k * rule.pairs + index]
                            : (signs >> k & 1) != 0 ? -rule.corner
                                                    : rule.corner;
      x[k] = number == number_of_pair(index) ? place.centre[k] + place.side[k] * offset
                                             : place.centre[k] - place.side[k] * offset;
    }
    return x;
  }
  /// The point of the region that stands in for point `number` where f is not finite there, so that no set of measure
  /// zero decides an integral: closer to the centre by a different part along each axis, as poles often lie where
  /// coordinates are equal, and off the planes through the centre.
  KOKKOS_FUNCTION Point<Sample, D> stand_in(Place const& place, int number) const {
    auto x = point(place, number);
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k) {
      Sample const golden = Sample(0.6180339887) * static_cast<Sample>(k + 1);
      Sample const part = Sample(0.1) + Sample(0.2) * (golden - Kokkos::floor(golden));
      Sample const off = x[k] - place.centre[k];
      x[k] = place.centre[k] +
             (Kokkos::abs(off) < Sample(0.05) * place.side[k] ? off + part / 2 * place.side[k] : off * (1 - part));
    }
    return x;
  }
  std::uint64_t points() const {
    return static_cast<std::uint64_t>(1 + 2 * rule.pairs + (rule.corners ? 1 << dimension : 0));
  }
  /// The number of the first point of a pair.
  KOKKOS_FUNCTION static int number_of_pair(int index) { return 1 + 2 * index; }

  /// x with its infinite sides mapped into the box.
  KOKKOS_FUNCTION Point<Sample, D> in_box(Point<Sample, D> x) const {
    x.set_size(dimension);
    if (transform.maps())
      transform.template map<Acc>(x);
    return x;
  }

  /// f at x times the Jacobian of infinite sides, as a separate function: for second opinions, which evaluate f in many
  /// places and take little time.
  /// @param number of the point, where values are in memory
  /// @param x in the box, infinite sides in the unit interval
  KOKKOS_FUNCTION void evaluate_apart(Place const& place, int number, Point<Sample, D> const& x,
                                      Acc (&terms)[components]) const {
    if constexpr (is_in_memory<F>)
      evaluate(place, number, x, terms);
    else
      evaluate_apart(x, terms);
  }

protected:
  using Values = SumOfValues<Acc, components>;
  using SideBySide = PairsSideBySide<Eval, Acc, components, D>;

  /// The argument of f for a point: infinite sides are mapped into the box.
  KOKKOS_FORCEINLINE_FUNCTION Point<Eval, D> argument(Point<Sample, D> x, Acc& jacobian) const {
    jacobian = 1;
    if (transform.maps())
      jacobian = transform.template map<Acc>(x);
    Point<Eval, D> at;
    if constexpr (D == dynamic)
      at = {}; // compilers cannot see that the integrand reads no more than `dimension` coordinates
    at.set_size(dimension);
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k)
      at[k] = static_cast<Eval>(x[k]);
    return at;
  }

  [[gnu::noinline]] KOKKOS_FUNCTION void evaluate_apart(Point<Sample, D> const& x, Acc (&terms)[components]) const {
    evaluate(Place(), 0, x, terms);
  }

  /// See evaluate_apart().
  KOKKOS_FUNCTION void evaluate([[maybe_unused]] Place const& place, [[maybe_unused]] int number, Point<Sample, D> x,
                                Acc (&terms)[components]) const {
    Acc jacobian = 1;
    if constexpr (is_in_memory<F>) {
      if (transform.maps())
        argument(x, jacobian);
      weigh(f.value(place.slot, number), jacobian, terms);
    } else {
      auto const at = argument(x, jacobian);
      weigh(f(at), jacobian, terms);
    }
  }

  template <class Value>
  KOKKOS_FUNCTION void weigh(Value const& value, Acc jacobian, Acc (&terms)[components]) const {
    using Traits = ValueTraits<Value>;
    for (int c = 0; c < components; ++c) {
      terms[c] = static_cast<Acc>(Traits::get(value, c));
      if (transform.maps() && !gone(terms))
        terms[c] *= jacobian;
    }
  }

  /// Whether values from memory show that f has died away (mark_harmless).
  KOKKOS_FUNCTION static bool gone(Acc const (&terms)[components]) {
    if constexpr (is_in_memory<F>)
      return is_harmless(static_cast<double>(terms[0]));
    else
      return false;
  }

  KOKKOS_FUNCTION static bool finite(Acc const (&terms)[components]) {
    bool finite = true;
    for (int c = 0; c < components; ++c)
      finite = finite && Kokkos::isfinite(terms[c]);
    return finite;
  }

  KOKKOS_FUNCTION static void count_bad(bool died_away, Values& values) {
    NonFiniteCount bad{values.bad};
    bad.add(died_away);
    values.bad = bad.packed;
  }

  /// Adds the values at one point; if they are not finite, counts them and applies the policy.
  KOKKOS_FUNCTION void add(Acc const (&terms)[components], Values& values) const {
    bool const all_finite = finite(terms), zero = !all_finite && gone(terms);
    if (!all_finite)
      count_bad(zero, values);
    if (all_finite || (!zero && policy == NonFinite::propagate))
      for (int c = 0; c < components; ++c)
        values.value[c] += terms[c];
  }

  /// Adds f at the two points of a pair.
  KOKKOS_FUNCTION void both(Place const& place, int index, Point<Sample, D> const& above, Point<Sample, D> const& below,
                            Values& values) const {
    Acc upper[components], lower[components];
    int const number = number_of_pair(index);
    evaluate(place, number, above, upper);
    evaluate(place, number + 1, below, lower);
    add_both(upper, lower, values);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_both(Acc const (&upper)[components], Acc const (&lower)[components],
                                            Values& values) const {
    bool finite = true; // almost always, so one test suffices for both points
    for (int c = 0; c < components; ++c)
      finite = finite && Kokkos::isfinite(upper[c] + lower[c]);
    if (finite) {
      for (int c = 0; c < components; ++c)
        values.value[c] += upper[c] + lower[c];
    } else {
      add(upper, values);
      add(lower, values);
    }
  }

  /// Adds f at the two points of a pair, which are symmetric about the centre.
  KOKKOS_FUNCTION void pair(Place const& place, int index, Values& values) const {
    int const d = D == dynamic ? dimension : D;
    Sample const* offsets = rule.offsets + index;
    Point<Sample, D> above, below;
    for (int k = 0; k < d; ++k) {
      Sample const offset = offsets[k * rule.pairs];
      above[k] = place.centre[k] + place.side[k] * offset;
      below[k] = place.centre[k] - place.side[k] * offset;
    }
    both(place, index, above, below, values);
  }

  /// Adds f at two opposite corners; bit k of `signs` is set if the first lies below the centre along axis k.
  KOKKOS_FUNCTION void corners(Place const& place, int signs, Values& values) const {
    Point<Sample, D> above, below;
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k) {
      Sample const step = (signs >> k & 1) != 0 ? -place.side[k] : place.side[k];
      above[k] = place.centre[k] + step * rule.corner;
      below[k] = place.centre[k] - step * rule.corner;
    }
    both(place, rule.pairs + signs, above, below, values);
  }

  /// Adds f at as many pairs of an orbit as can be evaluated side by side. @returns their number
  KOKKOS_FUNCTION int add_side_by_side(Place const& place, int orbit, int count, Values& values) const {
    bool const at_corners = rule.corners && orbit + 1 == rule.orbit_count;
    SideBySide block;
    int k = 0;
    for (; k + SideBySide::pairs <= count && !transform.maps(); k += SideBySide::pairs) {
      if (at_corners)
        block.place_at_corners(place, rule.corner, k);
      else
        block.place(place, rule.offsets + rule.first_pair[orbit] + k, rule.pairs);
      block.evaluate(f);
      for (int p = 0; p < SideBySide::pairs; ++p)
        add_both(block.value[p], block.value[SideBySide::pairs + p], values);
    }
    return k;
  }
};

} // namespace kubature::detail
