#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace kubature::suite {

/// A sum of up to four isotropic Gaussians in the unit cube.
template <int D>
struct Gaussians {
  static constexpr int most = 4;
  int count = 0;
  Kokkos::Array<Kokkos::Array<double, D>, most> centre{};
  Kokkos::Array<double, most> width{}, height{};

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real sum = 0;
    for (int k = 0; k < count; ++k) {
      Real square = 0;
      for (int i = 0; i < D; ++i) {
        Real const z = (x[i] - static_cast<Real>(centre[k][i])) / static_cast<Real>(width[k]);
        square += z * z;
      }
      sum += static_cast<Real>(height[k]) * Kokkos::exp(-square / 2);
    }
    return sum;
  }

  /// The integral over the unit cube.
  double integral() const {
    double sum = 0;
    for (int k = 0; k < count; ++k) {
      double product = height[k];
      for (int i = 0; i < D; ++i) {
        double const root = std::sqrt(2.0) * width[k];
        product *= std::sqrt(std::numbers::pi / 2) * width[k] *
                   (std::erf((1 - centre[k][i]) / root) + std::erf(centre[k][i] / root));
      }
      sum += product;
    }
    return sum;
  }

  /// The distance of a point from a centre, in units of the width.
  double distance(int k, std::vector<double> const& x) const {
    double square = 0;
    for (int i = 0; i < D; ++i)
      square += std::pow((x[static_cast<std::size_t>(i)] - centre[k][i]) / width[k], 2);
    return std::sqrt(square);
  }
  /// The number of centres that have one of the points within this many widths.
  int seen(std::vector<std::vector<double>> const& points, double widths) const {
    int result = 0;
    for (int k = 0; k < count; ++k)
      for (auto const& x : points)
        if (distance(k, x) < widths) {
          ++result;
          break;
        }
    return result;
  }
};

/// Two to four Gaussians with similar shares of the integral, of widths from 0.004 to 0.07, uniform in their
/// logarithms, whose centres are at least six widths apart and a tenth of the side from the faces.
template <int D>
Gaussians<D> random_gaussians(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto const uniform = [&] { return (static_cast<double>(random() >> 12) + 0.5) * 0x1p-52; };
  Gaussians<D> f;
  f.count = 2 + static_cast<int>(3 * uniform());
  for (int k = 0; k < f.count; ++k) {
    f.width[k] = 0.004 * std::pow(0.07 / 0.004, uniform());
    f.height[k] = (0.2 + uniform()) / std::pow(f.width[k], D);
    for (bool apart = false; !apart;) {
      std::vector<double> x;
      for (int i = 0; i < D; ++i)
        x.push_back(f.centre[k][i] = 0.1 + 0.8 * uniform());
      apart = true;
      for (int other = 0; other < k; ++other)
        apart = apart && f.distance(other, x) > 6 && f.distance(other, x) * f.width[other] > 6 * f.width[k];
    }
  }
  return f;
}

} // namespace kubature::suite
