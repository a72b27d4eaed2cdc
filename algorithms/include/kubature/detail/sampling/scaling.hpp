#pragma once

#include <kubature/result.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kubature::detail {

/// The power of two by which sampling kernels multiply values, so that the squares of very large and very small ones
/// stay in range: none if the largest value lies between 2^-300 and 2^300.
class ValueScale {
public:
  /// @param in_double whether sums are in double precision; otherwise nothing is scaled
  /// @param exponent  what an earlier call found
  explicit ValueScale(bool in_double = true, int exponent = 0) : in_double_(in_double), exponent_(exponent) {}

  int exponent() const { return exponent_; }
  /// The factor by which values are multiplied.
  double factor() const { return std::ldexp(1.0, -exponent_); }
  /// A value in its true magnitude.
  double restored(double x) const { return std::ldexp(x, exponent_); }

  /// Looks at the largest of the values and errors of an iteration as the kernel computed it.
  /// @returns whether it has to be drawn again, with another factor
  bool adjust_to(double size) {
    if (!in_double_ || size == 0)
      return false;
    int wanted = exponent_ < 0 ? 0 : step; // squares of values of common size overflow where small ones were met before
    if (std::isfinite(size)) {
      int const true_exponent = std::ilogb(size) + exponent_;
      wanted = true_exponent > usual ? step : true_exponent < -usual ? -step : 0;
    }
    bool const again = wanted != exponent_;
    exponent_ = wanted;
    return again;
  }

  /// The larger of a size and that of a value; infinite for what is not finite.
  static double larger(double size, double value) {
    return std::isfinite(value) ? std::max(size, std::abs(value)) : std::numeric_limits<double>::infinity();
  }

private:
  static constexpr int usual = 300, step = 600;
  bool in_double_;
  int exponent_;
};

/// The same for the iterations of sums of this type.
template <class Acc>
class Scaling : public ValueScale {
public:
  explicit Scaling(int exponent = 0) : ValueScale(sizeof(Acc) >= sizeof(double), exponent) {}

  /// @returns whether the iteration has to be drawn again, with another factor
  template <class Value>
  bool adjust(Iteration<Value> const& scaled, double largest = 0) {
    double size = largest;
    for (int c = 0; c < ValueTraits<Value>::components; ++c)
      for (double const x : {ValueTraits<Value>::get(scaled.value, c), ValueTraits<Value>::get(scaled.error, c)})
        size = larger(size, x);
    return adjust_to(size);
  }

  using ValueScale::restored;
  /// The iteration in its true magnitude.
  template <class Value>
  Iteration<Value> restored(Iteration<Value> iteration) const {
    using Traits = ValueTraits<Value>;
    if (exponent() != 0)
      for (int c = 0; c < Traits::components; ++c) {
        Traits::get(iteration.value, c) = restored(Traits::get(iteration.value, c));
        Traits::get(iteration.error, c) = restored(Traits::get(iteration.error, c));
      }
    return iteration;
  }
};

} // namespace kubature::detail
