#include "region_rows.hpp"
#include "spaces.hpp"

#include <kubature/detail/cubature/evaluate_regions.hpp>
#include <kubature/detail/memory/workspace.hpp>
#include <kubature/precision.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace region_integral_test {
namespace {

using namespace kubature;
using detail::Grid;
using detail::RegionList;
using detail::Workers;
using rows::Row;

/// Smooth, and different along every axis, but with a jump at x_1 = 0.6, whose error no rule should trust.
struct Wave {
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real phase = Real(0.7), jump = 0;
    bool behind = false;
    for (int k = 0; k < x.size(); ++k) {
      behind = k == 0 ? x[k] > Real(0.6) : behind;
      phase += Real(0.4 + 0.3 * k) * x[k];
      jump = x[k];
    }
    return Kokkos::cos(phase) + (behind ? jump : Real(0));
  }
};

/// a + b x_1^m + c x_2^n.
struct Powers {
  double a, b;
  int m;
  double c;
  int n;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return Real(a) + Real(b) * power(x[0], m) + Real(c) * power(x[1], n);
  }

private:
  template <class Real>
  KOKKOS_FUNCTION static Real power(Real x, int n) {
    Real result = 1;
    for (; n > 0; --n)
      result *= x;
    return result;
  }
};

/// NaN where x_1 is 1/2, elsewhere 1.
struct Hole {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return x[0] == Real(0.5) ? Real(0) / (x[0] - Real(0.5)) : Real(1);
  }
};

/// Two components; the first is not a number where x_1 is much more than x_2.
struct Torn {
  template <class Real, int D>
  KOKKOS_FUNCTION Kokkos::Array<Real, 2> operator()(Point<Real, D> const& x) const {
    Real const wave = Wave()(x), gap = x[0] - x[1];
    return {gap > Real(0.5) ? Real(0) / (gap - gap) : wave, wave * wave};
  }
};

struct Decay {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 1> const& x) const {
    return Kokkos::exp(-x[0]);
  }
};

/// What plain loops over a rule's points give for one region.
struct Naive {
  double value, error;
  bool trusted;
  /// The absolute fourth differences.
  std::vector<double> differences;
};

Naive naive(std::function<double(std::vector<double> const&)> const& f, CubatureRule const& rule, Row const& row,
            std::vector<Side> const& box, double caution) {
  auto const d = static_cast<std::size_t>(rule.dimension());
  auto const& orbits = rule.orbits();
  std::vector<double> centre(d), side(d);
  double volume = 1;
  for (std::size_t k = 0; k < d; ++k) {
    auto const interval = row.interval(static_cast<int>(k));
    double const length = box[k].upper - box[k].lower;
    centre[k] = box[k].lower + length * interval.centre();
    side[k] = length * interval.length();
    volume *= side[k];
  }
  auto const at = [&](std::vector<double> const& offset, double sign) {
    auto x = centre;
    for (std::size_t k = 0; k < d; ++k)
      x[k] += sign * side[k] * offset[k];
    return f(x);
  };
  double const middle = f(centre);
  std::array<double, CubatureRule::rules> sum{};
  std::vector<double> first(d), second(d);
  for (std::size_t o = 0; o < orbits.size(); ++o) {
    double values = o == 0 ? middle : 0;
    auto const half = rule.half_orbit(orbits[o]);
    for (std::size_t k = 0; k < half.size(); ++k) {
      double const both = at(half[k], 1) + at(half[k], -1);
      values += both;
      if (o == 1)
        first[k] = both - 2 * middle;
      if (o == 2)
        second[k] = both - 2 * middle;
    }
    for (std::size_t r = 0; r < sum.size(); ++r)
      sum[r] += orbits[o].weight[r] * values;
  }
  double e[3] = {};
  for (auto const& orbit : orbits)
    for (std::size_t r = 0; r < 3; ++r)
      e[r] = std::max(e[r], std::abs(sum[r + 2] + orbit.scale[r] * sum[r + 1]) * orbit.norm[r]);
  auto const [trust, shrink, stretch] = rule.error_coefficients();
  Naive result{volume * sum[0], 0, trust * e[0] <= e[1] && trust * e[1] <= e[2], {}};
  double const least = 0x1p-52 * rule.rounding() * (std::abs(result.value) + volume * std::abs(middle));
  double const largest = stretch * std::max({e[0], e[1], e[2]});
  double const of_mean = std::max(d == 2 ? 7.5 : stretch, 3 * std::sqrt(rule.norm()));
  double const mean = of_mean * std::sqrt(e[0] * largest / stretch);
  double const vague = caution > 1 ? largest : std::min(largest, mean);
  result.error = std::max(least, volume * (result.trusted ? shrink * caution * e[0] : vague));
  double const ratio = std::pow(orbits[2].generator[0] / orbits[1].generator[0], 2);
  for (std::size_t k = 0; k < d; ++k)
    result.differences.push_back(std::abs(ratio * first[k] - second[k]));
  return result;
}

