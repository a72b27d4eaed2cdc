#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/chunks.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/cubature/scope.hpp>
#include <kubature/detail/epsilon.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/integrand.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace kubature::detail {

/// An integrand in the parts of a box, by a rule: the estimate, its error and the axis to split of one region, by all
/// threads of a scope.
template <class P, class F, int D>
struct RegionIntegral {
  using Sample = typename P::sample_type;
  using Eval = typename P::eval_type;
  using Acc = typename P::accumulate_type;
  static constexpr int components = ValueTraits<IntegrandValue<F, Eval, D>>::components;
  static constexpr int rules = CubatureRule::rules;

  F f;
  Transform<Sample, D> transform;
  RuleView<Sample, Acc> rule;
  int dimension;
  NonFinite policy;
  /// Raised by the number of values that are not finite.
  std::uint64_t* non_finite;
  /// By what the trusted error estimate is multiplied: more than 1 where no parent will check it (see Cubature::start).
  Acc caution = 1;
  /// The component whose fourth differences choose the axis; below 0: all together.
  int driver = -1;

  static constexpr double epsilon = detail::epsilon<P>; ///< of the integrand's values

  template <class Scope>
  KOKKOS_FUNCTION void operator()(Scope const& scope, Regions const& regions, std::uint64_t i) const {
    Place const place = this->place(regions, i);
    double const volume = this->volume(regions, i);

    // Every lane needs the value at the centre.
    Acc centre[components];
    evaluate(place.centre, centre);
    Values middle;
    add(centre, middle);
    Sums sums;
    scope.share([&](int rank, int size, Sums& part) { share(place, regions, i, middle, rank, size, part); }, sums);
    scope.once([&] {
      for (int c = 0; c < components; ++c) {
        double const value = volume * static_cast<double>(sums.rule[0][c]);
        double const least =
            epsilon * rule.rounding * (Kokkos::abs(value) + volume * Kokkos::abs(static_cast<double>(middle.value[c])));
        double const error = volume * static_cast<double>(null_rule_error(sums.rule, c));
        regions.value(c, i) = value;
        regions.error(c, i) = error < least ? least : error;
      }
      regions.set_axis(i, sums.best_axis());
      if (sums.bad > 0)
        Kokkos::atomic_add(non_finite, sums.bad);
    });
  }

  /// A region in the box; infinite sides still in the unit interval.
  struct Place {
    Point<Sample, D> centre, side;
  };

