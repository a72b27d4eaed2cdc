#pragma once

#include <kubature/point.hpp>
#include <kubature/suite/random_gaussians.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <numbers>

namespace kubature::suite {

/// The logarithm of the density of normal variables with a common correlation r, times a constant: at its largest, at
/// `centre`, it is `top`.
template <int D>
struct LogCorrelatedNormal {
  double top, centre, width, r;

  KOKKOS_FUNCTION double operator()(Point<double, D> const& x) const {
    double sum = 0, squares = 0;
    for (int i = 0; i < D; ++i) {
      double const z = (x[i] - centre) / width;
      sum += z;
      squares += z * z;
    }
    return top - (squares - r / (1 - r + D * r) * sum * sum) / (1 - r) / 2;
  }
  /// Over all of space.
  double log_integral() const {
    return top + D * (std::log(width) + std::log(2 * std::numbers::pi) / 2) +
           ((D - 1) * std::log(1 - r) + std::log(1 - r + D * r)) / 2;
  }
};

/// log f + top, for a sum of Gaussians that may underflow.
template <int D>
struct LogGaussians {
  Gaussians<D> f;
  double top;

  KOKKOS_FUNCTION double one(Point<double, D> const& x, int k) const {
    double square = 0;
    for (int i = 0; i < D; ++i)
      square += Kokkos::pow((x[i] - f.centre[k][i]) / f.width[k], 2);
    return Kokkos::log(f.height[k]) - square / 2;
  }
  KOKKOS_FUNCTION double operator()(Point<double, D> const& x) const {
    double largest = one(x, 0), sum = 0;
    for (int k = 1; k < f.count; ++k)
      largest = Kokkos::max(largest, one(x, k));
    for (int k = 0; k < f.count; ++k)
      sum += Kokkos::exp(one(x, k) - largest);
    return top + largest + Kokkos::log(sum);
  }
};

} // namespace kubature::suite
