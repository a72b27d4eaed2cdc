#include "expression_and_domain.hpp"

#include "arguments.hpp"

#include <kubature/complex_formula.hpp>
#include <kubature/derivatives.hpp>
#include <kubature/unnamed_variables.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace kubature::app {
namespace {

/// The expression in these variables, or in those that it uses, with what options make of it.
template <class AnyExpression>
AnyExpression parsed(Options const& options, std::vector<std::string> const& names) {
  if (!options.complex && options.parameters.empty())
    return AnyExpression::parse(options.expression, names);
  auto const& text = options.expression;
  auto const made = options.complex       ? complex_parts(text, names, options.parameters)
                    : options.derivatives ? with_derivatives(text, names, options.parameters)
                                          : with_parameters(text, names, options.parameters);
  if constexpr (std::is_same_v<AnyExpression, Expressions>)
    return made;
  else
    return Expression::parse(made.text(), made.variables());
}

/// The expression, or several expressions, in the variables that are named or, without names, in as many as are used or
/// the box has sides.
template <class AnyExpression>
AnyExpression expression_for(Options const& options) {
  auto const sides = options.sides.size();
  bool const may_have_more = options.variables.empty() && options.typed.contains("--box") && sides <= most_variables;
  try {
    auto const used = parsed<AnyExpression>(options, options.variables);
    if (!may_have_more || sides <= used.variables().size())
      return used;
    return parsed<AnyExpression>(options, unnamed_variables(used.variables(), static_cast<int>(sides)));
  } catch (ExpressionError const& why) {
    if (!may_have_more)
      throw;
    try {
      return parsed<AnyExpression>(options, unnamed_variables({}, static_cast<int>(sides)));
    } catch (ExpressionError const&) { // the error lies elsewhere
      throw why;
    }
  }
}

/// The message if the numbers of the box's sides and of the expression's variables differ.
std::string other_sides(std::size_t sides, std::size_t variables) {
  auto const text = std::to_string(sides) + " sides for " + std::to_string(variables) +
                    (variables == 1 ? " variable" : " variables") + "; give one side, or one for each variable";
  return sides < variables ? text : text + ", also for those that the expression does not use (--vars)";
}

} // namespace

template <class AnyExpression>
std::pair<AnyExpression, std::optional<FormulaDomain>> expression_and_domain(Options const& options) {
  auto const typed = [&](char const* name) {
    auto const found = options.typed.find(name);
    return found == options.typed.end() ? std::string() : found->second;
  };
  if (!typed("--domain").empty() && !typed("--box").empty())
    throw BadInput("--domain", typed("--domain"), "there is a --box, too; give one of them");
  if (options.domain.empty() && options.breaks.empty())
    return {expression_for<AnyExpression>(options), {}};
  bool const named = !options.domain.empty() && options.domain == typed("--box") && names_sides(options.domain);
  if (named && !options.variables.empty())
    throw BadInput("--vars", typed("--vars"), "the sides of the box name the variables");
  std::string const sides = typed("--box").empty() ? "0:1" : typed("--box");
  auto const domain = [&](std::vector<std::string> const& names) {
    return FormulaDomain::parse(options.domain.empty() ? sides : options.domain, names, options.breaks);
  };
  std::optional<ExpressionError> why;
  std::vector<std::string> names;
  if (!named)
    try {
      names = expression_for<AnyExpression>(options).variables();
    } catch (ExpressionError const& error) { // perhaps only for lack of variables, which the domain has
      if (!options.variables.empty() || options.domain.empty())
        throw;
      why = error;
    }
  auto const made = domain(names);
  try {
    return {parsed<AnyExpression>(options, made.variables()), made};
  } catch (ExpressionError const& error) {
    throw why ? *why : error;
  }
}

template std::pair<Expression, std::optional<FormulaDomain>> expression_and_domain(Options const&);
template std::pair<Expressions, std::optional<FormulaDomain>> expression_and_domain(Options const&);

Box<dynamic_many> box_for(Options const& options, int variables) {
  auto const sides = options.sides.size(), wanted = static_cast<std::size_t>(variables);
  if (sides != 1 && sides != wanted)
    throw BadInput("--box", options.typed.at("--box"), other_sides(sides, wanted));
  return Box<dynamic_many>(options.sides, variables);
}

} // namespace kubature::app
