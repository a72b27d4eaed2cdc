#pragma once

#include <kubature/detail/quasi_monte_carlo/shift_sums.hpp>

#include <vector>

/// \file
/// Sums of trial points: single points locate a peak, pairs give directions, slabs measure axes.

namespace kubature::detail {

/// The weights of such points: |f| in units of its sum, of all components together. Empty if all are zero.
std::vector<double> peak_weights(ShiftSums const& points, int components);

/// The sums over points of the products of each two differences, of all components in units of their own: a matrix of d
/// rows. One point in 32 may lie at a jump, and counts no more than the next largest differences do.
/// @param sums of the points of Differences
/// @returns nothing if fewer than eight points make up the products: so few have few directions in any case
std::vector<double> difference_products(ShiftSums const& sums, int d, int components);

/// The integrals over all slabs, as the root mean square of |f dx/dy|, summed over components in units of the largest
/// of each.
std::vector<double> masses_of_slabs(ShiftSums const& slabs, int octaves, int components);

} // namespace kubature::detail
