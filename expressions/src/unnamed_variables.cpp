#include <kubature/unnamed_variables.hpp>

#include "names.hpp"

namespace kubature {

std::vector<std::string> unnamed_variables(std::vector<std::string> const& used, int sides) {
  using namespace detail::expression;
  bool const lettered = !used.empty() && used[0] == "x" && sides <= lettered_dimension;
  auto names = used;
  for (int axis = static_cast<int>(used.size()); axis < sides; ++axis)
    names.push_back(family_name(!lettered, axis));
  return names;
}

} // namespace kubature
