#include "quasi_monte_carlo/trial_sums.hpp"

#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/quasi_monte_carlo/coordinate_map.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace kubature::detail {

std::vector<double> peak_weights(ShiftSums const& points, int components) {
  std::vector<double> result;
  for (int c = 0; c < components; ++c) {
    double all = 0;
    for (std::size_t k = 0; k < points.size(); ++k)
      all += std::abs(points.mean(k, c));
    if (!(all > 0))
      continue;
    result.resize(points.size());
    for (std::size_t k = 0; k < points.size(); ++k)
      result[k] += std::abs(points.mean(k, c)) / all;
  }
  return result;
}

std::vector<double> difference_products(ShiftSums const& sums, int d, int components) {
  auto const& by = policy<QmcPolicy>();
  auto const axes = static_cast<std::size_t>(d), points = sums.size() / 2 / axes;
  auto const part = static_cast<std::size_t>(by.outlier_part);
  std::vector<double> result(axes * axes), all(points * axes), squares(points);
  bool known = false;
  for (int c = 0; c < components; ++c) {
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = sums.mean(2 * k, c) - sums.mean(2 * k + 1, c);
    for (std::size_t point = 0; point < points; ++point) {
      auto const along = all.begin() + static_cast<std::ptrdiff_t>(point * axes);
      squares[point] = std::inner_product(along, along + d, along, 0.0);
    }
    auto ordered = squares;
    auto const most = ordered.end() - 1 - static_cast<std::ptrdiff_t>((points + part - 1) / part);
    std::nth_element(ordered.begin(), most, ordered.end());
    double total = 0, total_squares = 0;
    std::vector<double> products(axes * axes);
    for (std::size_t point = 0; point < points; ++point) {
      double const weight = squares[point] > *most ? *most / squares[point] : 1;
      total += weight * squares[point];
      total_squares += weight * squares[point] * weight * squares[point];
      for (std::size_t i = 0; i < axes; ++i)
        for (std::size_t j = 0; j < axes; ++j)
          products[i * axes + j] += weight * all[point * axes + i] * all[point * axes + j];
    }
    if (!(total * total >= by.effective_differences * total_squares) || !(total > 0))
      continue;
    known = true;
    for (std::size_t k = 0; k < products.size(); ++k)
      result[k] += products[k] / total;
  }
  return known ? result : std::vector<double>{};
}

std::vector<double> masses_of_slabs(ShiftSums const& slabs, int octaves, int components) {
  auto const of_axis = static_cast<std::size_t>(GeometricKnots::count(octaves));
  std::vector<double> result(slabs.size()), of_component(slabs.size());
  for (int c = 0; c < components; ++c) {
    double largest = 0;
    int width = 0;
    for (std::size_t k = 0; k < slabs.size(); ++k) {
      GeometricKnots::begin(static_cast<int>(k % of_axis), width, octaves);
      double const mean = slabs.mean(k, c), squares = slabs.squares(k, c) / static_cast<double>(slabs.counts(k).points);
      of_component[k] = std::ldexp(std::sqrt(mean * mean + squares), width - 63);
      largest = std::max(largest, of_component[k]);
    }
    for (std::size_t k = 0; k < slabs.size() && largest > 0; ++k)
      result[k] += of_component[k] / largest;
  }
  return result;
}

} // namespace kubature::detail