template <int D>
double on_host(Wave const& f, std::vector<double> const& x) {
  Point<double, D> point;
  point.set_size(static_cast<int>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k)
    point[static_cast<int>(k)] = x[k];
  return f(point);
}

template <class Space>
class RegionIntegrals : public ::testing::Test {
protected:
  Space exec;
  detail::Workspace<Space> for_rule{exec}, for_list{exec};
  RegionList<Space> list;
  detail::RuleTable<Space> tables;

  void fill(Grid const& grid, int d, int components = 1) {
    for_list.tag() = 0; // the rule is no longer there
    list.clear(exec, d, components, 4 * grid.size, rows::no_limit, for_list.device(), for_list.host());
    list.fill(exec, grid);
  }

  template <class P, class F, int D>
  auto integral(F const& f, Box<D> const& box, CubatureRule const& rule) {
    std::size_t used = 0;
    auto const table =
        tables.template view<typename P::sample_type, typename P::accumulate_type>(exec, rule, for_rule, used);
    return detail::RegionIntegral<P, F, D>{
        {f, detail::Interior<typename P::sample_type, D>(box), table, box.dimension(), NonFinite::error},
        &list.counters()->non_finite};
  }

  /// Evaluates the whole list, with this kind of workers per region.
  template <detail::Workers workers, class P, class F, int D>
  std::vector<Row> evaluate(detail::RegionIntegral<P, F, D> const& integral) {
    detail::EvaluateRegions<Space, P, F, D, workers>{
        integral, list.regions(), {list.size(), list.size(), list.size()}, 0, list.size()}
        .launch(exec);
    exec.fence("test::evaluate");
    return rows::read(exec, list);
  }

  /// Evaluates one function of two variables by the rule of degree 7, on a grid.
  template <class F>
  std::vector<Row> evaluate_7(F const& f, std::vector<int> const& levels, int driver = -1) {
    constexpr int components = detail::ValueTraits<detail::IntegrandValue<F, double, 2>>::components;
    fill(rows::grid(levels), 2, components);
    auto what = integral<Fp64>(f, Box<2>{}, CubatureRule(Rule::degree_7, 2));
    what.driver = driver;
    return evaluate<Workers::lane>(what);
  }

  /// Expects the same of teams, threads and lanes as of plain loops.
  template <int D>
  void expect_naive(Rule name, int d, std::vector<int> const& levels) {
    SCOPED_TRACE(to_string(name) + " in " + std::to_string(d) + " variables");
    CubatureRule const rule(name, d);
    std::vector<Side> sides;
    for (int k = 0; k < d; ++k)
      sides.push_back({k == 0 ? 0 : -0.5 - 0.1 * k, 1 + 0.2 * k});
    Box<D> const box{std::span<Side const>(sides), d};
    fill(rows::grid(levels), d);
    for (double const caution : {1.0, rule.norm()}) {
      auto what = integral<Fp64>(Wave{}, box, rule);
      what.caution = caution;
      expect_rows(evaluate<Workers::team>(what), rule, sides, caution);
      expect_rows(evaluate<Workers::thread>(what), rule, sides, caution);
      expect_rows(evaluate<Workers::lane>(what), rule, sides, caution);
    }
  }

