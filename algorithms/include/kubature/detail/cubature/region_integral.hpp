#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/cubature/pairs_of_lane.hpp>
#include <kubature/detail/cubature/pairs_side_by_side.hpp>
#include <kubature/detail/cubature/region_sums.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/cubature/stored_regions.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/integrand.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace kubature::detail {

/// The integral over a region by a cubature rule: its estimate, the error of that, and the axis to split.
template <class P, class F, int D>
struct RegionIntegral {
  using Sample = typename P::sample_type;
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;
  static constexpr int rules = CubatureRule::rules;
  static constexpr int batch = region_batch<F>(); ///< points that a lane gives the integrand, where it is `batched`
  static constexpr bool batched = components == 1 && EvaluatesSideBySide<F, Eval, D, batch>;

  F f;
  Interior<Sample, D> transform;
  RuleView<Sample, Acc> rule;
  int dimension;
  NonFinite policy;
  /// In device memory: raised by the number of values that are not finite (NonFiniteCount); null: they are not counted,
  /// as for the whole box with which a first grid is compared.
  std::uint64_t* non_finite;
  /// Factor of the trusted error estimate: more than 1 where no parent will check it (see Cubature::start).
  Acc caution = 1;
  /// The component whose fourth differences choose the axis; negative: their sum over all components.
  int driver = -1;

  static constexpr double epsilon = detail::epsilon<P>; ///< of the integrand's values

  /// The same of another integrand, or of N variables where their number was known at run time.
  template <int N = D, class G>
  RegionIntegral<P, G, N> of(G const& g) const {
    return {g, Interior<Sample, N>(transform), rule, dimension, policy, non_finite, caution, driver};
  }

  /// Evaluates region i by lanes that work together (see workers.hpp).
  /// @param slot where the values at the points of the region are in memory, if they are (ValuesInMemory)
  template <class Lanes>
  KOKKOS_FUNCTION void operator()(Lanes const& lanes, Regions const& regions, std::uint64_t i,
                                  std::uint64_t slot = 0) const {
    Place const place = this->place(regions, i, slot);
    double const volume = this->volume(regions, i);

    // Every lane needs the value at the centre.
    Values middle;
    Sums sums;
    if constexpr (batched) {
      lanes.sum_over_lanes(
          [&](int rank, int size, Sums& part) { add_batches(place, regions, i, middle, rank, size, part); }, sums);
    } else {
      Acc centre[components];
      evaluate(place, 0, place.centre, centre);
      add(centre, middle);
      lanes.sum_over_lanes(
          [&](int rank, int size, Sums& part) { add_points(place, regions, i, middle, rank, size, part); }, sums);
    }
    lanes.once([&] {
      if constexpr (!is_in_memory<F>)
        if (sums.bad > 0 && policy == NonFinite::error)
          evaluate_moved(place, regions, i, middle, sums);
      for (int c = 0; c < components; ++c) {
        double const value = volume * static_cast<double>(sums.rule[0][c]);
        double const least =
            epsilon * rule.rounding * (Kokkos::abs(value) + volume * Kokkos::abs(static_cast<double>(middle.value[c])));
        auto const of_null_rules = null_rule_error(sums.rule, c);
        double const by_null_rules = volume * static_cast<double>(of_null_rules.error);
        double const error = by_null_rules < least ? least : by_null_rules;
        regions.value(c, i) = value;
        regions.error(c, i) = error;
        // A jump across a corner of the region may show in no fourth difference: bisections then change nothing.
        bool const bisection_tells = dimension >= least_dimension_to_lower && (components == 1 || c == driver) &&
                                     2 * volume * sums.best_difference() >= error;
        regions.leeway(c, i) =
            bisection_tells
                ? leeway_between(Kokkos::fmax(least, volume * static_cast<double>(of_null_rules.least)), error)
                : static_cast<unsigned char>(0);
      }
      regions.set_axis(i, sums.best_axis());
      if (sums.bad > 0 && non_finite)
        Kokkos::atomic_add(non_finite, sums.bad);
    });
  }

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

  /// Whether a region can be bisected along an axis: not where it is so short that rounding would put points of its
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

  /// x with its infinite sides taken into the box.
  KOKKOS_FUNCTION Point<Sample, D> in_box(Point<Sample, D> x) const {
    x.set_size(dimension);
    if (transform.infinite())
      transform.template map_infinite<Acc>(x);
    return x;
  }

