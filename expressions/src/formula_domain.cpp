#include "domain_parts.hpp"
#include "lexer.hpp"
#include "limits.hpp"
#include "names.hpp"
#include "parser.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kubature {
namespace detail::expression {

std::string_view trimmed(std::string_view text) {
  auto const space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && space(text.back()))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_outside(std::string_view text, char separator) {
  std::vector<std::string> parts;
  int open = 0;
  std::size_t begin = 0, at = 0;
  std::string const any_of{separator, '(', ')'};
  while ((at = find_outside_quotes(text, any_of, at)) != text.npos) {
    if (text[at] == separator && open == 0) {
      parts.emplace_back(trimmed(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    ++at;
  }
  parts.emplace_back(trimmed(text.substr(begin)));
  return parts;
}

std::string product(std::vector<std::string> const& factors) {
  std::string text;
  for (auto const& factor : factors)
    text.append(text.empty() ? "" : "*").append(factor);
  return text.empty() ? "1" : factors.size() == 1 ? text : "(" + text + ")";
}

std::optional<double> constant_value(std::string_view text) {
  try {
    auto const parsed = parse(text, {"inf"}, false, std::source_location::current());
    auto const program = parsed.tree.program(parsed.roots.front());
    return run_on_host(program, {{infinity}});
  } catch (ExpressionError const&) {
    return {};
  }
}

namespace {

/// These names and as many that follow in their family (x, y, z, ... or x1, x2, ...) as make d; nothing if the names
/// are of no family, or more than d.
std::optional<std::vector<std::string>> extended(std::vector<std::string> const& names, int d) {
  auto const wanted = static_cast<std::size_t>(d);
  if (names.size() == wanted)
    return names;
  bool const lettered = !names.empty() && names[0] == "x" && d <= lettered_dimension;
  std::vector<std::string> all;
  for (int axis = 0; axis < d; ++axis)
    all.push_back(family_name(!lettered, axis));
  if (names.size() < wanted && std::equal(names.begin(), names.end(), all.begin()))
    return all;
  return {};
}

} // namespace

std::vector<std::string> names_for(std::vector<std::string> const& names, int d, std::string const& argument,
                                   std::string_view value, std::source_location where) {
  int const most = argument == "box" ? most_variables : max_dimension;
  require(d >= 1 && d <= most, argument, value,
          "it has " + std::to_string(d) + " variables; between 1 and " + std::to_string(most) + " are possible", where);
  auto const all = extended(names, d);
  require(all.has_value(), argument, value,
          "it has " + std::to_string(d) + (d == 1 ? " variable" : " variables") + ", the integrand " +
              std::to_string(names.size()) + ": " + listed(names),
          where);
  return *all;
}

} // namespace detail::expression

namespace {

using namespace detail::expression;

/// The sum over the pieces of the Jacobian times the formula.
std::string sum(std::vector<FormulaDomain::Piece> const& pieces, Tree const& tree, Tree::Id root,
                std::source_location where) {
  std::string text;
  for (auto const& piece : pieces) {
    text += text.empty() ? "" : "+";
    for (auto const& factor : piece.jacobian)
      text += factor + "*";
    text += printed(tree, root, piece.coordinates);
    check_length(text, where);
  }
  return text;
}

} // namespace

FormulaDomain::FormulaDomain(std::string_view text, Parts parts, std::source_location where)
    : text_(text), variables_(std::move(parts.variables)), new_variables_(std::move(parts.new_variables)),
      box_(parts.sides, static_cast<int>(parts.sides.size()), where), pieces_(std::move(parts.pieces)),
      is_box_(parts.is_box) {}

FormulaDomain FormulaDomain::parse(std::string_view text, std::vector<std::string> variables, std::string_view breaks,
                                   std::source_location where) {
  auto const plain = trimmed(text);
  if (!is_shape(plain))
    return {text, read_sides(plain, variables, breaks, where), where};
  require(trimmed(breaks).empty(), "breaks", breaks,
          "break points cut the sides of a box; the domain is " + std::string(plain), where);
  return {text, read_shape(plain, variables, where), where};
}

Expression FormulaDomain::on(Expression const& formula, std::source_location where) const {
  if (is_box_)
    return Expression::parse(formula.text(), variables_, where);
  auto const parsed = detail::expression::parse(formula.text(), variables_, false, where);
  return Expression::parse(sum(pieces_, parsed.tree, parsed.roots.front(), where), new_variables_, where);
}

Expressions FormulaDomain::on(Expressions const& formulas, std::source_location where) const {
  if (is_box_)
    return Expressions::parse(formulas.text(), variables_, where);
  auto const parsed = detail::expression::parse(formulas.text(), variables_, true, where);
  std::string text;
  for (auto const root : parsed.roots)
    text.append(text.empty() ? "" : ";").append(sum(pieces_, parsed.tree, root, where));
  return Expressions::parse(text, new_variables_, where);
}

Expressions FormulaDomain::map(int piece) const {
  require(piece >= 0 && piece < pieces(), "piece", piece, "there are " + std::to_string(pieces()));
  auto const& of = pieces_[static_cast<std::size_t>(piece)];
  std::string text;
  for (auto const& coordinate : of.coordinates)
    text += coordinate + ";";
  return Expressions::parse(text + product(of.jacobian), new_variables_);
}

std::vector<double> FormulaDomain::original(std::vector<double> const& v) const {
  std::vector<double> x;
  for (auto const& coordinate : pieces_.front().coordinates)
    x.push_back(Expression::parse(coordinate, new_variables_)(v));
  return x;
}

} // namespace kubature
