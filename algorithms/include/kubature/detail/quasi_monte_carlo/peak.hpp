#pragma once

#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/policies/qmc_policy.hpp>
#include <kubature/detail/quasi_monte_carlo/lattice.hpp>
#include <kubature/detail/quasi_monte_carlo/rotation.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace kubature::detail {

/// Points of a lattice, each a total of its own.
template <int D>
class SinglePoints {
public:
  static constexpr int capacity = Lattice<D>::capacity;
  static constexpr int most_lanes = 1;
  static constexpr bool few = true;           ///< points are few
  static constexpr bool never_rotated = true; ///< no kernel for that

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

/// Where an integrand is large, according to weighted points of the unit cube.
struct Peak {
  Directions axes;            ///< its principal axes, and the variances along them
  std::vector<double> centre; ///< its mean
  double effective = 0;       ///< the equivalent number of points of equal weights (Kish): (sum w)^2 / sum w^2
  bool tempered = false;      ///< whether the weights were tempered

  /// The minimum effective points for its covariance.
  static double least(int d) { return policy<QmcPolicy>().effective_per_variable * d; }
};

/// The mean and the principal axes of weighted points. If few of them have most of the weight, all weights are raised
/// to a power below 1, such that enough points count: the peak found is then too wide, but not too narrow, and points
/// drawn from it are more informative (Koblents and Miguez, "A population Monte Carlo scheme with transformed weights
/// and its application to stochastic kinetic models", Stat. Comput. 25 (2015) 407).
/// @param points  d coordinates each
/// @param weights not negative; one of them above zero
Peak find_peak(std::vector<double> const& points, std::vector<double> const& weights, int d);

/// Maps points of the unit cube to those of a distribution that is somewhat wider than a peak and has heavier tails
/// than a normal one, since those of the peak may be heavier, too: x = centre + sum_k a_k 1.1 s_k (z_k + z_k^3 / 20),
/// where a_k are the principal axes, s_k the standard deviations along them, and z_k the normal coordinates of t.
/// Points outside of the cube have weight zero.
template <class Space>
struct PeakMap {
  static constexpr double wider = 1.1, tails = 0.05;

  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> numbers; ///< the centre, then 1.1 s_k a_k as columns
  int rows = 0;                                                        ///< of the axes' matrix; see Rotation
  double log_scale = 0; ///< the logarithm of the product of 1.1 s_k (2 pi)^(1/2)

  KOKKOS_FUNCTION bool any() const { return numbers.size() > 0; }

  /// From t to x, which is kept within the cube; multiplies the jacobian by |dx/dt|, or 0.
  template <class P, class Acc>
  KOKKOS_FUNCTION void operator()(P& x, Acc& jacobian) const {
    using Real = typename P::value_type;
    int const d = x.size();
    double z[P::capacity], exponent = log_scale, factor = 1;
    for (int i = 0; i < d; ++i) {
      double const normal = Rotation<Space>::normal(static_cast<double>(x[i])), squared = normal * normal;
      exponent += squared / 2;
      factor *= 1 + 3 * tails * squared;
      z[i] = normal * (1 + tails * squared);
    }
    bool within = true;
    for (int i = 0; i < rows; ++i) {
      double sum = numbers(i);
      for (int k = 0; k < d; ++k)
        sum += numbers((i + 1) * d + k) * z[k];
      within = within && sum > 0 && sum < 1;
      x[i] = Rotation<Space>::inside(static_cast<Real>(sum));
    }
    jacobian *= static_cast<Acc>(within ? factor * Kokkos::exp(exponent) : 0.0);
  }
};

/// The memory of such a map on the device.
template <class Space>
class PeakMemory {
public:
  PeakMap<Space> hold(Space const& exec, Peak const& peak) {
    exec.fence("kubature::qmc::peak"); // an earlier call may still read it
    auto const d = peak.centre.size();
    rows_ = static_cast<int>(d);
    numbers_ = peak.centre;
    log_scale_ = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k < d; ++k)
        numbers_.push_back(PeakMap<Space>::wider * std::sqrt(peak.axes.variances[k]) * peak.axes.matrix[i * d + k]);
    for (double const variance : peak.axes.variances)
      log_scale_ += std::log(PeakMap<Space>::wider * std::sqrt(2 * std::numbers::pi * variance));
    auto const on_device = buffer_.template as<double>(exec, numbers_.size());
    upload(exec, on_device, numbers_);
    return {on_device, rows_, log_scale_};
  }
  /// The same map, for the host.
  PeakMap<Kokkos::DefaultHostExecutionSpace> on_host() const {
    using Map = PeakMap<Kokkos::DefaultHostExecutionSpace>;
    return {decltype(Map::numbers)(numbers_.data(), numbers_.size()), rows_, log_scale_};
  }

private:
  std::vector<double> numbers_;
  int rows_ = 0;
  double log_scale_ = 0;
  Buffer<Space> buffer_{"kubature::qmc::peak"};
};

/// Whether the point lies more than QmcPolicy::peak_reach normal deviations of the map from the peak along any axis.
bool out_of_reach(Peak const& peak, double const* point);

} // namespace kubature::detail
