#include "improve.hpp"
#include "limits.hpp"
#include "parser.hpp"

#include <kubature/expressions.hpp>

namespace kubature {

Expressions Expressions::parse(std::string_view text, std::vector<std::string> variables, std::source_location where) {
  detail::expression::check_length(text, where);
  auto parsed = detail::expression::parse(text, std::move(variables), true, where);
  auto const improved = [&, dimension = static_cast<int>(parsed.variables.size())](auto root) {
    return detail::expression::improve(parsed.tree.program(root), dimension);
  };
  detail::expression::Program program(improved(parsed.roots.front()));
  for (auto const root : parsed.roots)
    program.add_term(improved(root));
  return {text, std::move(parsed.variables), std::move(program)};
}

} // namespace kubature
