#pragma once

#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace kubature::detail {

/// Points whose values give differences of an integrand along each axis, in normal coordinates: for each point of a
/// lattice and each axis two points, further by a step and back by as much. Each is a total of its own.
template <int D>
class Differences {
public:
  static constexpr int capacity = Lattice<D>::capacity;
  static constexpr int most_lanes = 1;
  static constexpr bool never_rotated = true, never_in_peak = true; ///< no kernel for these

  /// About 2^m points.
  /// @param epsilon of the numbers in which the integrand is evaluated: the step, in standard deviations, is its fourth
  ///                root, so that differences are known to three quarters of the digits
  Differences(int dimension, int m, double epsilon, Stream stream)
      : lattice_(dimension, m, true, stream), step_(std::sqrt(std::sqrt(epsilon))) {}

  static int count(int dimension, int m) { return 2 * dimension << m; }

  /// Where a lane is.
  template <int W>
  struct Lanes {
    typename Lattice<D>::template Lanes<W> at;
    int axis;
    double step;
  };

  template <int W>
  KOKKOS_FUNCTION void start(std::uint64_t which, std::uint64_t const (&)[W], int d, Lanes<W>& lanes) const {
    auto const of_point = static_cast<std::uint64_t>(2 * d);
    std::uint64_t const point[W] = {which / of_point};
    lattice_.start(0, point, d, lanes.at);
    auto const place = static_cast<int>(which % of_point);
    lanes.axis = place / 2;
    lanes.step = place % 2 == 0 ? step_ : -step_;
  }
  template <int W>
  KOKKOS_FUNCTION static void advance(std::uint64_t, int, Lanes<W>&) {}
  /// A coordinate in fractions of 2^64.
  template <int W>
  KOKKOS_FUNCTION static std::uint64_t position(Lanes<W> const& lanes, int axis, int w) {
    std::uint64_t const at = Lattice<D>::position(lanes.at, axis, w);
    if (axis != lanes.axis)
      return at;
    double const t = (static_cast<double>(at >> 12) + 0.5) * 0x1p-52;
    double const moved = normal_probability(normal_quantile(t) + lanes.step);
    return static_cast<std::uint64_t>(Kokkos::min(moved, 1 - 0x1p-53) * 0x1p64);
  }

private:
  Lattice<D> lattice_;
  double step_;
};

/// The sums over points of the products of each two differences, of all components in units of their own: a matrix of d
/// rows. One point in 32 may lie at a jump, and counts no more than the next largest differences do.
/// @param sums of the points of Differences
/// @returns nothing where less than eight points make up the products: so few have few directions in any case
template <class Sums>
std::vector<double> difference_products(std::vector<Sums> const& sums, int d, int components) {
  auto const axes = static_cast<std::size_t>(d), points = sums.size() / 2 / axes;
  std::vector<double> result(axes * axes), all(points * axes), squares(points);
  bool known = false;
  for (int c = 0; c < components; ++c) {
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = static_cast<double>(sums[2 * k].mean[c]) - sums[2 * k + 1].mean[c];
    for (std::size_t point = 0; point < points; ++point) {
      auto const along = all.begin() + static_cast<std::ptrdiff_t>(point * axes);
      squares[point] = std::inner_product(along, along + d, along, 0.0);
    }
    auto ordered = squares;
    auto const most = ordered.end() - 1 - static_cast<std::ptrdiff_t>((points + 31) / 32);
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
    if (!(total * total >= 8 * total_squares) || !(total > 0))
      continue;
    known = true;
    for (std::size_t k = 0; k < products.size(); ++k)
      result[k] += products[k] / total;
  }
  return known ? result : std::vector<double>{};
}

} // namespace kubature::detail
