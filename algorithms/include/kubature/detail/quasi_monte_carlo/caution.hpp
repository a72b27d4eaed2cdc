#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace kubature::detail {

/// The third moment of numbers about their mean, in units of the 3/2th power of the second; 0 where all are equal.
inline double skewness(std::span<double const> numbers) {
  auto const n = static_cast<double>(numbers.size());
  double shifted = 0, farthest = 0, second = 0, third = 0;
  for (double const x : numbers)
    shifted += x - numbers[0];
  double const mean = numbers[0] + shifted / n;
  for (double const x : numbers)
    farthest = std::max(farthest, std::abs(x - mean));
  for (double const x : numbers) {
    double const off = farthest > 0 ? (x - mean) / farthest : 0; // powers neither overflow nor vanish
    second += off * off / n;
    third += off * off * off / n;
  }
  return second > 0 ? third / (second * std::sqrt(second)) : 0;
}

/// The factor by which the error exceeds that from the scatter of n shifts if few points, or few shifts, make up most
/// of it: the larger one of two.
///
/// Where points are no better than random ones, the error is the deviation of values over the square root of their
/// number. If a few points make up most of their mean square, others that were missed may make up as much, and the
/// deviation is assumed to be too small together with the value: 1 + 2 u.
///
/// Student's t of n numbers from a distribution of skewness gamma has a mean square of 1 + (2 + 2 gamma^2) / n to first
/// order (P. Hall, "The Bootstrap and Edgeworth Expansion", Springer 1992, section 2.6), and the skewness g of sixteen
/// numbers is about half of gamma: sqrt(1 + 2 (2 g)^2 / n). For normal numbers g^2 is 6 / n or less on average, which
/// is subtracted.
///
/// @param gains  whether lattices gain over random points
/// @param unsure u, the standard error of the mean square of all values in units of it
/// @param means  of the shifts
inline double caution(bool gains, double unsure, std::span<double const> means) {
  auto const n = static_cast<double>(means.size());
  double const g = skewness(means);
  return std::max(gains ? 1 : 1 + 2 * unsure, std::sqrt(1 + 8 * std::max(0.0, g * g - 6 / n) / n));
}

} // namespace kubature::detail
