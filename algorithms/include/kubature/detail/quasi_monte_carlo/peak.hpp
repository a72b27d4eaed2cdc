#pragma once

#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>

#include <cstdint>
#include <vector>

namespace kubature::detail {

/// Points of a lattice, each a total of its own.
template <int D>
class SinglePoints {
public:
  static constexpr int capacity = Lattice<D>::capacity;
  static constexpr int most_lanes = 1;

  /// 2^m points.
  /// @param shift which of the shifts
  SinglePoints(int dimension, int m, std::uint64_t shift, Stream stream)
      : lattice_(dimension, m, true, stream), shift_(shift) {}

  template <int W>
  using Lanes = typename Lattice<D>::template Lanes<W>;

  template <int W>
  KOKKOS_FUNCTION void start(std::uint64_t which, std::uint64_t const (&)[W], int d, Lanes<W>& lanes) const {
    std::uint64_t const point[W] = {which};
    lattice_.start(shift_, point, d, lanes);
  }
  template <int W>
  KOKKOS_FUNCTION static void advance(std::uint64_t, int, Lanes<W>&) {}
  /// A coordinate in fractions of 2^64.
  template <int W>
  KOKKOS_FUNCTION static std::uint64_t position(Lanes<W> const& lanes, int axis, int w) {
    return Lattice<D>::position(lanes, axis, w);
  }

private:
  Lattice<D> lattice_;
  std::uint64_t shift_;
};

/// Where an integrand is large, in normal coordinates, as weighted points tell it.
struct Peak {
  Directions axes;            ///< its principal axes, and the variances along them
  std::vector<double> centre; ///< its mean along each of these
  double effective = 0;       ///< how many points of equal weights would tell as much (Kish): (sum w)^2 / sum w^2
  bool tempered = false;      ///< whether the weights were tempered

  /// The effective points that its covariance requires.
  static double least(int d) { return 10.0 * d; }
};

/// The mean and the principal axes of weighted points. Where few of them have most of the weight, all weights are
/// raised to a power below 1, such that enough points count: the peak is then found too wide, but not too narrow, and
/// points drawn from it tell more (Koblents and Miguez, "A population Monte Carlo scheme with transformed weights and
/// its application to stochastic kinetic models", Stat. Comput. 25 (2015) 407).
/// @param z       points, d coordinates each
/// @param weights of the points, not negative; one of them above zero
Peak find_peak(std::vector<double> const& z, std::vector<double> const& weights, int d);

/// Maps of the principal axes, at GeometricKnots: normal coordinates become those of a distribution that is somewhat
/// wider than the peak, and has heavier tails than a normal one, since those of the peak may be heavier, too: centre +
/// 1.1 s (z + z^3 / 20) along an axis of standard deviation s.
std::vector<double> peak_at_knots(Peak const& peak);

/// The weights of such points: |f| in units of its sum, of all components together. Empty if all are zero.
template <class Sums>
std::vector<double> peak_weights(std::vector<Sums> const& points, int components) {
  std::vector<double> result;
  for (int c = 0; c < components; ++c) {
    double all = 0;
    for (auto const& point : points)
      all += std::abs(static_cast<double>(point.mean[c]));
    if (!(all > 0))
      continue;
    result.resize(points.size());
    for (std::size_t k = 0; k < points.size(); ++k)
      result[k] += std::abs(static_cast<double>(points[k].mean[c])) / all;
  }
  return result;
}

} // namespace kubature::detail
