#pragma once

#include <kubature/error.hpp>
#include <kubature/suite/arithmetic.hpp>
#include <kubature/suite/random_genz.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

/// \file
/// Peaks that lie across the axes, as posterior distributions of correlated parameters do, with true values.

namespace kubature::suite {

/// A Gaussian peak within the unit cube, in which each two variables are equally correlated:
///
///   exp(-(sum z_i^2 - r / (1 + (d - 1) r) (sum z_i)^2) / (2 (1 - r))),  z_i = (x_i - p_i) / s_i,
///
/// where s_i may be negative. With r near 1 it is a filament along a diagonal, and with r near -1 / (d - 1) a sheet.
struct CorrelatedGaussian {
  static constexpr int most = 10;

  int dimension = 2;
  double r = 0;                    ///< correlation, above -1 / (d - 1) and below 1
  Kokkos::Array<double, most> p{}; ///< centre
  Kokkos::Array<double, most> s{}; ///< standard deviations, signed

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    int const d = x.size() < most ? x.size() : most;
    auto sum = Real(0), squares = Real(0);
    for (int i = 0; i < d; ++i) {
      Real const z = (x[i] - Real(p[i])) / Real(s[i]);
      sum += z;
      squares += z * z;
    }
    return Kokkos::exp(-(squares - Real(r / (1 + (d - 1) * r)) * sum * sum) / Real(2 * (1 - r)));
  }

  /// The integral over all of space, which is that over the unit cube to ten digits if p_i is six deviations away from
  /// both ends.
  double value() const {
    double result = std::sqrt(1 + (dimension - 1) * r);
    for (int i = 0; i < dimension; ++i)
      result *= std::sqrt(2 * std::numbers::pi) * std::abs(s[i]) * (i > 0 ? std::sqrt(1 - r) : 1);
    return result;
  }
};

/// The same peak for all variables.
inline CorrelatedGaussian correlated_gaussian(int dimension, double r, double centre, double deviation) {
  CorrelatedGaussian f{dimension, r};
  for (int i = 0; i < dimension; ++i) {
    f.p[i] = centre;
    f.s[i] = deviation;
  }
  return f;
}

enum class CorrelatedShape { filament, sheet };
inline constexpr int correlated_shapes = 2;

/// "filament" or "sheet".
inline std::string_view to_string(CorrelatedShape shape) {
  return shape == CorrelatedShape::filament ? "filament" : "sheet";
}

/// A random peak of a shape, determined by seed and index: deviations of 0.02 to 0.07 of either sign, a centre within
/// 0.45 and 0.55, and a correlation of 0.7 to 0.95, or of as much of the least possible one.
inline CorrelatedGaussian random_correlated(CorrelatedShape shape, int dimension, std::uint64_t seed,
                                            std::uint64_t index,
                                            std::source_location where = std::source_location::current()) {
  require(dimension >= 2 && dimension <= CorrelatedGaussian::most, "dimension", dimension, "must be between 2 and 10",
          where);
  Draws draw(seed, index);
  double const extreme = shape == CorrelatedShape::filament ? 1 : -1.0 / (dimension - 1);
  CorrelatedGaussian f{dimension, extreme * (0.7 + 0.25 * draw())};
  for (int i = 0; i < dimension; ++i) {
    f.p[i] = 0.45 + 0.1 * draw();
    f.s[i] = (0.02 + 0.05 * draw()) * (draw() < 0.5 ? -1 : 1);
  }
  return f;
}

} // namespace kubature::suite
