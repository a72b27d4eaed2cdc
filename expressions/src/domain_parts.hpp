#pragma once

#include "printed.hpp"

#include <kubature/formula_domain.hpp>

#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What descriptions of domains are read with.

namespace kubature::detail::expression {

using DomainPiece = FormulaDomain::Piece;
using DomainParts = FormulaDomain::Parts;

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

/// The parts between separators that are not in parentheses, without white space around them; at least one.
std::vector<std::string> split_outside(std::string_view text, char separator);

/// The value of a constant expression that may contain inf; nothing if the text is something else.
std::optional<double> constant_value(std::string_view text);

/// The product of factors, each complete in itself, as one that is, too; 1 if there is none.
std::string product(std::vector<std::string> const& factors);

/// The names, extended to d. Throws InvalidArgument if that is impossible.
/// @param argument what is described by the text `value`
std::vector<std::string> names_for(std::vector<std::string> const& names, int d, std::string const& argument,
                                   std::string_view value, std::source_location where);

/// Whether a text describes a shape rather than sides.
bool is_shape(std::string_view text);

DomainParts read_shape(std::string_view text, std::vector<std::string> const& variables, std::source_location where);
DomainParts read_sides(std::string_view text, std::vector<std::string> const& variables, std::string_view breaks,
                       std::source_location where);

} // namespace kubature::detail::expression
