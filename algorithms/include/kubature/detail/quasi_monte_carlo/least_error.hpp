#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace kubature::detail {

/// The distance of the two groups into which the means of an integrand with one jump along an axis fall: of an
/// indicator function of one variable each shift counts one of two numbers of points.
/// @param means of all shifts
/// @returns the widest gap between neighbours; 0 where it is less than most of their range, as for other integrands, or
///          where there are so few shifts that it says little
inline double distance_of_groups(std::vector<double> means) {
  constexpr double most = 0.8;
  constexpr std::size_t least_shifts = 8;
  if (means.size() < least_shifts)
    return 0;
  std::sort(means.begin(), means.end());
  double widest = 0;
  for (std::size_t i = 1; i < means.size(); ++i)
    widest = std::max(widest, means[i] - means[i - 1]);
  return widest > most * (means.back() - means.front()) ? widest : 0;
}

/// What the error is at least that the scatter of n shifts tells: they may all be in one group by chance, and then do
/// not scatter. Where their common mean is off by the part x of the distance, that has a probability of (1 - x)^n; with
/// any x as likely as another, its root mean square is then sqrt(2 / ((n + 2) (n + 3))). The distance falls like 1/N,
/// so those of the doublings before say what it is.
/// @param distances of the two groups with N / 2^k ... N / 2 and N points; the last ones count
inline double least_error(std::span<double const> distances, int shifts) {
  constexpr std::size_t most_before = 8;
  double largest = 0;
  for (double const distance : distances.last(std::min(most_before, distances.size())))
    largest = std::max(largest / 2, distance);
  return largest * std::sqrt(2.0 / ((shifts + 2) * (shifts + 3)));
}

} // namespace kubature::detail
