#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace kubature::detail {

/// What an error that the scatter of shifts tells is not believed to fall below, from those of the doublings before.
/// Shifts can agree by chance: of an indicator function of one variable each of them counts one of two numbers of
/// points, and where all count the same, their scatter is zero. That comes and goes from doubling to doubling, so the
/// largest error goes on from where it was, like N^-p, and an error may lie below that by a margin, as smooth
/// integrands show. Here p is the slope of the errors by Theil ("A rank-invariant method of linear and polynomial
/// regression analysis", 1950), the median over all pairs, which a few that vanish do not change.
/// @param before  errors with N / 2^n ... N / 4 and N / 2 points; the last ones count
/// @returns 0 where there are none
inline double least_error(std::span<double const> before) {
  constexpr std::size_t most_before = 8;
  constexpr double margin = 8, least_slope = 1, most_slope = 3;
  before = before.last(std::min(most_before, before.size()));
  std::vector<double> slopes{least_slope};
  for (std::size_t j = 1; j < before.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (before[i] > 0 && before[j] > 0)
        slopes.push_back(std::log2(before[i] / before[j]) / static_cast<double>(j - i));
  auto const middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  double const fall = std::exp2(-std::clamp(*middle, least_slope, most_slope));
  double least = 0;
  for (double const error : before)
    least = fall * std::max(least, error);
  return least / margin;
}

} // namespace kubature::detail
