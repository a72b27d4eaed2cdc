#include "limits.hpp"
#include "parser.hpp"

#include <kubature/expressions.hpp>

namespace kubature {

Expressions Expressions::parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  detail::expression::check_length(text, where);
  auto parsed = detail::expression::parse(text, std::move(variables), true, where);
  detail::expression::Program program(parsed.tree.program(parsed.roots.front()));
  for (auto const root : parsed.roots)
    program.add_term(detail::expression::Program(parsed.tree.program(root)));
  return {text, std::move(parsed.variables), std::move(program)};
}

} // namespace kubature
