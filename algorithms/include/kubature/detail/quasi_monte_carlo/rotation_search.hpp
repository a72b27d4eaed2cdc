#pragma once

#include <kubature/detail/quasi_monte_carlo/qmc_call.hpp>

#include <vector>

/// \file
/// The decision to rotate points: see docs/design/quasi-monte-carlo-maps.md, "Rotated points".

namespace kubature::detail {

/// How the integrand varies along pairs of axes, in normal coordinates. Empty if there are too few evaluations, or too
/// few points are informative.
std::vector<double> gradient_products(QmcCall& call);

/// Rotates points, and holds the map of the rotated axes made from slabs, if the slabs agree with it.
/// @returns whether they do
bool rotate_points(QmcCall& call, std::vector<double> directions);

/// Rotates points if the integrand varies along few directions that are not axes, and a trial in the smooth map of the
/// rotated axes scatters far less. @returns whether it does
bool try_rotation(QmcCall& call, MapTrial const& unrotated);

} // namespace kubature::detail
