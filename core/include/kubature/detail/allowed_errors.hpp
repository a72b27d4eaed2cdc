#pragma once

#include <kubature/tolerance.hpp>

#include <span>
#include <vector>

namespace kubature::detail {

/// The error that a tolerance allows to each component of an estimate: in a group whose errors it bounds together, the
/// bound in proportion to the component's share of the norm of the errors. So an estimate meets its tolerance if each
/// component does.
/// @returns [component]; 0 where no tolerance is requested
std::vector<double> allowed_errors(Tolerance const& tolerance, std::span<double const> values,
                                   std::span<double const> errors);

} // namespace kubature::detail
