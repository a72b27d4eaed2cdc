#pragma once

#include <kubature/detail/quasi_monte_carlo/qmc_call.hpp>

#include <optional>
#include <vector>

/// \file
/// The decision to draw points in a peak: see docs/design/quasi-monte-carlo-maps.md, "Peaks across the axes".

namespace kubature::detail {

/// The binary logarithm of the points of a round that locates a peak; -1: there are too few.
int peak_power(QmcCall const& call);

/// The peak seen through a trained map, located in rounds: the points of each are drawn in the peak of the last.
/// Nothing if too few points lie in it.
/// @param edges of the map
std::optional<Peak> locate_peak(QmcCall& call, std::vector<double> const& edges);

/// Draws points in a peak. Errors are at least what a few points of the whole box find beyond its reach.
/// @returns false if the call has ended
bool draw_in_peak(QmcCall& call, Peak const& peak);

/// Draws points in a peak along its principal axes, which no map along the axes of the box fits, if a trial there is to
/// be preferred. @returns whether it is
bool try_peak(QmcCall& call, std::vector<double> const& edges, MapTrial const& in_map);

} // namespace kubature::detail
