#include "improve.hpp"
#include "lexer.hpp"
#include "limits.hpp"
#include "parser.hpp"
#include "source.hpp"

#include <kubature/expressions.hpp>

#include <algorithm>

namespace kubature {

Expressions Expressions::parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  detail::expression::check_length(text, where);
  auto parsed = detail::expression::parse(text, std::move(variables), true, where);
  detail::expression::Source const source(text, where);
  auto const improved = [&, dimension = static_cast<int>(parsed.variables.size())](auto root) {
    return detail::expression::improve(source, 0, parsed.tree.program(root), dimension);
  };
  detail::expression::Program program(improved(parsed.roots.front()), parsed.tree.tables());
  for (auto const root : parsed.roots)
    program.add_term(improved(root));
  return {text, std::move(parsed.variables), std::move(program)};
}

int Expressions::count(std::string_view text) {
  using detail::expression::is_letter;
  int count = 0;
  constexpr std::string_view space = " \t\n\v\f\r", let = "let";
  for (bool more = true; more;) {
    auto const end = detail::expression::find_outside_quotes(text, ";");
    auto statement = text.substr(0, end);
    statement.remove_prefix(std::min(statement.find_first_not_of(space), statement.size()));
    auto const name = statement.starts_with(let) ? statement.find_first_not_of(space, let.size()) : statement.npos;
    bool const defines = name != statement.npos && name > let.size() && is_letter(statement[name]);
    count += defines ? 0 : 1;
    more = end != text.npos;
    text.remove_prefix(more ? end + 1 : text.size());
  }
  return count;
}

} // namespace kubature
