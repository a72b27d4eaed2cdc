#pragma once

#include <kubature/detail/quasi_monte_carlo/qmc_call.hpp>

#include <optional>
#include <vector>

/// \file
/// How points come to be drawn in a peak: see docs/quasi-monte-carlo.md, "Peaks across the axes".

namespace kubature::detail {

/// The binary logarithm of the points of a round that locates a peak; -1: too few.
int peak_power(QmcCall const& call);

/// The peak that is seen through a trained map, in rounds of points that are drawn in what the last round saw of it.
/// Nothing where too few points are in it.
/// @param edges of the map
std::optional<Peak> locate_peak(QmcCall& call, std::vector<double> const& edges);

/// Draws points in a peak. What a few points of the whole box find out of its reach, errors are not below.
/// @returns false if the call has ended
bool draw_in_peak(QmcCall& call, Peak const& peak);

/// Draws points in a peak along its principal axes, which no map along the axes of the box fits, where a trial there is
/// to be preferred. @returns whether it does
bool try_peak(QmcCall& call, std::vector<double> const& edges, MapTrial const& in_map);

} // namespace kubature::detail
