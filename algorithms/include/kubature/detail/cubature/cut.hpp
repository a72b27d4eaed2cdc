#pragma once

#include <kubature/detail/cubature/census.hpp>

#include <cstdint>

namespace kubature::detail {

/// Regions by their error, cut in two: those in bins 0 ... last_bin, and the others.
struct Cut {
  int last_bin = -1;
  /// How many regions have the larger errors.
  std::uint64_t count = 0;
};

/// The cut that leaves as many regions as possible whose errors sum to `allowance` at most, in units of the reference.
Cut cut_by_error(ErrorCounts const& counts, double allowance);

/// The cut of the largest errors that has at least `count` regions, or all.
Cut cut_by_count(ErrorCounts const& counts, std::uint64_t count);

/// A bound of the errors' sum, in units of the reference.
double sum_of_errors(ErrorCounts const& counts);

} // namespace kubature::detail
