#pragma once

#include "tree.hpp"

#include <kubature/expression.hpp>

#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

struct Function {
  std::string_view name;
  int arguments;
  Opcode opcode;
};

/// The functions of the table by name, and if().
std::span<Function const> functions();

struct Parsed {
  Tree tree;
  Tree::Id root;
  std::vector<std::string> variables;
};

/// Reads the text with Dijkstra's shunting-yard algorithm: no recursion, so nesting is limited by memory
/// alone. Throws as Expression::parse does.
Parsed parse(std::string_view text, std::vector<std::string> variables, std::source_location where);

} // namespace kubature::detail::expression