  /// f at x times the Jacobian of infinite sides, as a function of its own: for second opinions, which evaluate f in
  /// many places and take little time.
  /// @param number of the point, where values are in memory
  /// @param x in the box, infinite sides in the unit interval
  KOKKOS_FUNCTION void evaluate_apart(Place const& place, int number, Point<Sample, D> const& x,
                                      Acc (&terms)[components]) const {
    if constexpr (is_in_memory<F>)
      evaluate(place, number, x, terms);
    else
      evaluate_apart(x, terms);
  }

private:
  using Values = SumOfValues<Acc, components>;
  using Sums = RegionSums<Acc, components>;
  using SideBySide = PairsSideBySide<Eval, Acc, components, D>;

  /// Evaluates a region again, by one lane, with stand-ins for the points where f is not finite. A function of its own,
  /// since hardly any region needs it.
  [[gnu::noinline]] KOKKOS_FUNCTION void evaluate_moved(Place const& place, Regions const& regions, std::uint64_t i,
                                                        Values& middle, Sums& sums) const {
    auto const add_point = [&](int number, Values& values) {
      Acc terms[components];
      evaluate_apart(point(place, number), terms);
      if (!finite(terms)) {
        Acc jacobian;
        if (transform.infinite() && died_away(f, transform, argument(point(place, number), jacobian)))
          return count_bad(true, values);
        evaluate_apart(stand_in(place, number), terms);
      }
      add(terms, values);
    };
    auto const add_pair = [&](int index, Values& values) {
      add_point(number_of_pair(index), values);
      add_point(number_of_pair(index) + 1, values);
    };
    middle = {};
    sums = {};
    add_point(0, middle);
    sums.add(rule.orbits[0].weight, middle);
    for (int axis = 0; axis < (D == dynamic ? dimension : D); ++axis) {
      Values first, second;
      add_pair(2 * axis, first);
      add_pair(2 * axis + 1, second);
      sums.add(rule.orbits[1].weight, first);
      sums.add(rule.orbits[2].weight, second);
      offer(place, regions, i, axis, middle, first, second, sums);
    }
    for (int orbit = 3; orbit < rule.orbit_count; ++orbit) {
      bool const at_corners = rule.corners && orbit + 1 == rule.orbit_count;
      int const begin = at_corners ? rule.pairs : rule.first_pair[orbit];
      int const count = at_corners ? 1 << (dimension - 1) : rule.first_pair[orbit + 1] - begin;
      Values values;
      for (int k = 0; k < count; ++k)
        add_pair(begin + k, values);
      sums.add(rule.orbits[orbit].weight, values);
    }
  }

  /// Adds points number rank, rank + size, ... of the region.
  KOKKOS_FUNCTION void add_points(Place const& place, Regions const& regions, std::uint64_t i, Values const& middle,
                                  int rank, int size, Sums& sums) const {
    int const d = D == dynamic ? dimension : D;
    if (rank == 0)
      sums.add(rule.orbits[0].weight, middle);
    for (int axis = rank; axis < d; axis += size)
      on_axis(place, regions, i, axis, middle, sums);
    int next = (rank + size - d % size) % size; // so that all lanes get as many points
    for (int orbit = 3; orbit < rule.orbit_count; ++orbit) {
      bool const at_corners = rule.corners && orbit + 1 == rule.orbit_count;
      int const count = at_corners ? 1 << (d - 1) : rule.first_pair[orbit + 1] - rule.first_pair[orbit];
      Values values;
      int k = next;
      if constexpr (in_pairs_side_by_side<F, D>)
        KOKKOS_IF_ON_HOST((k += size == 1 ? add_side_by_side(place, orbit, count, values) : 0;))
      if (at_corners)
        for (; k < count; k += size)
          corners(place, k, values);
      else
        for (; k < count; k += size)
          pair(place, rule.first_pair[orbit] + k, values);
      next = k - count;
      sums.add(rule.orbits[orbit].weight, values);
    }
  }

