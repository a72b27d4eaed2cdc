#pragma once

#include "names.hpp"
#include "tree.hpp"

#include <cstddef>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

/// A word of the text that names a value, where it is defined or used.
struct NamedPlace {
  std::size_t begin, end;
};

struct Parsed {
  Tree tree;
  std::vector<Tree::Id> roots; ///< the roots of the formulas
  std::vector<std::string> variables;
  std::vector<NamedPlace> names{}; ///< in the order of the text
  std::size_t begin = 0;           ///< where the last formula begins, after definitions
};

/// Parses the text with Dijkstra's shunting-yard algorithm, without recursion, so that only memory limits nesting.
/// Throws as Expression::parse does.
/// @param several whether a semicolon separates formulas; after a definition it is always needed
/// @param more    functions of one argument that formulas lack otherwise: where there are any, the tree is for
/// rewriting
///                alone, and has no constants but those of the text
Parsed parse(std::string_view text, std::vector<std::string> variables, bool several, std::source_location where,
             std::span<Function const> more = {});

} // namespace kubature::detail::expression
