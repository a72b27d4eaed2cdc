#pragma once

#include <kubature/box.hpp>
#include <kubature/expression.hpp>

#include <optional>
#include <vector>

namespace kubature {

/// The same integral in other variables.
struct Substitution {
  /// A sum over pieces of the box: of each side from one pole to the next, or from a pole to the middle.
  Expression integrand;
  Box<> box;  ///< of the new variables: 0 to 1 where a side was substituted
  int pieces; ///< evaluations of the formula per evaluation of `integrand`

  /// The point of the formula's own box, in the first piece, where the new variables have these values.
  std::vector<double> original(std::vector<double> const& v) const;

  /// x = from + slope v^power along each axis, in the first piece.
  struct Line {
    double from;  ///< the pole, or an end of the side
    double slope; ///< the signed length of the piece
    int power;    ///< 1 where nothing was substituted
  };
  std::vector<Line> lines; ///< [axis]
};

/// Removes poles of a formula across single variables by a change of variables: where |f| ~ |x - u|^-a, x = u + w v^m
/// with an integer m of about 2 / (1 - a), so that f dx/dv has no pole. Terms such as 1-x and x-0.3 are rewritten in
/// terms of the distance w v^m from their zero, which has full relative precision even where x is rounded to 1 or 0.3
/// (docs/expressions.md).
/// @returns nothing if there is no such pole on a finite side, or if |f| grows too fast to be integrable
std::optional<Substitution> without_poles(Expression const& formula, Box<> const& box);

} // namespace kubature
