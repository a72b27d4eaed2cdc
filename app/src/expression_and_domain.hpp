#pragma once

#include "options.hpp"

#include <kubature/formula_domain.hpp>

#include <optional>
#include <utility>

namespace kubature::app {

/// The expression, in the variables of the domain, and the domain; for a box of constant sides without names, no
/// domain. Throws BadInput where arguments contradict each other.
/// @tparam AnyExpression Expression or Expressions
template <class AnyExpression>
std::pair<AnyExpression, std::optional<FormulaDomain>> expression_and_domain(Options const& options);

/// The box of constant sides without names. Throws BadInput if there are not as many as variables.
Box<dynamic_many> box_for(Options const& options, int variables);

} // namespace kubature::app
