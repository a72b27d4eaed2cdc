#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/cubature/regions.hpp>
#include <kubature/detail/cubature/rule_table.hpp>
#include <kubature/detail/cubature/scope.hpp>
#include <kubature/detail/policy.hpp>
#include <kubature/integrand.hpp>
#include <kubature/result.hpp>
#include <kubature/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

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
  /// CubatureRule::norm() for regions whose error no parent will check, 1 for children.
  Acc caution = 1;
  /// The component whose fourth differences choose the axis; below 0: all together.
  int driver = -1;

  /// The smallest error that evaluating in this precision can have, in units of the region's value.
  static constexpr double rounding = 4.0 * static_cast<double>(Kokkos::Experimental::epsilon_v<Eval>);

  template <class Scope>
  KOKKOS_FUNCTION void operator()(Scope const& scope, Regions const& regions, std::uint64_t i) const {
    int const d = D == dynamic ? dimension : D;
    Place place;
    double volume = transform.volume();
    for (int k = 0; k < d; ++k) {
      auto const interval = regions.interval(k, i);
      place.centre[k] = transform.place(k, interval.centre());
      place.side[k] = transform.stretch(k, interval.length());
      volume *= interval.length();
    }

    Values middle;
    point(place.centre, middle);
    AxisSums axes;
    scope.reduce(d, [&](int axis, AxisSums& sums) { on_axis(place, regions, i, axis, middle, sums); }, axes);
    Values bad_only;
    bad_only.bad = middle.bad + axes.bad;
    for (int c = 0; c < components; ++c)
      for (int r = 0; r < rules; ++r)
        axes.sum[r][c] += rule.orbits[0].weight[r] * middle.value[c];
    for (int orbit = rule.axis_orbits + 1; orbit < rule.orbit_count; ++orbit) {
      Values sum;
      if (rule.corners && orbit + 1 == rule.orbit_count)
        scope.reduce(1 << (d - 1), [&](int signs, Values& values) { corners(place, signs, values); }, sum);
      else
        scope.reduce(
            rule.first_pair[orbit + 1] - rule.first_pair[orbit],
            [&](int k, Values& values) { pair(place, rule.first_pair[orbit] + k, values); }, sum);
      for (int c = 0; c < components; ++c)
        for (int r = 0; r < rules; ++r)
          axes.sum[r][c] += rule.orbits[orbit].weight[r] * sum.value[c];
      bad_only.bad += sum.bad;
    }

    scope.write([&] {
      for (int c = 0; c < components; ++c) {
        double const value = volume * static_cast<double>(axes.sum[0][c]);
        double const least = rounding * (Kokkos::abs(value) + volume * Kokkos::abs(static_cast<double>(middle.value[c])));
        double const error = volume * static_cast<double>(null_rule_error(axes.sum, c));
        regions.value(c, i) = value;
        regions.error(c, i) = error < least ? least : error;
      }
      regions.axis(i) = axes.best_axis();
      if (bad_only.bad > 0)
        Kokkos::atomic_add(non_finite, bad_only.bad);
    });
  }

