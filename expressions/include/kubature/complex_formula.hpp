#pragma once

#include <kubature/formula_parameters.hpp>

namespace kubature {

/// The real and the imaginary part of a complex formula in real variables, as two real formulas in which names stand
/// for what they have in common; of several formulas, the parts of one after the other.
///
/// The formula has what Expression::parse takes, and besides the imaginary unit i and re, im, conj and arg. + - * /
/// ^, if, abs, exp, exp2, expm1, log, log2, log10, log1p, sqrt, rsqrt, sin, cos, tan, sinh, cosh, tanh and the
/// inverses of these six take complex numbers. Values are principal ones, with the argument in (-pi, pi]: sqrt(-4) is
/// 2*i; but asin, acos, acosh and atanh of real numbers are real, or NaN. All other functions and comparisons take
/// real numbers, and are real.
/// @param variables  the names in axis order; none: as Expression::parse finds them
/// @param parameters names that stand for real numbers
/// Throws as with_parameters() does, and ExpressionError where a complex number stands in place of a real one.
Expressions complex_parts(std::string_view text, std::vector<std::string> variables = {},
                          std::vector<FormulaParameter> const& parameters = {},
                          std::source_location where = std::source_location::current());

} // namespace kubature
