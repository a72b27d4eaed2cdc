#pragma once

#include "tree.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

/// The terms of a sum as texts, each a complete expression; none if the expression is not a sum.
///
/// Every operand of the outermost sums and differences is a term; constant operands together form one term, the last. A
/// sum in parentheses, with any sign and constant factors, is likewise split into terms, which inherit these, unless
/// terms may cancel: if two of its terms have opposite signs, and either share a variable or one of them is
/// constant, it remains one term. Such terms are larger than their sum, so the accuracy that they need follows only
/// from their sum.
std::vector<std::string> split(Tree const& tree, Tree::Id root, std::string_view text);

} // namespace kubature::detail::expression