  static void expect_rows(std::vector<Row> const& all, CubatureRule const& rule, std::vector<Side> const& box,
                          double caution) {
    double volume = 1;
    for (auto const& side : box)
      volume *= side.upper - side.lower;
    for (auto const& row : all) {
      auto const expected = naive([](auto const& x) { return on_host<dynamic>(Wave{}, x); }, rule, row, box, caution);
      double const rounding = 1e-13 * rule.norm() * row.volume() * volume;
      ASSERT_NEAR(row.values[0], expected.value, rounding);
      ASSERT_NEAR(row.errors[0], expected.error, rounding * (1 + caution) + 1e-9 * expected.error);
      auto const& size = expected.differences;
      auto const chosen = size[static_cast<std::size_t>(row.axis)];
      ASSERT_GE(chosen, (1 - 1e-5) * *std::max_element(size.begin(), size.end()) - 1e-13);
    }
  }
};
TYPED_TEST_SUITE(RegionIntegrals, spaces::All, spaces::Names);

TYPED_TEST(RegionIntegrals, OfOneAxisAreThoseOfPlainLoops) { // by teams, threads and lanes
  this->template expect_naive<1>(Rule::gauss_kronrod, 1, {4});
  this->template expect_naive<dynamic>(Rule::gauss_kronrod, 1, {3});
}

TYPED_TEST(RegionIntegrals, OfTwoAxesAreThoseOfPlainLoops) {
  this->template expect_naive<2>(Rule::degree_7, 2, {2, 2});
  this->template expect_naive<2>(Rule::degree_9, 2, {2, 1});
  this->template expect_naive<2>(Rule::degree_13, 2, {3, 2});
}

TYPED_TEST(RegionIntegrals, OfThreeAxesAreThoseOfPlainLoops) {
  this->template expect_naive<dynamic>(Rule::degree_7, 3, {2, 2, 1});
  this->template expect_naive<dynamic>(Rule::degree_11, 3, {1, 1, 2});
}

TYPED_TEST(RegionIntegrals, OfFiveAxesAreThoseOfPlainLoops) {
  this->template expect_naive<5>(Rule::degree_9, 5, {1, 1, 1, 1, 1});
  this->template expect_naive<5>(Rule::degree_7, 5, {2, 0, 0, 0, 1});
}

TYPED_TEST(RegionIntegrals, OfManyAxesAreThoseOfPlainLoops) {
  this->template expect_naive<dynamic>(Rule::degree_9, 8, {1, 1, 1, 0, 0, 0, 0, 1});
  this->template expect_naive<dynamic>(Rule::degree_9, 12, {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
}

/// A function that evaluates several points at once.
template <class Space>
struct SideBySide {
  using memory_space = typename Space::memory_space;
  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Wave()(x);
  }
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&values)[W]) const {
    for (int w = 0; w < W; ++w)
      values[w] = Wave()(x[w]);
  }
};

TYPED_TEST(RegionIntegrals, OfPointsSideBySideAreTheSame) {
  for (auto const& [name, d] : {std::pair{Rule::gauss_kronrod, 1}, {Rule::degree_13, 2}, {Rule::degree_9, 5}}) {
    CubatureRule const rule(name, d);
    std::vector<Side> const sides(static_cast<std::size_t>(d), {-0.5, 1.2});
    Box<> const box{std::span<Side const>(sides), d};
    std::vector<int> levels(static_cast<std::size_t>(d), 0);
    levels[0] = 2;
    this->fill(rows::grid(levels), d);
    auto const one = this->template integral<Fp64>(Wave{}, box, rule);
    auto const several = one.of(SideBySide<TypeParam>());
    static_assert(several.batched);
    auto const expect_same = [&](std::vector<Row> const& a, std::vector<Row> const& b) {
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>) {
          EXPECT_EQ(a[k], b[k]);
        }
        EXPECT_NEAR(a[k].values[0], b[k].values[0], 1e-13); // nvcc may fuse products with sums elsewhere
        EXPECT_NEAR(a[k].errors[0], b[k].errors[0], 1e-9 * b[k].errors[0]);
      }
    };
    expect_same(this->template evaluate<Workers::team>(several), this->template evaluate<Workers::team>(one));
    expect_same(this->template evaluate<Workers::thread>(several), this->template evaluate<Workers::thread>(one));
    expect_same(this->template evaluate<Workers::lane>(several), this->template evaluate<Workers::lane>(one));
  }
}

