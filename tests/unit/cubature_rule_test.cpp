#include <kubature/cubature_rule.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace cubature_rule_test {
namespace {

using namespace kubature;
using Exponents = std::vector<int>;
using Weights = std::array<double, CubatureRule::rules>;

constexpr Rule all_rules[] = {Rule::gauss_kronrod, Rule::degree_7, Rule::degree_9, Rule::degree_11, Rule::degree_13};

bool serves(Rule rule, int d) {
  switch (rule) {
  case Rule::gauss_kronrod:
    return d == 1;
  case Rule::degree_11:
    return d == 3;
  case Rule::degree_13:
    return d == 2;
  default:
    return d >= 2;
  }
}

/// Every rule for every number of variables up to `most` that it serves.
template <class Visit>
void for_each_rule(int most, Visit const& visit) {
  for (Rule const name : all_rules)
    for (int d = 1; d <= most; ++d)
      if (serves(name, d)) {
        SCOPED_TRACE(to_string(name) + " in " + std::to_string(d) + " variables");
        visit(CubatureRule(name, d));
      }
}

double power(double x, int n) {
  double result = 1;
  for (; n > 0; --n)
    result *= x;
  return result;
}

/// A rule with its points listed once, on the cube [-1, 1]^d, where no monomial is larger than 1.
class Listed {
public:
  explicit Listed(CubatureRule const& rule) : d_(rule.dimension()) {
    for (auto const& orbit : rule.orbits()) {
      auto half = rule.half_orbit(orbit);
      if (orbit.generator.empty())
        half = {std::vector<double>(static_cast<std::size_t>(d_), 0)};
      orbits_.push_back({std::move(half), orbit.generator.empty(), orbit.weight});
    }
  }

  /// The values that the rule and the null rules give for a monomial.
  Weights operator()(Exponents const& exponents) const {
    Weights result{};
    for (auto const& orbit : orbits_) {
      double sum = 0;
      for (auto const& point : orbit.half)
        sum += monomial(point, exponents, 2) + (orbit.centre ? 0 : monomial(point, exponents, -2));
      for (std::size_t r = 0; r < result.size(); ++r)
        result[r] += orbit.weight[r] * sum;
    }
    return result;
  }

private:
  struct Orbit {
    std::vector<std::vector<double>> half;
    bool centre;
    Weights weight;
  };

  static double monomial(std::vector<double> const& point, Exponents const& exponents, double stretch) {
    double product = 1;
    for (std::size_t k = 0; k < point.size(); ++k)
      product *= power(stretch * point[k], exponents[k]);
    return product;
  }

