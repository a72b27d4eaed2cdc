#pragma once

#include <kubature/tolerance.hpp>

#include <cstddef>
#include <vector>

namespace kubature::detail {

/// The error that a tolerance allows to each component of an estimate: in a group whose errors it bounds together, the
/// bound in proportion to the component's share of the norm of the errors. So an estimate meets its tolerance if each
/// component does.
/// @returns [component]; 0 where no tolerance is requested
std::vector<double> allowed_errors(Tolerance const& tolerance, std::vector<double> const& values,
                                   std::vector<double> const& errors);

/// The tolerance of a component by itself, given its allowed error.
inline Tolerance alone(double allowed) { return {.absolute = allowed}; }

} // namespace kubature::detail
