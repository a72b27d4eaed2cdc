#pragma once

#include <array>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

namespace kubature {

/// The rule by which a cubature method evaluates regions.
enum class Rule {
  automatic,     ///< the rule of the highest degree for the number of variables
  gauss_kronrod, ///< 15 points, d = 1
  degree_7,      ///< d >= 2; the fewest points
  degree_9,      ///< d >= 2
  degree_11,     ///< d = 3, 127 points
  degree_13      ///< d = 2, 65 points
};

/// The name of the enumerator, such as "degree_9".
std::string to_string(Rule rule);

/// A fully symmetric rule for integrals over d-dimensional boxes, with an error estimate from four null rules.
///
/// The rules of degree 7 to 13 are those of Berntsen, Espelid and Genz, "An adaptive algorithm for the approximate
/// calculation of multiple integrals", ACM TOMS 17 (1991) 437, with the numbers of their DCUHRE (Algorithm 698). For
/// d = 1 it is the 15-point Kronrod rule of QUADPACK, with null rules orthogonal to each other.
class CubatureRule {
public:
  /// The rule itself, and its null rules from the highest degree down.
  static constexpr int rules = 5;
  static constexpr int null_rules = 4; ///< null rules in the error estimate

  /// All points that arise from one by permutations and changes of sign, and their weights.
  struct Orbit {
    /// The nonzero coordinates, as offsets from the centre in units of the side, 0 to 1/2.
    std::vector<double> generator;
    /// Weights of one point: in the rule, where they sum to 1, and in the null rules.
    std::array<double, rules> weight;
    /// Number of points.
    std::uint64_t points;
    std::array<double, null_rules - 1> scale; ///< of this orbit in the error estimate: see error_coefficients()
    std::array<double, null_rules - 1> norm;  ///< likewise
  };

  /// Throws InvalidArgument if the rule does not support d variables.
  CubatureRule(Rule rule, int dimension, std::source_location where = std::source_location::current());

  /// The rule in use, never Rule::automatic.
  Rule name() const { return name_; }
  int dimension() const { return dimension_; } ///< the number of variables
  /// Polynomials of this degree and below are integrated exactly.
  int degree() const { return degree_; }
  /// Evaluations of the integrand per region.
  std::uint64_t points() const { return points_; }

  /// The orbits in order: the centre; those on the axes, of which the first two also give the fourth differences that
  /// choose the axis to split; all others; and last the corners, if the rule has them.
  std::vector<Orbit> const& orbits() const { return orbits_; }

  /// The coefficients {trust, shrink, stretch} of the error estimate for a region of unit volume from the values N_1
  /// ... N_4 of its null rules: with E_r = max over orbits s of |N_{r+1} + scale_{s,r} N_r| norm_{s,r}, the estimate is
  /// shrink E_1 if trust E_1 <= E_2 and trust E_2 <= E_3, and stretch max(E_1, E_2, E_3) otherwise (loc. cit., section
  /// 4).
  std::array<double, 3> const& error_coefficients() const { return error_coefficients_; }

  /// The sum of the absolute weights: 1 where all are positive, 16.5 for degree 9 and d = 8. The null rules are
  /// normalised to 1, so the rule's error can exceed theirs by this factor.
  double norm() const;

  /// The factor that replaces stretch where a region's error is the geometric mean of E_1 and the largest of E_1 to
  /// E_3: the larger of stretch (in two variables 7.5) and three times the root of norm()
  /// (docs/design/cubature-errors.md).
  double stretch_of_mean() const;

  /// The factor by which the rule may amplify rounding errors of the integrand's values: 4 norm() for rules of few
  /// points, more for long sums.
  double rounding() const;

  /// The factor by which the error estimate may amplify rounding errors, since it combines nearly identical null rules:
  /// 9 to 50, and 232 for degree 13.
  double noise() const;

  /// The points of an orbit on one side of the centre (the others are their mirror images): d coordinates each, as
  /// offsets from the centre in units of the side. Points on the axes are ordered by axis.
  std::vector<std::vector<double>> half_orbit(Orbit const& orbit) const;

private:
  Rule name_;
  int dimension_;
  int degree_;
  std::uint64_t points_ = 0;
  std::vector<Orbit> orbits_;
  std::array<double, 3> error_coefficients_;
};

} // namespace kubature
