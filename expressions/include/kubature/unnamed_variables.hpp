#pragma once

#include <string>
#include <vector>

namespace kubature {

/// Names for as many variables as a box has sides, of which a formula uses the first without naming them: x, y, z, w,
/// v, u, t, s where it uses these and they suffice, otherwise x1, x2, ....
/// @param used  the variables that the formula uses, as Expression::variables() has them; there may be none
/// @param sides at least as many as there are of these
std::vector<std::string> unnamed_variables(std::vector<std::string> const& used, int sides);

} // namespace kubature