/// However many lanes share a rule's points, each pair belongs to one of them.
TEST(PairsOfLane, AreTogetherThoseOfTheRule) {
  for (auto const& [name, d] : {std::pair{Rule::gauss_kronrod, 1}, {Rule::degree_13, 2}, {Rule::degree_9, 5}})
    for (int const size : {1, 3, 32}) {
      Kokkos::DefaultHostExecutionSpace const exec;
      detail::Workspace<Kokkos::DefaultHostExecutionSpace> workspace(exec);
      detail::RuleTable<Kokkos::DefaultHostExecutionSpace> tables;
      CubatureRule const rule(name, d);
      std::size_t used = 0;
      auto const view = tables.view<double, double>(exec, rule, workspace, used);
      std::vector<std::set<std::vector<double>>> points(rule.orbits().size());
      for (int rank = 0; rank < size; ++rank)
        for (detail::PairsOfLane<double, double> pair(view, d, rank, size); !pair.done(); pair.next()) {
          Point<double, dynamic> centre{}, side{}, above{}, below{};
          for (int i = 0; i < d; ++i)
            side[i] = 1;
          pair.place(centre, side, above, below);
          for (auto const& x : {above, below}) {
            std::vector<double> at;
            for (int i = 0; i < d; ++i)
              at.push_back(x[i]);
            EXPECT_TRUE(points[static_cast<std::size_t>(pair.orbit())].insert(at).second || pair.orbit() == 0);
          }
        }
      for (std::size_t o = 0; o < points.size(); ++o)
        EXPECT_EQ(points[o].size(), static_cast<std::size_t>(rule.orbits()[o].points)) << "orbit " << o;
    }
}

TYPED_TEST(RegionIntegrals, ThoseTestsSeeBothKindsOfErrors) {
  CubatureRule const rule(Rule::degree_7, 2);
  this->fill(rows::grid({2, 2}), 2);
  int trusted = 0;
  for (auto const& row : this->template evaluate<Workers::lane>(this->template integral<Fp64>(Wave{}, Box<2>{}, rule)))
    trusted += naive([](auto const& x) { return on_host<2>(Wave{}, x); }, rule, row, {{}, {}}, 1).trusted ? 1 : 0;
  EXPECT_GE(trusted, 4);
  EXPECT_LE(trusted, 12); // the third column of four has the jump
}

/// Regions whose intervals on the first axes are as short as possible.
struct Deepest {
  detail::Regions regions;
  int axes;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    for (int k = 0; k < axes; ++k)
      regions.interval(k, i) = {std::uint64_t{1} << detail::Regions::deepest | 5};
  }
};

TYPED_TEST(RegionIntegrals, NoAxisIsChosenThatIsAsDeepAsItGoes) {
  for (int const axes : {1, 2}) {
    this->fill(rows::grid({1, 1}), 2);
    Kokkos::parallel_for("test::deepest", Kokkos::RangePolicy<TypeParam>(this->exec, 0, 4),
                         Deepest{this->list.regions(), axes});
    auto const what = this->template integral<Fp64>(Wave{}, Box<2>{}, CubatureRule(Rule::degree_7, 2));
    for (auto const& row : this->template evaluate<Workers::lane>(what))
      EXPECT_EQ(row.axis, axes == 1 ? 1 : detail::Regions::no_axis);
  }
}