  /// Adds f at as many pairs of an orbit as can be evaluated side by side. @returns how many of them
  KOKKOS_FUNCTION int add_side_by_side(Place const& place, int orbit, int count, Values& values) const {
    bool const at_corners = rule.corners && orbit + 1 == rule.orbit_count;
    SideBySide block;
    int k = 0;
    for (; k + SideBySide::pairs <= count && !transform.infinite(); k += SideBySide::pairs) {
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

  /// As add_points(), for integrands that evaluate several points side by side themselves; it finds the value at the
  /// centre as well.
  KOKKOS_FUNCTION void add_batches(Place const& place, Regions const& regions, std::uint64_t i, Values& middle,
                                   int rank, int size, Sums& sums) const {
    PairsOfLane<Sample, Acc> pair(rule, dimension, rank, size);
    Values values, first;
    while (!pair.done()) {
      Point<Eval, D> x[batch];
      Acc jacobian[batch];
      auto ahead = pair;
      for (int p = 0; p < batch; p += 2) {
        Point<Sample, D> above, below;
        (ahead.done() ? pair : ahead).place(place.centre, place.side, above, below); // or values of no use
        x[p] = argument(above, jacobian[p]);
        x[p + 1] = argument(below, jacobian[p + 1]);
        if (!ahead.done())
          ahead.next();
      }
      Eval value[batch];
      f.batch(x, value);
      for (int p = 0; p < batch && !pair.done(); p += 2) {
        Acc upper[1], lower[1];
        weigh(value[p], jacobian[p], upper);
        weigh(value[p + 1], jacobian[p + 1], lower);
        int const orbit = pair.orbit(), axis = pair.axis();
        orbit == 0 ? add(upper, values) : add_both(upper, lower, values);
        pair.next();
        if (pair.orbit() == orbit)
          continue;
        if (orbit > 0 || rank == 0)
          sums.add(rule.orbits[orbit].weight, values);
        if (orbit == 0)
          middle = values;
        else if (orbit == 1)
          first = values;
        else if (orbit == 2)
          offer(place, regions, i, axis, middle, first, values, sums);
        values = {};
      }
    }
  }

  /// What f is given for a point: infinite sides are taken into the box.
  KOKKOS_FORCEINLINE_FUNCTION Point<Eval, D> argument(Point<Sample, D> x, Acc& jacobian) const {
    jacobian = 1;
    if (transform.infinite())
      jacobian = transform.template map_infinite<Acc>(x);
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
      if (transform.infinite())
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
      if (transform.infinite() && !gone(terms))
        terms[c] *= jacobian;
    }
  }

  /// Whether values from memory say that f has died away (mark_harmless).
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

  /// Adds the values at one point; if they are not finite, counts them and does what the policy says.
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
    bool finite = true; // almost always, so one test serves both points
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

  /// Adds the pairs of orbits 1 and 2 on one axis, and offers it.
  KOKKOS_FUNCTION void on_axis(Place const& place, Regions const& regions, std::uint64_t i, int axis,
                               Values const& middle, Sums& sums) const {
    Values first, second;
    pair(place, 2 * axis, first);
    pair(place, 2 * axis + 1, second);
    sums.add(rule.orbits[1].weight, first);
    sums.add(rule.orbits[2].weight, second);
    offer(place, regions, i, axis, middle, first, second, sums);
  }

  /// Offers an axis by its fourth difference.
  KOKKOS_FUNCTION void offer(Place const& place, Regions const& regions, std::uint64_t i, int axis,
                             Values const& middle, Values const& first, Values const& second, Sums& sums) const {
    double difference = 0, noise = 0;
    for (int c = 0; c < components; ++c)
      if (driver < 0 || c == driver) {
        Acc const centre = 2 * middle.value[c];
        difference +=
            static_cast<double>(Kokkos::abs(rule.ratio * (first.value[c] - centre) - (second.value[c] - centre)));
        noise += 4 * epsilon *
                 static_cast<double>(Kokkos::abs(rule.ratio * first.value[c]) + Kokkos::abs(second.value[c]) +
                                     Kokkos::abs(centre));
      }
    if (has_room(place, regions, i, axis))
      sums.offer(axis, regions.interval(axis, i).level(), difference > noise ? difference : 0);
  }

  /// See CubatureRule::error_coefficients().
  KOKKOS_FUNCTION auto null_rule_error(Acc const (&sum)[rules][components], int c) const {
    constexpr int pairs = CubatureRule::null_rules - 1;
    Acc e[pairs] = {};
    for (int orbit = 0; orbit < rule.orbit_count; ++orbit)
      for (int r = 0; r < pairs; ++r) {
        auto const& s = rule.orbits[orbit];
        Acc const size = Kokkos::abs(sum[r + 2][c] + s.scale[r] * sum[r + 1][c]) * s.norm[r];
        e[r] = size > e[r] || Kokkos::isnan(size) ? size : e[r];
      }
    return rule.error(e, caution);
  }
};

} // namespace kubature::detail
