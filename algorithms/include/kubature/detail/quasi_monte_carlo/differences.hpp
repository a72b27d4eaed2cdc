#pragma once

#include <kubature/detail/normal.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace kubature::detail {

/// Points whose values give differences of an integrand along each axis, in normal coordinates: for each point of a
/// lattice and each axis two points, one step forward and one back. Each is a total of its own.
template <int D>
class Differences {
public:
  static constexpr int capacity = Lattice<D>::capacity;
  static constexpr int most_lanes = 1;
  static constexpr bool few = true;                                 ///< points are few
  static constexpr bool never_rotated = true, never_in_peak = true; ///< no kernel for these

  /// About 2^m points.
  /// @param epsilon of the numbers in which the integrand is evaluated: the step, in standard deviations, is its fourth
  ///                root, so that differences are known to three quarters of the digits
  Differences(int dimension, int m, double epsilon, Stream stream)
      : lattice_(dimension, m, true, stream), step_(std::sqrt(std::sqrt(epsilon))) {}

  static int count(int dimension, int m) { return 2 * dimension << m; }

  /// The state of a lane.
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

} // namespace kubature::detail