  int d_;
  std::vector<Orbit> orbits_;
};

/// The mean of a monomial over [-1, 1]^d.
double mean(Exponents const& exponents) {
  double result = 1;
  for (int const n : exponents)
    result *= n % 2 == 1 ? 0 : 1.0 / (n + 1);
  return result;
}

int degree_of(Exponents const& exponents) {
  int sum = 0;
  for (int const n : exponents)
    sum += n;
  return sum;
}

/// Calls visit(exponents) for all monomials of d variables and this degree, or only for those whose exponents are even
/// and nonincreasing.
template <class Visit>
void for_each_monomial(int d, int degree, bool sorted_and_even, Visit const& visit, Exponents& begun) {
  auto const place = begun.size();
  if (static_cast<int>(place) + 1 == d) {
    if (sorted_and_even && (degree % 2 == 1 || (place > 0 && degree > begun.back())))
      return;
    begun.push_back(degree);
    visit(begun);
    begun.pop_back();
    return;
  }
  int const most = sorted_and_even && place > 0 ? std::min(degree, begun.back()) : degree;
  for (int n = most; n >= 0; n -= sorted_and_even && n % 2 == 0 ? 2 : 1) {
    if (sorted_and_even && n % 2 == 1)
      continue;
    begun.push_back(n);
    for_each_monomial(d, degree - n, sorted_and_even, visit, begun);
    begun.pop_back();
  }
}
template <class Visit>
void for_each_monomial(int d, int degree, bool sorted_and_even, Visit const& visit) {
  Exponents begun;
  for_each_monomial(d, degree, sorted_and_even, visit, begun);
}

/// Monomials that determine a symmetric rule's exactness up to a degree: for up to four variables, all; for more, those
/// of sorted even exponents, also rotated among the axes, and some with odd exponents.
std::vector<Exponents> monomials(int d, int degree) {
  std::vector<Exponents> result;
  auto const keep = [&](Exponents const& exponents) { result.push_back(exponents); };
  for (int n = 0; n <= degree; ++n) {
    if (d <= 4) {
      for_each_monomial(d, n, false, keep);
      continue;
    }
    for_each_monomial(d, n, true, [&](Exponents exponents) {
      for (int turn = 0; turn < 3; ++turn) {
        keep(exponents);
        std::rotate(exponents.begin(), exponents.begin() + d / 3 + 1, exponents.end());
      }
    });
    for (int sample = 0; sample < 4; ++sample) { // spread over the axes by multiples of primes
      Exponents odd(static_cast<std::size_t>(d), 0);
      for (int k = 0; k < n; ++k)
        ++odd[static_cast<std::size_t>((k * (2 * sample + 3) / 2 + 7 * sample) % d)];
      keep(odd);
    }
  }
  return result;
}

TEST(CubatureRule, IsExactForAllMonomialsUpToItsDegree) {
  for_each_rule(10, [](CubatureRule const& rule) {
    Listed const listed(rule);
    for (auto const& exponents : monomials(rule.dimension(), rule.degree()))
      ASSERT_NEAR(listed(exponents)[0], mean(exponents), 1e-13 * rule.norm()) << ::testing::PrintToString(exponents);
  });
}

TEST(CubatureRule, IsOfNoHigherDegree) {
  for_each_rule(10, [](CubatureRule const& rule) {
    Listed const listed(rule);
    double worst = 0;
    for_each_monomial(rule.dimension(), rule.degree() + 1, true, [&](Exponents const& exponents) {
      worst = std::max(worst, std::abs(listed(exponents)[0] - mean(exponents)));
    });
    EXPECT_GT(worst, 1e-9); // 3e-9 for the 15-point rule
  });
}

/// The highest degree whose monomials, and those of lower degrees, all vanish.
std::array<int, CubatureRule::null_rules> null_degrees(CubatureRule const& rule) {
  Listed const listed(rule);
  std::array<int, CubatureRule::null_rules> result;
  result.fill(rule.degree() + 1); // more than any has
  std::array<double, CubatureRule::null_rules> norm{};
  for (auto const& orbit : rule.orbits())
    for (std::size_t r = 0; r < norm.size(); ++r)
      norm[r] += static_cast<double>(orbit.points) * std::abs(orbit.weight[r + 1]);
  for (auto const& exponents : monomials(rule.dimension(), rule.degree())) {
    auto const sums = listed(exponents);
    for (std::size_t r = 0; r < result.size(); ++r)
      if (std::abs(sums[r + 1]) > 1e-13 * norm[r])
        result[r] = std::min(result[r], degree_of(exponents) - 1);
  }
  return result;
}

TEST(CubatureRule, NullRulesVanishUpToTheirDegreesAndNoFurther) {
  using Degrees = std::array<int, CubatureRule::null_rules>;
  for_each_rule(10, [](CubatureRule const& rule) {
    auto const expected = rule.name() == Rule::gauss_kronrod ? Degrees{13, 11, 9, 7}
                          : rule.name() == Rule::degree_7    ? Degrees{5, 5, 3, 1}
                          : rule.name() == Rule::degree_9    ? Degrees{7, 7, 5, 3}
                          : rule.name() == Rule::degree_11   ? Degrees{9, 9, 7, 5}
                                                             : Degrees{11, 11, 9, 7};
    EXPECT_EQ(null_degrees(rule), expected);
  });
}

TEST(CubatureRule, WeightsSumToOneAndThoseOfNullRulesToZero) {
  for_each_rule(max_dimension, [](CubatureRule const& rule) {
    Weights sum{}, size{};
    for (auto const& orbit : rule.orbits())
      for (std::size_t r = 0; r < sum.size(); ++r) {
        sum[r] += static_cast<double>(orbit.points) * orbit.weight[r];
        size[r] += static_cast<double>(orbit.points) * std::abs(orbit.weight[r]);
      }
    EXPECT_NEAR(sum[0], 1, 1e-14 * size[0]);
    for (std::size_t r = 1; r < sum.size(); ++r)
      EXPECT_NEAR(sum[r], 0, 1e-14 * size[r]) << r;
    EXPECT_DOUBLE_EQ(rule.norm(), size[0]);
  });
}

TEST(CubatureRule, NormIsOneWhereNoWeightIsNegativeAndGrowsElsewhere) {
  EXPECT_NEAR(CubatureRule(Rule::gauss_kronrod, 1).norm(), 1, 1e-14);
  EXPECT_NEAR(CubatureRule(Rule::degree_11, 3).norm(), 1, 1e-14);
  EXPECT_NEAR(CubatureRule(Rule::degree_13, 2).norm(), 1, 1e-14);
  EXPECT_NEAR(CubatureRule(Rule::degree_7, 2).norm(), 1.1704, 1e-4);
  EXPECT_NEAR(CubatureRule(Rule::degree_9, 8).norm(), 16.5, 0.05);
  for (Rule const name : {Rule::degree_7, Rule::degree_9})
    for (int d = 6; d < max_dimension; ++d)
      EXPECT_LT(CubatureRule(name, d).norm(), CubatureRule(name, d + 1).norm()) << d;
}

TEST(CubatureRule, HasAsManyPointsAsPublished) {
  for_each_rule(max_dimension, [](CubatureRule const& rule) {
    auto const d = static_cast<std::uint64_t>(rule.dimension());
    std::uint64_t const corners = std::uint64_t{1} << d;
    switch (rule.name()) {
    case Rule::gauss_kronrod:
      EXPECT_EQ(rule.points(), 15u);
      break;
    case Rule::degree_7:
      EXPECT_EQ(rule.points(), 1 + 6 * d + 2 * d * (d - 1) + corners);
      break;
    case Rule::degree_9:
      EXPECT_EQ(rule.points(), 1 + 8 * d + 6 * d * (d - 1) + 4 * d * (d - 1) * (d - 2) / 3 + corners);
      break;
    case Rule::degree_11:
      EXPECT_EQ(rule.points(), 127u);
      break;
    default:
      EXPECT_EQ(rule.points(), 65u);
    }
    std::uint64_t sum = 0;
    for (auto const& orbit : rule.orbits())
      sum += orbit.points;
    EXPECT_EQ(rule.points(), sum);
  });
}

TEST(CubatureRule, OrbitsAreTheCentreThenTheAxesThenTheOthers) {
  for_each_rule(10, [](CubatureRule const& rule) {
    auto const& orbits = rule.orbits();
    EXPECT_TRUE(orbits[0].generator.empty());
    EXPECT_EQ(orbits[0].points, 1u);
    // At least two on the axes, for the fourth differences.
    ASSERT_EQ(orbits[1].generator.size(), 1u);
    ASSERT_EQ(orbits[2].generator.size(), 1u);
    EXPECT_NE(orbits[1].generator[0], orbits[2].generator[0]);
    for (std::size_t o = 1; o < orbits.size(); ++o) {
      for (double const coordinate : orbits[o].generator) {
        EXPECT_GT(coordinate, 0);
        EXPECT_LT(coordinate, 0.5); // all points lie in the region
      }
      EXPECT_GE(orbits[o].generator.size(), o == 1 ? 1 : std::min<std::size_t>(orbits[o - 1].generator.size(), 2));
    }
    if (rule.name() == Rule::degree_7 || rule.name() == Rule::degree_9) {
      EXPECT_EQ(orbits.back().points, std::uint64_t{1} << rule.dimension());
    }
  });
}

TEST(CubatureRule, HalfAnOrbitAndItsMirrorImagesAreAllPoints) {
  for_each_rule(6, [](CubatureRule const& rule) {
    EXPECT_TRUE(rule.half_orbit(rule.orbits()[0]).empty());
    for (std::size_t o = 1; o < rule.orbits().size(); ++o) {
      auto const& orbit = rule.orbits()[o];
      auto sorted = orbit.generator;
      sorted.resize(static_cast<std::size_t>(rule.dimension()), 0);
      std::sort(sorted.begin(), sorted.end());
      std::set<std::vector<double>> points;
      for (auto point : rule.half_orbit(orbit)) {
        points.insert(point);
        for (double& coordinate : point)
          coordinate = 0 - coordinate; // no negative zeros
        points.insert(point);
      }
      EXPECT_EQ(points.size(), orbit.points) << o; // all of them differ
      for (auto point : points) {
        for (double& coordinate : point)
          coordinate = std::abs(coordinate);
        std::sort(point.begin(), point.end());
        EXPECT_EQ(point, sorted) << o; // and are permutations with changes of sign
      }
    }
  });
}

TEST(CubatureRule, PointsOnTheAxesComeAxisByAxis) {
  CubatureRule const rule(Rule::degree_9, 4);
  for (std::size_t o = 1; o <= 4; ++o) {
    auto const half = rule.half_orbit(rule.orbits()[o]);
    ASSERT_EQ(half.size(), 4u);
    for (std::size_t axis = 0; axis < 4; ++axis)
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(half[axis][k], k == axis ? rule.orbits()[o].generator[0] : 0);
  }
}

TEST(CubatureRule, PairsOfNullRulesAreScaledToCancelAnOrbitAndToSumToOne) {
  for_each_rule(10, [](CubatureRule const& rule) {
    for (auto const& s : rule.orbits())
      for (std::size_t r = 0; r + 1 < CubatureRule::null_rules; ++r) {
        auto const pair = [&](CubatureRule::Orbit const& orbit) {
          return (orbit.weight[r + 2] + s.scale[r] * orbit.weight[r + 1]) * s.norm[r];
        };
        double size = 0;
        for (auto const& orbit : rule.orbits())
          size += static_cast<double>(orbit.points) * std::abs(pair(orbit));
        EXPECT_NEAR(size, 1, 1e-13);
        if (s.weight[r + 1] != 0) {
          EXPECT_NEAR(pair(s), 0, 1e-15);
        } else {
          EXPECT_EQ(s.scale[r], 100); // as published
        }
      }
  });
}

TEST(CubatureRule, TheNumberOfVariablesChoosesTheRule) {
  EXPECT_EQ(CubatureRule(Rule::automatic, 1).name(), Rule::gauss_kronrod);
  EXPECT_EQ(CubatureRule(Rule::automatic, 2).name(), Rule::degree_13);
  EXPECT_EQ(CubatureRule(Rule::automatic, 3).name(), Rule::degree_11);
  for (int d = 4; d <= max_dimension; ++d)
    EXPECT_EQ(CubatureRule(Rule::automatic, d).name(), Rule::degree_9);
}

TEST(CubatureRule, SaysItsDegreeAndDimension) {
  int const degrees[] = {23, 7, 9, 11, 13};
  for (std::size_t k = 0; k < std::size(all_rules); ++k)
    for (int d = 1; d <= 4; ++d)
      if (serves(all_rules[k], d)) {
        CubatureRule const rule(all_rules[k], d);
        EXPECT_EQ(rule.name(), all_rules[k]);
        EXPECT_EQ(rule.degree(), degrees[k]);
        EXPECT_EQ(rule.dimension(), d);
      }
}

/// What is refused; "" if nothing is.
std::string refused(Rule rule, int d, std::string* text = nullptr) {
  try {
    CubatureRule const made(rule, d);
    return "";
  } catch (InvalidArgument const& e) {
    if (text != nullptr)
      *text = e.what();
    return e.argument();
  }
}

TEST(CubatureRule, RefusesDimensionsThatItDoesNotServe) {
  for (Rule const name : all_rules)
    for (int d = 1; d <= max_dimension; ++d)
      EXPECT_EQ(refused(name, d), serves(name, d) ? "" : "rule") << to_string(name) << ' ' << d;
  for (Rule const name : {Rule::automatic, Rule::degree_7, Rule::degree_13})
    for (int d : {-1, 0, max_dimension + 1})
      EXPECT_EQ(refused(name, d), "dimension") << to_string(name) << ' ' << d;
  std::string text;
  refused(Rule::degree_7, 1, &text);
  EXPECT_EQ(text, "rule = degree_7: does not support 1 variable");
  refused(Rule::degree_13, 3, &text);
  EXPECT_EQ(text, "rule = degree_13: does not support 3 variables");
}

TEST(CubatureRule, RefusalsNameTheCallersLine) {
  try {
    CubatureRule const made(Rule::degree_13, 3);
    FAIL();
  } catch (InvalidArgument const& e) {
    EXPECT_NE(std::string(e.where().file_name()).find("cubature_rule_test"), std::string::npos);
  }
}

TEST(CubatureRule, NamesAreThoseOfTheEnumerators) {
  EXPECT_EQ(to_string(Rule::automatic), "automatic");
  EXPECT_EQ(to_string(Rule::gauss_kronrod), "gauss_kronrod");
  EXPECT_EQ(to_string(Rule::degree_7), "degree_7");
  EXPECT_EQ(to_string(Rule::degree_9), "degree_9");
  EXPECT_EQ(to_string(Rule::degree_11), "degree_11");
  EXPECT_EQ(to_string(Rule::degree_13), "degree_13");
}

} // namespace
} // namespace cubature_rule_test
