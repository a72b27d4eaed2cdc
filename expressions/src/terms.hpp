#pragma once

#include "tree.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

/// The terms of a sum as texts, each an expression of its own; none where the expression is no sum.
///
/// Every operand of the sums and differences at the top is a term, and what is constant makes up one, the last. A sum
/// in parentheses, whatever sign or constant factors it has, is split likewise, and its terms take these over; but it
/// stays one term where it subtracts what may cancel: where two of its terms have opposite signs and either have a
/// variable in common or one of them is constant. Such terms are larger than their sum, and only together do they tell
/// how exactly they are needed.
std::vector<std::string> split(Tree const& tree, Tree::Id root, std::string_view text);

} // namespace kubature::detail::expression
