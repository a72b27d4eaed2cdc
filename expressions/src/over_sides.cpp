#include <kubature/over_sides.hpp>

#include "names.hpp"

namespace kubature {
namespace {

template <class AnyExpression>
AnyExpression widened(AnyExpression const& formula, int sides, std::source_location where) {
  if (sides <= formula.dimension() || sides > most_variables)
    return formula;
  return AnyExpression::parse(formula.text(), unnamed_variables(formula.variables(), sides), where);
}

} // namespace

std::vector<std::string> unnamed_variables(std::vector<std::string> const& used, int sides) {
  using namespace detail::expression;
  bool const lettered = !used.empty() && used[0] == "x" && sides <= lettered_dimension;
  auto names = used;
  for (int axis = static_cast<int>(used.size()); axis < sides; ++axis)
    names.push_back(family_name(!lettered, axis));
  return names;
}

Expression over_sides(Expression const& formula, int sides, std::source_location where) {
  return widened(formula, sides, where);
}

Expressions over_sides(Expressions const& formulas, int sides, std::source_location where) {
  return widened(formulas, sides, where);
}

} // namespace kubature
