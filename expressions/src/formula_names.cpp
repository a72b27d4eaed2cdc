#include "formula_names.hpp"

#include "lexer.hpp"
#include "limits.hpp"
#include "parser.hpp"
#include "printed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kubature::detail::expression {
namespace {

/// The variables that the text uses, by the family of their names, but for others.
std::vector<std::string> found_names(Source const& source, std::vector<std::string> const& others,
                                     std::source_location where) {
  Variables variables(source, {}, where);
  Lexer tokens(source);
  for (auto token = tokens.next(); token.kind != Token::Kind::end; token = tokens.next())
    if (token.kind == Token::Kind::name && std::ranges::find(others, token.text) == others.end() &&
        variables.has(token))
      variables.axis(token);
  if (variables.names().empty())
    source.fail(0, "no variable, so no dimension: name the variables");
  return variables.names();
}

} // namespace

FormulaNames::FormulaNames(std::string_view text, std::vector<std::string> named, std::string_view unit,
                           std::vector<FormulaParameter> const& parameters, std::source_location where) {
  check_length(text, where);
  std::vector<std::string> others;
  if (!unit.empty())
    others.emplace_back(unit);
  for (auto const& [name, value] : parameters) {
    require(std::isfinite(value), "parameter " + name, value, "the value of a parameter is a finite number", where);
    require(is_identifier(name), "parameter", in_quotes(name),
            "a name consists of letters, digits and '_', and must not begin with a digit", where);
    auto const* const function = find_function(name);
    require(!function || function->special, "parameter", name, "a function has this name", where);
    require(name != unit, "parameter", name, "this is the imaginary unit", where);
    require(name != "pi" && name != "e", "parameter", name, "this is a constant", where);
    require(std::ranges::count(parameters, name, &FormulaParameter::name) == 1, "parameter", name,
            "this name is given twice", where);
    require(std::ranges::find(named, name) == named.end(), "parameter", name, "a variable has this name", where);
    others.push_back(name);
  }
  require(unit.empty() || std::ranges::find(named, unit) == named.end(), "variable", unit,
          "this is the imaginary unit of complex formulas", where);
  Source const source(text, where);
  variables = named.empty() ? found_names(source, others, where) : std::move(named);
  all = texts = variables;
  all.insert(all.end(), others.begin(), others.end());
  if (!unit.empty())
    texts.emplace_back("0");
  for (auto const& parameter : parameters)
    texts.push_back(printed(parameter.value));
}

Expressions FormulaNames::formulas(Graph const& graph, std::span<Graph::Id const> roots, Source const& rewritten,
                                   std::source_location where) const {
  try {
    return Expressions::parse(graph.text(roots, texts), variables, where);
  } catch (InvalidArgument const& error) {
    auto const& problem = error.problem(); // the column is one of the new text
    auto const sentence = problem.find(": ");
    rewritten.fail(0, "the formulas that this becomes: " +
                          (sentence == problem.npos ? problem : problem.substr(sentence + 2)));
  }
}

} // namespace kubature::detail::expression

namespace kubature {

Expressions with_parameters(std::string_view text, std::vector<std::string> variables,
                            std::vector<FormulaParameter> const& parameters, std::source_location where) {
  using namespace detail::expression;
  FormulaNames const names(text, std::move(variables), "", parameters, where);
  parse(text, names.all, true, where); // says what is wrong in terms of this text
  Source const source(text, where);
  Lexer tokens(source);
  std::string all;
  std::size_t end = 0;
  for (auto token = tokens.next(); token.kind != Token::Kind::end; token = tokens.next()) {
    auto const found = std::ranges::find(parameters, token.text, &FormulaParameter::name);
    if (token.kind != Token::Kind::name || found == parameters.end())
      continue;
    all.append(text.substr(end, token.offset - end)).append(printed(found->value));
    end = token.offset + token.text.size();
  }
  return Expressions::parse(all.append(text.substr(end)), names.variables, where);
}

} // namespace kubature