  KOKKOS_FUNCTION Place place(Regions const& regions, std::uint64_t i) const {
    Place place;
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k) {
      auto const interval = regions.interval(k, i);
      place.centre[k] = transform.place(k, interval.centre());
      place.side[k] = transform.stretch(k, interval.length());
    }
    return place;
  }

  /// Whether a region can be bisected along an axis: not where it is so short that rounding would put points on its
  /// ends.
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

  /// The largest component of |f| at x in units of 1 / weights[component]; 0 where f is not finite.
  KOKKOS_FUNCTION double magnitude(Point<Sample, D> const& x, double const* weights) const {
    Acc terms[components];
    evaluate_apart(x, terms);
    double largest = 0;
    for (int c = 0; c < components; ++c) {
      double const size = Kokkos::abs(static_cast<double>(terms[c])) * weights[c];
      largest = Kokkos::isfinite(size) && size > largest ? size : largest;
    }
    return largest;
  }

  /// The largest magnitude() at the rule's points, or the first one found that is `enough`.
  KOKKOS_FUNCTION double largest(Place const& place, double const* weights, double enough,
                                 std::uint64_t& evaluations) const {
    double result = magnitude(place.centre, weights);
    ++evaluations;
    auto const look = [&](auto const& offset) { // at a pair of points
      for (Sample const sign : {Sample(1), Sample(-1)}) {
        auto x = place.centre;
        for (int k = 0; k < (D == dynamic ? dimension : D); ++k)
          x[k] += sign * place.side[k] * offset(k);
        result = Kokkos::fmax(result, magnitude(x, weights));
      }
      evaluations += 2;
    };
    for (int p = 0; p < rule.pairs && result < enough; ++p)
      look([&](int k) { return rule.offsets[k * rule.pairs + p]; });
    int const corners = rule.corners ? 1 << ((D == dynamic ? dimension : D) - 1) : 0;
    for (int signs = 0; signs < corners && result < enough; ++signs)
      look([&](int k) { return (signs >> k & 1) != 0 ? -rule.corner : rule.corner; });
    return result;
  }

  /// How close to a region's face across axis k one can look, in units of the side: as rounding allows, far closer than
  /// the rule's points.
  KOKKOS_FUNCTION Sample close(Place const& place, int k) const {
    bool const fine = place.side[k] * rule.gap >
                      Sample(0x1p14) * Kokkos::Experimental::epsilon_v<Sample> * Kokkos::abs(place.centre[k]);
    return rule.gap * (fine ? Sample(0x1p-10) : Sample(0x1p-2));
  }

  /// Compares f at the centres of the faces with what its values along the axes let expect, and finds where it jumps or
  /// has a kink between the outermost points and the face, where no point of the rule sees it. Adds to `missed` what
  /// that may change, for a unit volume.
  /// @param least what does not matter of it, in units of 1 / weights[component]
  /// @returns the axis along which it may change most; -1 where there is nothing
  KOKKOS_FUNCTION int behind_points(Place const& place, double const* weights, double least, std::uint64_t& evaluations,
                                    double (&missed)[components]) const {
    Acc middle[components];
    evaluate_apart(place.centre, middle);
    ++evaluations;
    int worst = -1;
    double most = 0;
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k) {
      Sample const outer = Sample(0.5) - rule.gap, offsets[] = {outer / 2, outer, Sample(0.5) - close(place, k)};
      Acc at[2][3][components];
      for (int side = 0; side < 2; ++side)
        for (int n = 0; n < 3; ++n) {
          auto x = place.centre;
          x[k] += (side == 0 ? offsets[n] : -offsets[n]) * place.side[k];
          evaluate_apart(x, at[side][n]);
        }
      evaluations += 6;
      for (int c = 0; c < components; ++c) {
        double sum = 0;
        for (int side = 0; side < 2; ++side) {
          auto const value = [&](int s, int n) { return static_cast<double>(at[s][n][c]); };
          Behind const behind{static_cast<double>(offsets[1]),
                              static_cast<double>(offsets[2]),
                              static_cast<double>(middle[c]),
                              {value(side, 0), value(side, 1), value(side, 2)},
                              {value(1 - side, 0), value(1 - side, 1)}};
          double const part = static_cast<double>(rule.gap) * behind.missed();
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

  /// How often behind_points() evaluates f at most.
  static std::uint64_t points_behind(int dimension) { return 1 + 6 * static_cast<std::uint64_t>(dimension); }

  /// Raises a region's error by what may lie behind its points, and lets it be bisected along the axis where that is
  /// most.
  /// @param least what does not matter of its integral, in units of 1 / weights[component]
  /// @returns whether there was anything
  KOKKOS_FUNCTION bool doubt(Regions const& regions, std::uint64_t i, double const* weights, double least,
                             std::uint64_t& evaluations) const {
    Place const place = this->place(regions, i);
    double const volume = this->volume(regions, i);
    double missed[components] = {};
    int const axis = behind_points(place, weights, least / volume, evaluations, missed);
    if (axis < 0)
      return false;
    for (int c = 0; c < components; ++c)
      regions.error(c, i) += volume * missed[c];
    if (has_room(place, regions, i, axis))
      regions.set_axis(i, axis);
    return true;
  }

private:
  /// f along an axis: at the centre; at half the outermost points' distance `outer`, there and at the face on one side;
  /// and at the former two on the other.
  struct Behind {
    double outer, face, centre, here[3], opposite[2];

    /// The mean of what f may be off between outermost point and face by what is smooth: the jump there, or half of
    /// what a kink leaves at the face; 0 where f may well be smooth.
    KOKKOS_FUNCTION double missed() const {
      double const half = outer / 2;
      double const size = Kokkos::fmax(Kokkos::abs(here[0]), Kokkos::fmax(Kokkos::abs(here[1]), Kokkos::abs(here[2])));
      double const jump = Kokkos::abs(here[2] - here[1] - (face - outer) * (here[1] - here[0]) / half);
      if (jump > least_jump * size)
        return jump;
      // How far f is from the parabola through three points, at the face and, of the three before, at the outermost
      // points. Of a third derivative that changes little the former is the smaller by `ratio`; where it changes its
      // sign, it does not on both sides.
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
  };

  /// What counts as a jump, in units of the largest value beside it; and as a kink, in units of what a smooth function
  /// may do.
  static constexpr double least_jump = 0.1, least_kink = 8;

  /// Values of the integrand, added up.
  struct Values {
    Acc value[components] = {};
    std::uint64_t bad = 0;
  };

  /// The rule and its null rules so far, and the axis of the largest fourth difference. Among those that are equal up
  /// to rounding it is the axis of the longest side, and of these the first.
  struct Sums {
    Acc rule[rules][components] = {};
    std::uint64_t bad = 0;
    std::uint64_t best = 0;

    KOKKOS_FUNCTION void join(Sums const& other) {
      for (int r = 0; r < rules; ++r)
        for (int c = 0; c < components; ++c)
          rule[r][c] += other.rule[r][c];
      bad += other.bad;
      best = other.best > best ? other.best : best;
    }
    KOKKOS_FUNCTION void add(Acc const (&weight)[rules], Values const& values) {
      for (int r = 0; r < rules; ++r)
        for (int c = 0; c < components; ++c)
          rule[r][c] += weight[r] * values.value[c];
      bad += values.bad;
    }
    KOKKOS_FUNCTION void offer(int axis, int level, double difference) {
      auto const size = Kokkos::bit_cast<std::uint64_t>(difference) >> 32; // 20 bits of the mantissa
      auto const key = size << 32 | static_cast<unsigned>(255 - level) << 8 | static_cast<unsigned>(255 - axis);
      best = key > best ? key : best;
    }
    KOKKOS_FUNCTION int best_axis() const { return best == 0 ? Regions::no_axis : 255 - static_cast<int>(best & 255); }
  };

  /// The points number rank, rank + size, ... of the region.
  KOKKOS_FUNCTION void share(Place const& place, Regions const& regions, std::uint64_t i, Values const& middle,
                             int rank, int size, Sums& sums) const {
    int const d = D == dynamic ? dimension : D;
    if (rank == 0)
      sums.add(rule.orbits[0].weight, middle);
    for (int axis = rank; axis < d; axis += size)
      on_axis(place, regions, i, axis, middle, sums);
    int next = (rank + size - d % size) % size; // so that all get as many points
    for (int orbit = 3; orbit < rule.orbit_count; ++orbit) {
      bool const at_corners = rule.corners && orbit + 1 == rule.orbit_count;
      int const count = at_corners ? 1 << (d - 1) : rule.first_pair[orbit + 1] - rule.first_pair[orbit];
      Values values;
      int k = next;
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

  /// f at x times the Jacobian of infinite sides. `x` is in the box, infinite sides in the unit interval.
  KOKKOS_FUNCTION void evaluate(Point<Sample, D> x, Acc (&terms)[components]) const {
    Acc jacobian = 1;
    if (transform.infinite())
      jacobian = transform.template map_infinite<Acc>(x);
    Point<Eval, D> at;
    if constexpr (D == dynamic)
      at = {}; // a compiler cannot see that the integrand reads no more than there is
    at.set_size(dimension);
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k)
      at[k] = static_cast<Eval>(x[k]);
    auto const value = f(at);
    using Traits = ValueTraits<std::remove_const_t<decltype(value)>>;
    for (int c = 0; c < components; ++c) {
      terms[c] = static_cast<Acc>(Traits::get(value, c));
      if (transform.infinite())
        terms[c] *= jacobian;
    }
  }

  /// The same as a function of its own: for second opinions, which evaluate in many places and take little time.
  [[gnu::noinline]] KOKKOS_FUNCTION void evaluate_apart(Point<Sample, D> const& x, Acc (&terms)[components]) const {
    evaluate(x, terms);
  }

  /// Adds values, of which those that are not finite are counted and treated as the policy says.
  KOKKOS_FUNCTION void add(Acc const (&terms)[components], Values& values) const {
    bool finite = true;
    for (int c = 0; c < components; ++c)
      finite = finite && Kokkos::isfinite(terms[c]);
    if (!finite)
      ++values.bad;
    if (finite || policy == NonFinite::propagate)
      for (int c = 0; c < components; ++c)
        values.value[c] += terms[c];
  }

  /// Adds f at two points.
  KOKKOS_FUNCTION void both(Point<Sample, D> const& above, Point<Sample, D> const& below, Values& values) const {
    Acc upper[components], lower[components];
    evaluate(above, upper);
    evaluate(below, lower);
    bool finite = true; // as a rule, which one test finds
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

  /// Adds f at the points of a pair, on both sides of the centre.
  KOKKOS_FUNCTION void pair(Place const& place, int index, Values& values) const {
    int const d = D == dynamic ? dimension : D;
    Sample const* offsets = rule.offsets + index;
    Point<Sample, D> above, below;
    for (int k = 0; k < d; ++k) {
      Sample const offset = offsets[k * rule.pairs];
      above[k] = place.centre[k] + place.side[k] * offset;
      below[k] = place.centre[k] - place.side[k] * offset;
    }
    both(above, below, values);
  }

  /// Adds f at two opposite corners; bit k of `signs` says on which side of the centre the first lies along axis k.
  KOKKOS_FUNCTION void corners(Place const& place, int signs, Values& values) const {
    Point<Sample, D> above, below;
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k) {
      Sample const step = (signs >> k & 1) != 0 ? -place.side[k] : place.side[k];
      above[k] = place.centre[k] + step * rule.corner;
      below[k] = place.centre[k] - step * rule.corner;
    }
    both(above, below, values);
  }

  /// The pairs of orbits 1 and 2 on one axis, and the fourth difference along it.
  KOKKOS_FUNCTION void on_axis(Place const& place, Regions const& regions, std::uint64_t i, int axis,
                               Values const& middle, Sums& sums) const {
    Values first, second;
    pair(place, 2 * axis, first);
    pair(place, 2 * axis + 1, second);
    sums.add(rule.orbits[1].weight, first);
    sums.add(rule.orbits[2].weight, second);
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

  /// CubatureRule::error_coefficients().
  KOKKOS_FUNCTION Acc null_rule_error(Acc const (&sum)[rules][components], int c) const {
    constexpr int pairs = CubatureRule::null_rules - 1;
    Acc e[pairs] = {};
    for (int orbit = 0; orbit < rule.orbit_count; ++orbit)
      for (int r = 0; r < pairs; ++r) {
        auto const& s = rule.orbits[orbit];
        Acc const size = Kokkos::abs(sum[r + 2][c] + s.scale[r] * sum[r + 1][c]) * s.norm[r];
        e[r] = size > e[r] || Kokkos::isnan(size) ? size : e[r];
      }
    if (rule.trust * e[0] <= e[1] && rule.trust * e[1] <= e[2])
      return rule.shrink * caution * e[0];
    return rule.stretch * (e[0] > e[1] ? (e[0] > e[2] ? e[0] : e[2]) : (e[1] > e[2] ? e[1] : e[2]));
  }
};

/// Evaluates of regions 0 ... fresh - 1, and as many from `siblings` on where there are such, `count` from number
/// `first` on; each by a scope of the size that suits how many there are.
template <class Space, class P, class F, int D, int scope>
struct EvaluateRegions {
  using Tune = Tuning<Space>;
  static constexpr int team_size = Tune::region_team[scope], lanes = Tune::region_lanes[scope];
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<team_size * lanes, Tune::region_teams_resident[scope]>>;
  using Member = typename Policy::member_type;
  static constexpr int per_team = Tune::regions_per_team[scope];

  RegionIntegral<P, F, D> integral;
  Regions regions;
  std::uint64_t fresh, siblings, first, count;

  void launch(Space const& exec) const {
    auto const teams = static_cast<int>(Chunks::ceil(count, per_team));
    Kokkos::parallel_for("kubature::regions::evaluate", as_argument(Policy(exec, teams, team_size, lanes)), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const begin = static_cast<std::uint64_t>(team.league_rank()) * per_team;
    if constexpr (scope == 0)
      one(TeamScope<Member>{team, team_size * lanes}, begin);
    else
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, per_team), [&](int k) {
        if (begin + static_cast<unsigned>(k) >= count)
          return;
        if constexpr (scope == 1)
          one(ThreadScope<Member>{team, lanes}, begin + static_cast<unsigned>(k));
        else
          one(LaneScope(), begin + static_cast<unsigned>(k));
      });
  }

private:
  template <class Scope>
  KOKKOS_FUNCTION void one(Scope const& who, std::uint64_t number) const {
    auto const item = first + number;
    integral(who, regions, item < fresh ? item : siblings + (item - fresh));
  }
};

/// Launches the evaluation of `count` of all these regions, from number `first` on. The scope is one that suits all.
template <class Space, class P, class F, int D>
void evaluate_regions(Space const& exec, RegionIntegral<P, F, D> const& integral, Regions const& regions,
                      std::uint64_t fresh, std::uint64_t siblings, std::uint64_t all, std::uint64_t points,
                      std::uint64_t first, std::uint64_t count) {
  using Tune = Tuning<Space>;
  if (count == 0)
    return;
  auto const with = [&]<int scope>(std::integral_constant<int, scope>) {
    EvaluateRegions<Space, P, F, D, scope>{integral, regions, fresh, siblings, first, count}.launch(exec);
  };
  if constexpr (Tune::thread_regions > 0) {
    if (all <= Tune::team_regions && points >= Tune::team_points)
      return with(std::integral_constant<int, 0>());
    if (all <= Tune::thread_regions)
      return with(std::integral_constant<int, 1>());
  }
  with(std::integral_constant<int, 2>());
}

} // namespace kubature::detail