private:
  /// A region in the box; infinite sides still in the unit interval.
  struct Place {
    Point<Sample, D> centre, side;
  };

  /// Values of the integrand, added up.
  struct Values {
    Acc value[components] = {};
    std::uint64_t bad = 0;

    KOKKOS_FUNCTION void join(Values const& other) {
      for (int c = 0; c < components; ++c)
        value[c] += other.value[c];
      bad += other.bad;
    }
  };

  /// What the points on the axes give: their part of all rules, and the axis of the largest fourth difference. Among
  /// those that are equal up to rounding it is the one of the longest side, and of these the first.
  struct AxisSums {
    Acc sum[rules][components] = {};
    std::uint64_t bad = 0;
    std::uint64_t best = 0;

    KOKKOS_FUNCTION void join(AxisSums const& other) {
      for (int r = 0; r < rules; ++r)
        for (int c = 0; c < components; ++c)
          sum[r][c] += other.sum[r][c];
      bad += other.bad;
      best = other.best > best ? other.best : best;
    }
    KOKKOS_FUNCTION void offer(int axis, int level, double difference) {
      auto const size = Kokkos::bit_cast<std::uint64_t>(difference) >> 32; // 20 bits of the mantissa
      auto const key = size << 32 | static_cast<unsigned>(255 - level) << 8 | static_cast<unsigned>(255 - axis);
      best = key > best ? key : best;
    }
    KOKKOS_FUNCTION unsigned char best_axis() const { return static_cast<unsigned char>(255 - (best & 255)); }
  };

  /// Adds f at x, with the Jacobian of infinite sides. `x` is in the box, infinite sides in the unit interval.
  KOKKOS_FUNCTION void point(Point<Sample, D> x, Values& values) const {
    Acc jacobian = 1;
    if (transform.infinite())
      jacobian = transform.template map_infinite<Acc>(x);
    Point<Eval, D> at;
    at.set_size(dimension);
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k)
      at[k] = static_cast<Eval>(x[k]);
    auto const value = f(at);
    using Traits = ValueTraits<std::remove_const_t<decltype(value)>>;
    Acc terms[components];
    bool finite = true;
    for (int c = 0; c < components; ++c) {
      terms[c] = static_cast<Acc>(Traits::get(value, c));
      if (transform.infinite())
        terms[c] *= jacobian;
      finite = finite && Kokkos::isfinite(terms[c]);
    }
    if (!finite)
      ++values.bad;
    if (finite || policy == NonFinite::propagate)
      for (int c = 0; c < components; ++c)
        values.value[c] += terms[c];
  }

  /// Adds f at the points of a pair, on both sides of the centre.
  KOKKOS_FUNCTION void pair(Place const& place, int index, Values& values) const {
    int const d = D == dynamic ? dimension : D;
    Sample const* offset = rule.offsets + static_cast<std::size_t>(index) * static_cast<std::size_t>(d);
    Point<Sample, D> above, below;
    for (int k = 0; k < d; ++k) {
      above[k] = place.centre[k] + place.side[k] * offset[k];
      below[k] = place.centre[k] - place.side[k] * offset[k];
    }
    point(above, values);
    point(below, values);
  }

  /// Adds f at two opposite corners; bit k of `signs` says on which side of the centre the first lies along axis k.
  KOKKOS_FUNCTION void corners(Place const& place, int signs, Values& values) const {
    Point<Sample, D> above, below;
    for (int k = 0; k < (D == dynamic ? dimension : D); ++k) {
      Sample const step = (signs >> k & 1) != 0 ? -place.side[k] : place.side[k];
      above[k] = place.centre[k] + step * rule.corner;
      below[k] = place.centre[k] - step * rule.corner;
    }
    point(above, values);
    point(below, values);
  }

  KOKKOS_FUNCTION void on_axis(Place const& place, Regions const& regions, std::uint64_t i, int axis,
                               Values const& middle, AxisSums& sums) const {
    Acc first[components] = {}, difference[components] = {}, magnitude[components] = {};
    for (int a = 0; a < rule.axis_orbits; ++a) {
      Values values;
      pair(place, axis * rule.axis_orbits + a, values);
      sums.bad += values.bad;
      for (int c = 0; c < components; ++c) {
        for (int r = 0; r < rules; ++r)
          sums.sum[r][c] += rule.orbits[a + 1].weight[r] * values.value[c];
        if (a == 0)
          first[c] = values.value[c];
        if (a == 1) {
          Acc const centre = 2 * middle.value[c];
          difference[c] = rule.ratio * (first[c] - centre) - (values.value[c] - centre);
          magnitude[c] = Kokkos::abs(rule.ratio * first[c]) + Kokkos::abs(values.value[c]) + Kokkos::abs(centre);
        }
      }
    }
    double total = 0, noise = 0;
    for (int c = 0; c < components; ++c)
      if (driver < 0 || c == driver) {
        total += static_cast<double>(Kokkos::abs(difference[c]));
        noise += rounding * static_cast<double>(magnitude[c]);
      }
    sums.offer(axis, regions.interval(axis, i).level(), total > noise ? total : 0);
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

/// Evaluates regions 0 ... fresh - 1, and as many from `siblings` on where there are such; each by a scope of the size
/// that suits how many there are.
template <class Space, class P, class F, int D, int scope>
struct EvaluateRegions {
  using Tune = Tuning<Space>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tune::region_team[scope] * Tune::region_lanes[scope]>>;
  using Member = typename Policy::member_type;
  static constexpr int per_team = Tune::regions_per_team[scope];

  RegionIntegral<P, F, D> integral;
  Regions regions;
  std::uint64_t fresh, siblings, count;

  void launch(Space const& exec) const {
    auto const teams = static_cast<int>((count + per_team - 1) / per_team);
    Kokkos::parallel_for("kubature::regions::evaluate",
                         as_argument(Policy(exec, teams, Tune::region_team[scope], Tune::region_lanes[scope])), *this);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const first = static_cast<std::uint64_t>(team.league_rank()) * per_team;
    if constexpr (scope == 0)
      one(TeamScope<Member>{team}, first);
    else
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, per_team), [&](int k) {
        if (first + static_cast<unsigned>(k) >= count)
          return;
        if constexpr (scope == 1)
          one(ThreadScope<Member>{team}, first + static_cast<unsigned>(k));
        else
          one(LaneScope(), first + static_cast<unsigned>(k));
      });
  }

private:
  template <class Scope>
  KOKKOS_FUNCTION void one(Scope const& who, std::uint64_t item) const {
    integral(who, regions, item < fresh ? item : siblings + (item - fresh));
  }
};

/// Launches the evaluation of the regions of the list.
template <class Space, class P, class F, int D>
void evaluate_regions(Space const& exec, RegionIntegral<P, F, D> const& integral, Regions const& regions,
                      std::uint64_t fresh, std::uint64_t siblings, std::uint64_t count) {
  using Tune = Tuning<Space>;
  auto const with = [&]<int scope>(std::integral_constant<int, scope>) {
    EvaluateRegions<Space, P, F, D, scope>{integral, regions, fresh, siblings, count}.launch(exec);
  };
  if constexpr (Tune::thread_regions > 0) {
    if (count <= Tune::team_regions)
      return with(std::integral_constant<int, 0>());
    if (count <= Tune::thread_regions)
      return with(std::integral_constant<int, 1>());
  }
  with(std::integral_constant<int, 2>());
}

} // namespace kubature::detail
