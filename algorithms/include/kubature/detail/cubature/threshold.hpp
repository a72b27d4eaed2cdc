#pragma once

#include <kubature/detail/cubature/region_statistics.hpp>

#include <cstdint>

namespace kubature::detail {

/// A threshold of the regions' errors: those in bins 0 ... last_bin lie above it, all others below.
struct Threshold {
  int last_bin = -1;
  std::uint64_t above = 0; ///< number of regions above
};

/// The lowest number of regions above such that the errors below sum to at most `allowance`, in units of the reference.
Threshold threshold_by_error(ErrorCounts const& counts, double allowance);

/// The highest threshold with at least `count` regions above, or the lowest if there are fewer.
Threshold threshold_by_count(ErrorCounts const& counts, std::uint64_t count);

/// An upper bound of the sum of the errors, in units of the reference.
double sum_of_errors(ErrorCounts const& counts);

} // namespace kubature::detail
