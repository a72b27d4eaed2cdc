#pragma once

#include <kubature/box.hpp>
#include <kubature/expression.hpp>
#include <kubature/expressions.hpp>

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace kubature {

/// A domain that is known at run time, such as "x=0:1, y=0:x" or "ball 0,0,0 1": formulas that map a box of new
/// variables to it, and the Jacobian determinant of this map.
///
///     auto const triangle = kubature::FormulaDomain::parse("x=0:1, y=0:x");
///     auto const f = triangle.on(kubature::Expression::parse("exp(x*y)", {"x", "y"}));
///     kubature::integrate(kubature::Pagani{}, f, triangle.box(), {.relative = 1e-8}); // exp(x*y) over 0 < y < x < 1
///
/// Named sides. A bound is a constant, inf, or a formula of variables that were declared before. Where a formula is
/// below the lower bound, the integral has the opposite sign there. Sides without names are those of Box.
///
/// Named sides may have a distribution, such as "x~normal(0, 1), y~normal(x, 2)". The variable is then the quantile of
/// a new one between 0 and 1, so that the integral is an expectation. Parameters are constants or formulas of variables
/// that were declared before:
///   uniform(LOWER, UPPER), normal(MEAN, DEVIATION), lognormal(MEAN, DEVIATION) of the logarithm,
///   exponential(RATE), gamma(SHAPE, SCALE), beta(A, B), student_t(NU) and student_t(NU, LOCATION, SCALE)
///
/// Shapes, whose coordinates are separated by commas and may be constant expressions:
///   ball CENTRE RADIUS                the points within RADIUS of CENTRE, in 1 to 20 variables
///   shell CENTRE INNER OUTER          those between two radii
///   sphere CENTRE RADIUS              the surface of a ball, in 2 to 20 variables
///   ellipsoid CENTRE SEMIAXES         along the coordinate axes
///   cylinder CENTRE RADIUS SIDE,...   a ball of the first variables times a box of the others
///   simplex [N]                       x > 0 with a sum below 1, in N variables
///   simplex VERTEX; VERTEX; ...       N + 1 of them in N variables
///   normal MEAN; ROW; ROW; ...        the normal distribution with this mean and the rows of this covariance
///   ordered LOWER:UPPER [N]           LOWER < x1 < x2 < ... < UPPER, one of which may be infinite
/// Without [N], there are as many variables as names.
class FormulaDomain {
public:
  /// Throws InvalidArgument, which names "domain", "box" or "breaks", for what does not describe a domain, or for a
  /// domain of more than 20 variables that is not a box.
  ///
  /// @param text      named sides, sides without names, or a shape
  /// @param variables of a formula, for sides without names and for shapes; if they are x, y, z, ... or x1, x2, ...,
  /// the
  ///                  domain may have more. None: x1, x2, ...
  /// @param breaks    points at which sides are cut, "x=0.3,0.7, y=1"; the integral is the sum over the parts of the
  /// box
  static FormulaDomain parse(std::string_view text, std::vector<std::string> variables = {},
                             std::string_view breaks = {},
                             std::source_location where = std::source_location::current());

  std::string const& text() const { return text_; } ///< the text that was parsed
  /// The variables of the domain, in the order in which integrands get them.
  std::vector<std::string> const& variables() const { return variables_; }
  int dimension() const { return static_cast<int>(variables_.size()); } ///< the number of variables
  /// The sides of the new variables. Throws InvalidArgument if there are more than 20: see sides().
  Box<> box(std::source_location where = std::source_location::current()) const { return Box<>(box_, where); }
  Box<dynamic_many> const& sides() const { return box_; } ///< the same, however many there are
  /// How many parts the box is cut into: evaluations of an integrand per evaluation of that in the new variables.
  int pieces() const { return static_cast<int>(pieces_.size()); }
  /// Whether the domain is box() itself, so that nothing is substituted.
  bool is_box() const { return is_box_; }

  /// The integrand in the new variables: the sum over the pieces of the Jacobian times the formula, which is read anew
  /// with the domain's variables. Throws ExpressionError if it has others.
  Expression on(Expression const& formula, std::source_location where = std::source_location::current()) const;
  /// The same for several formulas.
  Expressions on(Expressions const& formulas, std::source_location where = std::source_location::current()) const;

  /// The coordinates of a piece's points and, after them, the Jacobian, as formulas of the new variables.
  Expressions map(int piece) const;
  /// The point of the domain, in its first piece, where the new variables have these values.
  std::vector<double> original(std::vector<double> const& v) const;

  /// A piece of the domain in the new variables.
  struct Piece {
    std::vector<std::string> coordinates; ///< [axis] in parentheses, unless a name or a number
    std::vector<std::string> jacobian;    ///< its factors
  };
  /// What a description says.
  struct Parts {
    std::vector<std::string> variables{};     ///< of the domain
    std::vector<std::string> new_variables{}; ///< of the box
    std::vector<Side> sides{};                ///< of the box
    std::vector<Piece> pieces{};              ///< of the domain
    bool is_box = false;                      ///< whether the domain is that box
  };

private:
  FormulaDomain(std::string_view text, Parts parts, std::source_location where);

  std::string text_;
  std::vector<std::string> variables_, new_variables_;
  Box<dynamic_many> box_;
  std::vector<Piece> pieces_;
  bool is_box_;
};

} // namespace kubature
