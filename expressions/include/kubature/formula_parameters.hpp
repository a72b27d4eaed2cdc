#pragma once

#include <kubature/expressions.hpp>

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace kubature {

/// A parameter of formulas: a name that stands for a number.
struct FormulaParameter {
  std::string name; ///< as formulas write it
  double value;     ///< finite
};

/// The formulas, separated by semicolons, with numbers in place of parameters.
/// @param variables the names in axis order; none: as Expression::parse finds them, parameters left out
/// Throws as Expressions::parse does, and InvalidArgument for a parameter that is not finite, or has the name of a
/// variable or of another parameter.
Expressions with_parameters(std::string_view text, std::vector<std::string> variables,
                            std::vector<FormulaParameter> const& parameters,
                            std::source_location where = std::source_location::current());

} // namespace kubature