TYPED_TEST(RegionIntegrals, OfSinglePrecisionAreNear) {
  CubatureRule const rule(Rule::degree_9, 5);
  this->fill(rows::grid({1, 1, 1, 1, 1}), 5);
  auto const exact = this->template evaluate<Workers::lane>(this->template integral<Fp64>(Wave{}, Box<5>{}, rule));
  for (auto const& single :
       {this->template evaluate<Workers::team>(this->template integral<Fp32>(Wave{}, Box<5>{}, rule)),
        this->template evaluate<Workers::lane>(this->template integral<Fp32>(Wave{}, Box<5>{}, rule)),
        this->template evaluate<Workers::thread>(this->template integral<Fp32>(Wave{}, Box<5>{}, rule))})
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(single[i].values[0], exact[i].values[0], 1e-5 / 32);
      EXPECT_GE(single[i].errors[0], 4 * 0x1p-23 * std::abs(single[i].values[0])); // no smaller than rounding
    }
}

TYPED_TEST(RegionIntegrals, APolynomialThatAllNullRulesKnowHasRoundingForAnError) {
  // Degree 1, because the fourth null rule vanishes no further. Four times the epsilon, of the value and the middle.
  for (auto const& row : this->evaluate_7(Powers{2, 3, 1, -1, 1}, {1, 2})) {
    double const value = row.volume() * (2 + 3 * row.interval(0).centre() - row.interval(1).centre());
    EXPECT_NEAR(row.values[0], value, 1e-15);
    EXPECT_NEAR(row.errors[0], 2 * 0x1p-52 * CubatureRule(Rule::degree_7, 2).rounding() * value, 1e-17);
  }
}

TYPED_TEST(RegionIntegrals, APolynomialWithinTheDegreeHasAnExactValueAndInSmallRegionsATinyError) {
  // The first two null rules vanish for degree 5; in small regions the third is far less than the fourth.
  for (auto const& row : this->evaluate_7(Powers{1, 1, 5, 2, 4}, {5, 5})) {
    auto const mean = [&](int axis, int n) {
      auto const interval = row.interval(axis);
      double const lower = interval.centre() - interval.length() / 2, upper = lower + interval.length();
      return (std::pow(upper, n + 1) - std::pow(lower, n + 1)) / (n + 1) / interval.length();
    };
    double const value = row.volume() * (1 + mean(0, 5) + 2 * mean(1, 4));
    EXPECT_NEAR(row.values[0], value, 1e-14 * value);
    EXPECT_LT(row.errors[0], 1e-14 * value);
  }
}

TYPED_TEST(RegionIntegrals, TheErrorOfARoughFunctionCoversItsTruth) {
  CubatureRule const rule(Rule::automatic, 2);
  this->fill(rows::grid({0, 0}), 2);
  auto const row = this->template evaluate<Workers::lane>(this->template integral<Fp64>(Wave{}, Box<2>{}, rule))[0];
  // Without the jump: the integral of cos(0.7 + 0.4 x + 0.7 y); the jump is 0.4 * 1/2.
  double const smooth = (std::cos(0.7) - std::cos(1.1) - std::cos(1.4) + std::cos(1.8)) / -0.28;
  EXPECT_NEAR(row.values[0], smooth + 0.2, row.errors[0]);
  EXPECT_GT(row.errors[0], 1e-4);
}

TYPED_TEST(RegionIntegrals, AFunctionOfOneVariableIsSplitAlongIt) {
  for (auto const& row : this->evaluate_7(Powers{1, 0, 0, 1, 4}, {1, 1}))
    EXPECT_EQ(row.axis, 1);
  for (auto const& row : this->evaluate_7(Powers{1, 1, 6, 0, 0}, {1, 1}))
    EXPECT_EQ(row.axis, 0);
  // Even if that is the shorter side by far.
  for (auto const& row : this->evaluate_7(Powers{0, 0, 0, 1, 4}, {0, 4}))
    EXPECT_EQ(row.axis, 1);
}

