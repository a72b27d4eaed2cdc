#pragma once

#include <kubature/detail/quasi_monte_carlo/qmc_call.hpp>

#include <vector>

/// \file
/// Maps from slabs: see docs/design/quasi-monte-carlo-maps.md, "Maps".

namespace kubature::detail {

/// The binary logarithm of the points of a slab; -1: there are too few evaluations for slabs.
int slab_power(QmcCall const& call);

/// Maps GeometricKnots so that the pieces of each axis have integrals in proportion to their widths, as measured by
/// slabs: starting from the trained map, whose bins resolve little of the tails. Empty parts keep as much of an axis as
/// some points of each shift cover: if an integrand jumps to zero, a part that hardly any point reaches would be
/// missing from value and error alike.
/// @param x     see at_knots()
/// @param power see slab_power()
/// @returns nothing if the last slabs disagree with the map made from the earlier ones: for an integrand that is far
///          from a product of functions of one variable each, few points make noisy slabs
std::vector<double> refine_by_slabs(QmcCall& call, std::vector<double> x, int power);

} // namespace kubature::detail
