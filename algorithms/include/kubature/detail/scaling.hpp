#pragma once

#include <kubature/result.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kubature::detail {

/// The power of two by which sampling kernels multiply values, so that the squares of very large and very small ones
/// stay in range: none if the largest value lies between 2^-300 and 2^300. Sums in double precision have room for that
/// by themselves.
template <class Acc>
class Scaling {
public:
  /// @param exponent what an earlier call found
  explicit Scaling(int exponent = 0) : exponent_(exponent) {}

  int exponent() const { return exponent_; }
  /// The factor by which values are multiplied.
  double factor() const { return std::ldexp(1.0, -exponent_); }

  /// Looks at an iteration as the kernel computed it. @returns whether it has to be drawn again, with another factor
  template <class Value>
  bool adjust(Iteration<Value> const& scaled, double largest = 0) {
    if constexpr (sizeof(Acc) < sizeof(double))
      return false;
    double size = largest;
    for (int c = 0; c < ValueTraits<Value>::components; ++c)
      for (double const x : {ValueTraits<Value>::get(scaled.value, c), ValueTraits<Value>::get(scaled.error, c)})
        size = std::isfinite(x) ? std::max(size, std::abs(x)) : std::numeric_limits<double>::infinity();
    if (size == 0)
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

  /// The iteration in its true magnitude.
  template <class Value>
  Iteration<Value> restored(Iteration<Value> iteration) const {
    if (exponent_ != 0)
      for (int c = 0; c < ValueTraits<Value>::components; ++c) {
        using Traits = ValueTraits<Value>;
        Traits::get(iteration.value, c) = restored(Traits::get(iteration.value, c));
        Traits::get(iteration.error, c) = restored(Traits::get(iteration.error, c));
      }
    return iteration;
  }
  double restored(double x) const { return std::ldexp(x, exponent_); }

private:
  static constexpr int usual = 300, step = 600;
  int exponent_;
};

} // namespace kubature::detail
