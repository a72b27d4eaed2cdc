#pragma once

#include "tree.hpp"

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

struct Parsed {
  Tree tree;
  std::vector<Tree::Id> roots; ///< of the formulas
  std::vector<std::string> variables;
};

/// Reads the text with Dijkstra's shunting-yard algorithm: no recursion, so nesting is limited by memory alone. Throws
/// as Expression::parse does.
/// @param several whether a semicolon separates formulas, instead of being an error
Parsed parse(std::string_view text, std::vector<std::string> variables, bool several, std::source_location where);

} // namespace kubature::detail::expression
