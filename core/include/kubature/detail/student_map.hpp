#pragma once

#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// Student's t distribution with four degrees of freedom, restricted to a <= y <= b. With s = y / sqrt(y^2 + 4) the
/// unrestricted distribution is (1 + s)^2 (2 - s) / 4; s is a root of a cubic. Both are written without cancellation,
/// in 1 + s below zero and mirrored above.
class Student4Between {
public:
  KOKKOS_FUNCTION Student4Between(double a, double b) : mirrored_(a > 0) {
    double const lower = mirrored_ ? -b : a, upper = mirrored_ ? -a : b;
    bool const inside = upper > 0;
    below_ = tail(lower);
    above_ = inside ? tail(upper) : 1 - tail(upper);
    mass_ = inside ? 1 - below_ - above_ : tail(upper) - below_;
  }

  struct Placed {
    double at, slope;
  };
  /// The quantile function and its derivative.
  /// @param u from 0 to 1
  KOKKOS_FUNCTION Placed quantile(double u) const {
    double const v = mirrored_ ? 1 - u : u;
    double const p = below_ + v * mass_, q = above_ + (1 - v) * mass_;
    double const angle = Kokkos::asin(Kokkos::sqrt(p < q ? p : q)) / 3;
    double const sine = Kokkos::sin(angle);
    double const e = 2 * sine * (Kokkos::numbers::sqrt3 * Kokkos::cos(angle) + sine), root = e * (2 - e);
    double const y = 2 * (1 - e) / Kokkos::sqrt(root);
    return {(p < q) == mirrored_ ? y : -y, mass_ * 8 / (3 * root * root * Kokkos::sqrt(root))};
  }
  /// The density at y, where a <= y <= b.
  KOKKOS_FUNCTION double density(double y) const {
    double const root = 4 / (y * y + 4);
    return 0.375 * root * root * Kokkos::sqrt(root) / mass_;
  }

private:
  /// The probability below y <= 0; above y > 0 it is that below -y.
  KOKKOS_FUNCTION static double tail(double y) {
    double const r = Kokkos::sqrt(y * y + 4), e = 4 / (r * (r + Kokkos::abs(y))); // e = 1 - |s|
    return Kokkos::isinf(r) ? 0.0 : e * e * (3 - e) / 4;
  }

  bool mirrored_;               ///< then a > 0, and what follows is of -b to -a
  double below_, above_, mass_; ///< probabilities
};

/// A map from the unit cube onto a box, and its density. Coordinates are drawn in order, each from Student's t
/// distribution with four degrees of freedom about its mean given those before, restricted to the box (Rosenblatt, Ann.
/// Math. Stat. 23 (1952) 470).
class StudentMap {
public:
  /// @param numbers the d coordinates of the centre, then the lower triangle, by rows, of the Cholesky factor of the
  ///                covariance
  KOKKOS_FUNCTION StudentMap(double const* numbers, int d) : centre_(numbers), d_(d) {}

  /// @param x      d coordinates in the unit cube, then those in the box
  /// @param limits the ends of side i of the box
  /// @returns the derivative
  template <class Limits>
  KOKKOS_FUNCTION double map(double* x, Limits const& limits) const {
    double y[max_dimension], jacobian = 1;
    double const* row = centre_ + d_;
    for (int i = 0; i < d_; row += ++i) {
      double const mean = mean_of(i, row, y);
      auto const [least, most] = limits(i);
      auto const [here, slope] = Student4Between((least - mean) / row[i], (most - mean) / row[i]).quantile(x[i]);
      y[i] = here;
      double const to = mean + row[i] * here;
      x[i] = to < least ? least : to > most ? most : to;
      jacobian *= row[i] * slope;
    }
    return jacobian;
  }
  /// The density at a point of the box.
  template <class Limits>
  KOKKOS_FUNCTION double density(double const* x, Limits const& limits) const {
    double y[max_dimension], result = 1;
    double const* row = centre_ + d_;
    for (int i = 0; i < d_; row += ++i) {
      double const mean = mean_of(i, row, y);
      auto const [least, most] = limits(i);
      y[i] = (x[i] - mean) / row[i];
      result *= Student4Between((least - mean) / row[i], (most - mean) / row[i]).density(y[i]) / row[i];
    }
    return result;
  }

private:
  KOKKOS_FUNCTION double mean_of(int i, double const* row, double const* y) const {
    double mean = centre_[i];
    for (int j = 0; j < i; ++j)
      mean += row[j] * y[j];
    return mean;
  }

  double const* centre_;
  int d_;
};

} // namespace kubature::detail
