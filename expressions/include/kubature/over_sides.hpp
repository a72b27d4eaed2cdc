#pragma once

#include <kubature/expression.hpp>
#include <kubature/expressions.hpp>

#include <source_location>
#include <string>
#include <vector>

/// \file
/// Formulas over boxes with more sides than they have variables.

namespace kubature {

/// Names for as many variables as there are sides, of which a formula without names for its variables uses the first:
/// x, y, z, w, v, u, t, s where it uses these and they suffice, otherwise x1, x2, ....
/// @param used  the variables that the formula uses, as Expression::variables() has them
/// @param sides at least as many as there are of these
std::vector<std::string> unnamed_variables(std::vector<std::string> const& used, int sides);

/// A formula that was parsed without names for its variables, as one over a box with so many sides.
Expression over_sides(Expression const& formula, int sides,
                      std::source_location where = std::source_location::current());
/// The same for several formulas.
Expressions over_sides(Expressions const& formulas, int sides,
                       std::source_location where = std::source_location::current());

} // namespace kubature
