#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace kubature::detail {

/// The power of two by which sampling kernels multiply values, so that the squares of very large and very small ones
/// stay in range: none if the largest value lies between 2^-300 and 2^300.
class ValueScale {
public:
  /// @param in_double whether sums are in double precision; otherwise nothing is scaled
  /// @param exponent  found in an earlier call
  explicit ValueScale(bool in_double = true, int exponent = 0) : in_double_(in_double), exponent_(exponent) {}
  /// For sums of this type.
  template <class Acc>
  static ValueScale of(int exponent = 0) {
    return ValueScale(sizeof(Acc) >= sizeof(double), exponent);
  }

  int exponent() const { return exponent_; }
  void restore(int exponent) { exponent_ = exponent; }
  /// The factor by which values are multiplied.
  double factor() const { return std::ldexp(1.0, -exponent_); }
  /// A value in its true magnitude.
  double restored(double x) const { return std::ldexp(x, exponent_); }

  /// Examines the largest of the values and errors of an iteration as the kernel computed it.
  /// @returns whether it has to be drawn again, with another factor
  bool adjust_to(double size);

  /// The larger of a size and that of a value; infinite for what is not finite.
  static double larger(double size, double value) {
    return std::isfinite(value) ? std::max(size, std::abs(value)) : std::numeric_limits<double>::infinity();
  }

private:
  bool in_double_;
  int exponent_;
};

} // namespace kubature::detail
