#pragma once

#include "tree.hpp"

#include <span>
#include <string>
#include <string_view>

namespace kubature::detail::expression {

/// The symbol of an operator of two operands, or empty.
std::string_view operator_name(Opcode opcode);

/// The name of a function, or empty.
std::string_view function_name(Opcode opcode);

/// The name of a function, the symbol of an operator, or empty.
std::string_view name_of(Opcode opcode);

/// What the name of a table's file is quoted with.
std::string_view quote_of(FileTable const& table);

/// A number as it is read back to the last bit; in parentheses if it is negative.
std::string printed(double number);

/// The text of a formula in which a text takes the place of each variable. Throws InvalidArgument if it would be longer
/// than expressions may be.
/// @param variables [axis] each complete in itself: a name, a number, or in parentheses
std::string printed(Tree const& tree, Tree::Id root, std::span<std::string const> variables);

} // namespace kubature::detail::expression
