#pragma once

#include <kubature/formula_parameters.hpp>

namespace kubature {

/// Formulas, and their derivatives with respect to parameters in closed form: of f in the parameters a and b, the
/// formulas f, df/da and df/db, in which names stand for what they have in common. Of several formulas, each is
/// followed by its derivatives. Integrated together, on the same points, they give the integral and its gradient with a
/// covariance.
///
/// abs, min, max and if have the derivatives of their branches. The derivative of an integral lacks what a jump
/// contributes that moves with a parameter: conditions that depend on a parameter are refused, and so are functions of
/// a parameter that jump (floor, sign, ...) or whose derivative is no formula (table, digamma, ...). Throws
/// ExpressionError for these, and otherwise as with_parameters() does.
Expressions with_derivatives(std::string_view text, std::vector<std::string> variables,
                             std::vector<FormulaParameter> const& parameters,
                             std::source_location where = std::source_location::current());

} // namespace kubature
