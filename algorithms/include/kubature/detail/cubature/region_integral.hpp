#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/call/epsilon.hpp>
#include <kubature/detail/cubature/pairs_of_lane.hpp>
#include <kubature/detail/cubature/pairs_side_by_side.hpp>
#include <kubature/detail/cubature/region_points.hpp>
#include <kubature/detail/cubature/region_sums.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/result.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The integral over a region by a cubature rule: its estimate, the error of that, and the axis to split.
template <class P, class F, int D>
struct RegionIntegral : RegionPoints<P, F, D> {
  using Base = RegionPoints<P, F, D>;
  using Base::components, Base::dimension, Base::evaluate_apart, Base::f, Base::has_room, Base::number_of_pair,
      Base::point, Base::policy, Base::rule, Base::stand_in, Base::transform;
  using typename Base::Acc, typename Base::Eval, typename Base::Place, typename Base::Sample;
  static constexpr int rules = CubatureRule::rules;
  static constexpr int batch = region_batch<F>(); ///< points that a lane gives the integrand, if it is `batched`
  static constexpr bool batched = components == 1 && EvaluatesSideBySide<F, Eval, D, batch>;

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
    return {{g, Interior<Sample, N>(transform), rule, dimension, policy}, non_finite, caution, driver};
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
        if (sums.bad > 0 && policy == NonFinite::error) {
          auto const [its_middle, its_sums] = moved(*this, place, regions, i);
          middle = its_middle;
          sums = its_sums;
        }
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
        bool const bisection_shows = dimension >= least_dimension_to_lower && (components == 1 || c == driver) &&
                                     2 * volume * sums.best_difference() >= error;
        regions.leeway(c, i) =
            bisection_shows
                ? leeway_between(Kokkos::fmax(least, volume * static_cast<double>(of_null_rules.least)), error)
                : static_cast<unsigned char>(0);
      }
      regions.set_axis(i, sums.best_axis());
      if (sums.bad > 0 && non_finite)
        Kokkos::atomic_add(non_finite, sums.bad);
    });
  }

private:
  using Base::add, Base::add_both, Base::add_side_by_side, Base::argument, Base::corners, Base::count_bad,
      Base::evaluate, Base::finite, Base::weigh;
  using typename Base::SideBySide, typename Base::Values;
  using Sums = RegionSums<Acc, components>;

  struct Moved {
    Values middle;
    Sums sums;
  };
  /// evaluate_moved() as a separate function, since hardly any region needs it; of copies, as on_pole() takes them.
  [[gnu::noinline]] KOKKOS_FUNCTION static Moved moved(RegionIntegral own, Place place, Regions regions,
                                                       std::uint64_t i) {
    Moved result;
    own.evaluate_moved(place, regions, i, result.middle, result.sums);
    return result;
  }

  /// Evaluates a region again, by one lane, with stand-ins for the points where f is not finite.
  KOKKOS_FUNCTION void evaluate_moved(Place const& place, Regions const& regions, std::uint64_t i, Values& middle,
                                      Sums& sums) const {
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
    int next = (rank + size - d % size) % size; // so that all lanes get the same number of points
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
          this->pair(place, rule.first_pair[orbit] + k, values);
      next = k - count;
      sums.add(rule.orbits[orbit].weight, values);
    }
  }

  /// As add_points(), for integrands that evaluate several points side by side themselves; it finds the value at the
  /// centre as well.
  KOKKOS_FUNCTION void add_batches(Place const& place, Regions const& regions, std::uint64_t i, Values& middle,
                                   int rank, int size, Sums& sums) const {
    PairsOfLane<Sample, Acc> pair(rule, dimension, rank, size);
    Values values, first;
    while (!pair.done()) {
      Acc jacobian[batch];
      Eval value[batch];
      if (!evaluate_columns(place, pair, value, jacobian)) {
        Point<Eval, D> x[batch];
        auto ahead = pair;
        for (int p = 0; p < batch; p += 2) {
          Point<Sample, D> above, below;
          (ahead.done() ? pair : ahead).place(place.centre, place.side, above, below); // or unused values
          x[p] = argument(above, jacobian[p]);
          x[p + 1] = argument(below, jacobian[p + 1]);
          if (!ahead.done())
            ahead.next();
        }
        f.batch(x, value);
      }
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

  /// The values of the next points on a host, if the integrand evaluates points whose coordinates are side by side.
  /// @returns whether it does; otherwise nothing is done
  KOKKOS_FUNCTION bool evaluate_columns([[maybe_unused]] Place const& place,
                                        [[maybe_unused]] PairsOfLane<Sample, Acc> const& pair,
                                        [[maybe_unused]] Eval (&value)[batch],
                                        [[maybe_unused]] Acc (&jacobian)[batch]) const {
    if constexpr (EvaluatesColumns<F, Eval, batch> && std::is_same_v<Sample, Eval>) {
      KOKKOS_IF_ON_HOST((if (!transform.maps()) {
        Eval x[Point<Sample, D>::capacity + F::further_columns][batch];
        auto ahead = pair;
        for (int p = 0; p < batch; p += 2) {
          (ahead.done() ? pair : ahead).place_columns(place.centre, place.side, x, p); // or unused values
          jacobian[p] = jacobian[p + 1] = 1;
          if (!ahead.done())
            ahead.next();
        }
        f.columns(x, value);
        return true;
      }))
    }
    return false;
  }

  /// Adds the pairs of orbits 1 and 2 on one axis, and offers it.
  KOKKOS_FUNCTION void on_axis(Place const& place, Regions const& regions, std::uint64_t i, int axis,
                               Values const& middle, Sums& sums) const {
    Values first, second;
    this->pair(place, 2 * axis, first);
    this->pair(place, 2 * axis + 1, second);
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
