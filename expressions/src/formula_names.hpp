#pragma once

#include "graph.hpp"
#include "names.hpp"
#include "source.hpp"

#include <kubature/formula_parameters.hpp>

#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubature::detail::expression {

/// The names of a formula that is to be rewritten: those of variables, in axis order, then others that stand for
/// values.
struct FormulaNames {
  std::vector<std::string> variables, all;
  std::vector<std::string> texts; ///< [axis] what takes the place of each of `all`

  /// @param unit the name of the imaginary unit, or empty
  FormulaNames(std::string_view text, std::vector<std::string> named, std::string_view unit,
               std::vector<FormulaParameter> const& parameters, std::source_location where);

  /// The formulas of a graph, in these variables. Throws ExpressionError, in terms of the text that was rewritten, if
  /// they are too long or hold too many values at once.
  Expressions formulas(Graph const& graph, std::span<Graph::Id const> roots, Source const& rewritten,
                       std::source_location where) const;
};

} // namespace kubature::detail::expression
