#pragma once

#include <kubature/error.hpp>
#include <kubature/suite/arithmetic.hpp>
#include <kubature/suite/random_genz.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

/// \file
/// Integrands that are cut off along no axis, as cross sections with cuts are, with true values.

namespace kubature::suite {

enum class CutShape { ball, half_space };
inline constexpr int cut_shapes = 2;

/// "ball" or "half-space".
inline std::string_view to_string(CutShape shape) { return shape == CutShape::ball ? "ball" : "half-space"; }

/// A function that is smooth in one part of the unit cube and zero in the other.
///
///   ball        exp(sum k_i (x_i - p_i)) where sum (x_i - p_i)^2 <= r^2, a ball within the cube
///   half space  exp(k_1 sum p_i x_i) where sum p_i x_i <= r, all p_i > 0
struct CutFunction {
  static constexpr int most = 10;

  CutShape shape = CutShape::ball;
  int dimension = 1;
  double r = 0;
  Kokkos::Array<double, most> p{}, k{};

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    int const d = x.size() < most ? x.size() : most;
    auto distance = Real(0), exponent = Real(0);
    for (int i = 0; i < d; ++i)
      if (shape == CutShape::ball) {
        Real const t = x[i] - Real(p[i]);
        distance += t * t;
        exponent += Real(k[i]) * t;
      } else {
        distance += Real(p[i]) * x[i];
      }
    if (shape == CutShape::half_space)
      exponent = Real(k[0]) * distance;
    return distance <= Real(shape == CutShape::ball ? r * r : r) ? Kokkos::exp(exponent) : Real(0);
  }

  /// The integral over the unit cube.
  double value() const;
};

namespace detail {

/// The integral of a function that is smooth in (lower, upper), by the rule x = tanh(pi/2 sinh s).
template <class F>
long double tanh_sinh(long double lower, long double upper, F const& f) {
  constexpr long double step = 1 / 32.0L, half_pi = std::numbers::pi_v<long double> / 2;
  long double total = 0;
  for (int j = -4 * 32; j <= 4 * 32; ++j) {
    long double const s = step * static_cast<long double>(j), near = std::cosh(half_pi * std::sinh(s));
    long double const x = std::tanh(half_pi * std::sinh(s)), weight = half_pi * std::cosh(s) / (near * near);
    total += weight * f(lower + (upper - lower) * (1 + x) / 2);
  }
  return step * (upper - lower) / 2 * total;
}

/// Slices of the ball perpendicular to k, each of which is a ball of one dimension less.
inline long double ball_value(CutFunction const& f) {
  long double steepness = 0;
  for (int i = 0; i < f.dimension; ++i)
    steepness += static_cast<long double>(f.k[i]) * f.k[i];
  steepness = std::sqrt(steepness);
  long double const r = f.r, half = (f.dimension - 1) / 2.0L;
  return std::pow(std::numbers::pi_v<long double>, half) / std::tgamma(half + 1) * tanh_sinh(-r, r, [&](long double z) {
           return std::exp(steepness * z) * std::pow(std::max(0.0L, (r - z) * (r + z)), half);
         });
}

/// The simplex sum p_i x_i <= r, x_i >= 0, with the simplices beyond the corners of the cube alternately subtracted and
/// added; at s = sum p_i x_i each contributes (s - corner)^(d - 1) / ((d - 1)! prod p_i).
inline long double half_space_value(CutFunction const& f) {
  long double total = 0, scale = 1;
  for (int i = 0; i < f.dimension; ++i)
    scale *= static_cast<long double>(f.p[i]) * std::max(1, i);
  for (unsigned corner = 0; corner < 1U << f.dimension; ++corner) {
    long double at = 0;
    for (int i = 0; i < f.dimension; ++i)
      at += (corner >> i & 1) != 0 ? f.p[i] : 0;
    if (at < f.r)
      total += (std::popcount(corner) % 2 == 0 ? 1 : -1) * tanh_sinh(at, f.r, [&](long double s) {
                 return std::exp(f.k[0] * s) * std::pow(s - at, f.dimension - 1);
               });
  }
  return total / scale;
}

} // namespace detail

inline double CutFunction::value() const {
  return static_cast<double>(shape == CutShape::ball ? detail::ball_value(*this) : detail::half_space_value(*this));
}

/// A random cut of a shape, determined by seed and index. A ball has a radius of 0.25 to 0.45, a random place within
/// the cube and k_i of -2 to 2; a half space has p_i of 0.5 to 1.5, r of 0.3 to 0.7 times their sum and k_1 of -2 to 2.
inline CutFunction random_cut(CutShape shape, int dimension, std::uint64_t seed, std::uint64_t index,
                              std::source_location where = std::source_location::current()) {
  require(dimension >= 1 && dimension <= CutFunction::most, "dimension", dimension, "1 to 10 are possible", where);
  Draws draw(seed, index);
  CutFunction f{shape, dimension};
  f.r = shape == CutShape::ball ? 0.25 + 0.2 * draw() : 0.3 + 0.4 * draw();
  double sum = 0;
  for (int i = 0; i < dimension; ++i) {
    f.p[i] = shape == CutShape::ball ? f.r + (1 - 2 * f.r) * draw() : 0.5 + draw();
    f.k[i] = 4 * draw() - 2;
    sum += f.p[i];
  }
  if (shape == CutShape::half_space)
    f.r *= sum;
  return f;
}

} // namespace kubature::suite