TYPED_TEST(RegionIntegrals, EqualDifferencesSplitTheLongestSideAndThenTheFirst) {
  for (auto const& f : {Powers{3, 0, 0, 0, 0}, Powers{0, 1, 4, 1, 4}})
    EXPECT_EQ(this->evaluate_7(f, {0, 0})[0].axis, 0);
  // Fourth differences of a constant, or of a square, are zero up to rounding.
  for (auto const& f : {Powers{3, 0, 0, 0, 0}, Powers{0.1, 0.3, 2, 0.7, 3}, Powers{0, 0, 0, 0, 0}}) {
    for (auto const& row : this->evaluate_7(f, {2, 2}))
      EXPECT_EQ(row.axis, 0);
    for (auto const& row : this->evaluate_7(f, {2, 1}))
      EXPECT_EQ(row.axis, 1);
    for (auto const& row : this->evaluate_7(f, {1, 2}))
      EXPECT_EQ(row.axis, 0);
  }
  // x^4 / 16 over 1 and y^4 over 1/2 have the same fourth difference; the longer side wins.
  EXPECT_EQ(this->evaluate_7(Powers{0, 1.0 / 16, 4, 1, 4}, {0, 1})[0].axis, 0);
  EXPECT_EQ(this->evaluate_7(Powers{0, 1, 4, 1.0 / 16, 4}, {1, 0})[0].axis, 1);
  // By hand: differences are proportional to the coefficients times the fourth power of the sides, here 1.1 / 16 and 1
  // / 16.
  EXPECT_EQ(this->evaluate_7(Powers{0, 1, 4, 1.1, 4}, {1, 1})[0].axis, 1);
  EXPECT_EQ(this->evaluate_7(Powers{0, 17, 4, 1, 4}, {1, 0})[0].axis, 0);
  EXPECT_EQ(this->evaluate_7(Powers{0, 15, 4, 1, 4}, {1, 0})[0].axis, 1);
}

TYPED_TEST(RegionIntegrals, TheDriverChoosesTheAxis) {
  auto const both = components_of(Powers{0, 1, 4, 0.1, 4}, Powers{0, 0.1, 4, 5, 4});
  EXPECT_EQ(this->evaluate_7(both, {0, 0}, 0)[0].axis, 0);
  EXPECT_EQ(this->evaluate_7(both, {0, 0}, 1)[0].axis, 1);
  EXPECT_EQ(this->evaluate_7(both, {0, 0}, -1)[0].axis, 1); // 1.1 against 5.1
}

TYPED_TEST(RegionIntegrals, ComponentsAreAsIfAlone) {
  Powers const f{1, 2, 7, 3, 6}, g{0, 1, 9, -1, 3};
  auto const both = this->evaluate_7(components_of(f, g), {1, 1});
  auto const first = this->evaluate_7(f, {1, 1}), second = this->evaluate_7(g, {1, 1});
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_DOUBLE_EQ(both[i].values[0], first[i].values[0]);
    EXPECT_DOUBLE_EQ(both[i].values[1], second[i].values[0]);
    EXPECT_NEAR(both[i].errors[0], first[i].errors[0], 1e-15);
    EXPECT_NEAR(both[i].errors[1], second[i].errors[0], 1e-15);
  }
}

TYPED_TEST(RegionIntegrals, ValuesThatAreNotFiniteAreCountedAndCountAsZeroOrSpread) {
  // The points with x_1 = 1/2 are the centre and three pairs on the other axis: 7 of the 25 points of degree 7.
  CubatureRule const rule(Rule::degree_7, 2);
  EXPECT_EQ(rule.points(), 25u - 4); // 1 + 6 * 2 + 4 + 4
  for (auto const policy : {NonFinite::discard, NonFinite::propagate}) {
    this->fill(rows::grid({0, 1}), 2);
    auto what = this->template integral<Fp64>(Hole{}, Box<2>{}, rule);
    what.policy = policy;
    auto const all = this->template evaluate<Workers::lane>(what);
    double weight = rule.orbits()[0].weight[0];
    for (std::size_t o = 1; o <= 3; ++o)
      weight += 2 * rule.orbits()[o].weight[0];
    for (auto const& row : all) {
      if (policy == NonFinite::discard) {
        EXPECT_NEAR(row.values[0], 0.5 * (1 - weight), 1e-14);
        EXPECT_GT(row.errors[0], 1e-3);
      } else {
        EXPECT_TRUE(std::isnan(row.values[0]));
        EXPECT_TRUE(std::isnan(row.errors[0]));
      }
    }
    EXPECT_EQ(this->list.summarise(this->exec, {.relative = 1e-3}, 0).counters.non_finite, 14u);
  }
}

