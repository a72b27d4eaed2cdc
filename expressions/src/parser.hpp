#pragma once

#include "tree.hpp"

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

struct Parsed {
  Tree tree;
  std::vector<Tree::Id> roots; ///< the roots of the formulas
  std::vector<std::string> variables;
};

/// Parses the text with Dijkstra's shunting-yard algorithm, without recursion, so that only memory limits nesting.
/// Throws as Expression::parse does.
/// @param several whether a semicolon separates formulas rather than being an error
Parsed parse(std::string_view text, std::vector<std::string> variables, bool several, std::source_location where);

} // namespace kubature::detail::expression