/// On hosts, integrands of a fixed number of variables are evaluated at several pairs of points at once.
TYPED_TEST(RegionIntegrals, OfSeveralPairsAtOnceAreThoseOfOnePairAfterTheOther) {
  std::vector<Side> const sides(5, Side{0, 1});
  for (auto const name : {Rule::degree_7, Rule::degree_9}) {
    CubatureRule const rule(name, 5);
    auto const evaluate = [&](auto const& box) {
      this->fill(rows::grid({0, 0, 1, 0, 0}), 5, 2);
      auto what = this->template integral<Fp64>(Torn{}, box, rule);
      what.policy = NonFinite::discard;
      auto const all = this->template evaluate<Workers::lane>(what);
      auto const bad = this->list.summarise(this->exec, {.relative = 1e-3}, 0).counters.non_finite;
      return std::pair(all, bad);
    };
    auto const [fixed, bad] = evaluate(Box<5>{});
    auto const [any, as_bad] = evaluate(Box<dynamic>{std::span<Side const>(sides), 5});
    EXPECT_EQ(bad, as_bad);
    EXPECT_GT(bad, 2u * 8);
    ASSERT_EQ(fixed.size(), any.size());
    double const rounding = 64 * std::numeric_limits<double>::epsilon() * rule.norm();
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      EXPECT_EQ(fixed[i].axis, any[i].axis);
      for (std::size_t c = 0; c < 2; ++c) {
        EXPECT_NEAR(fixed[i].values[c], any[i].values[c], rounding);
        EXPECT_NEAR(fixed[i].errors[c], any[i].errors[c], rounding * rule.noise());
      }
    }
  }
}

TYPED_TEST(RegionIntegrals, InfiniteSidesAreMapped) {
  CubatureRule const rule(Rule::gauss_kronrod, 1);
  this->fill(rows::grid({3}), 1);
  double sum = 0;
  for (auto const& row :
       this->template evaluate<Workers::lane>(this->template integral<Fp64>(Decay{}, Box<1>{{0, infinity}}, rule))) {
    double const lower = row.interval(0).centre() - 1.0 / 16, upper = lower + 0.125;
    double const truth = std::exp(-lower / (1 - lower)) - (upper < 1 ? std::exp(-upper / (1 - upper)) : 0);
    EXPECT_NEAR(row.values[0], truth, std::max(row.errors[0], 1e-15));
    sum += row.values[0];
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TYPED_TEST(RegionIntegrals, OnlyNewRegionsAreEvaluated) {
  CubatureRule const rule(Rule::degree_7, 2);
  this->fill(rows::grid({2, 2}), 2);
  auto const what = this->template integral<Fp64>(Wave{}, Box<2>{}, rule);
  auto const before = this->template evaluate<Workers::lane>(what);
  this->list.bisect(this->exec, {}, 16, 3);
  auto const other = this->template integral<Fp64>(Powers{7, 0, 0, 0, 0}, Box<2>{}, rule);
  for (std::uint64_t const first : {0, 2, 4}) // in slices
    detail::evaluate_regions(this->exec, other, this->list.regions(), {3, 16, 6}, rule.points(), first, 2);
  this->exec.fence("test::evaluate");
  auto const after = rows::read(this->exec, this->list);
  ASSERT_EQ(after.size(), 19u);
  for (std::size_t i = 0; i < 19; ++i) {
    if (i < 3 || i >= 16) {
      EXPECT_NEAR(after[i].values[0], 7.0 / 32, 1e-15);
    } else {
      EXPECT_EQ(after[i], before[i]);
    }
  }
}

} // namespace
} // namespace region_integral_test
