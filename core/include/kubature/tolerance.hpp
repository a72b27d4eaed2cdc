#pragma once

#include <kubature/error.hpp>
#include <kubature/error_norm.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace kubature {

/// When an estimate is accurate enough: error <= max(relative * |value|, absolute). If both are zero, no tolerance is
/// requested, and a method does all the work that its options specify.
struct Tolerance {
  double relative = 0;                    ///< as a fraction of the integral
  double absolute = 0;                    ///< in the units of the integral
  ErrorNorm norm = ErrorNorm::individual; ///< of several components

  bool asked() const { return relative > 0 || absolute > 0; } ///< whether a tolerance is requested

  /// The largest error allowed for a value; 0 if no tolerance is requested, or only a relative one and the value is 0.
  double allowed(double value) const { return std::max(relative * std::abs(value), absolute); }

  /// Never true if the allowed error is 0: a value of zero with zero error may be a missed peak, and has no relative
  /// error.
  bool met(double value, double error) const { return allowed(value) > 0 && error <= allowed(value); }
};

/// The most that a call may use. The defaults set no limit. The time limit is observed to about 5 %, also within
/// iterations; an unfinished iteration does not enter the result. Bytes limit the memory that a method allocates on the
/// device.
struct Limits {
  std::uint64_t evaluations = std::numeric_limits<std::uint64_t>::max(); ///< evaluations of the integrand
  int iterations = std::numeric_limits<int>::max();                      ///< iterations of the method
  double seconds = std::numeric_limits<double>::infinity();              ///< the duration of a call, in seconds
  std::size_t bytes = std::numeric_limits<std::size_t>::max();           ///< memory on the device, in bytes
};

/// Throws InvalidArgument for a negative, infinite or NaN tolerance.
inline void check(Tolerance const& tolerance, std::source_location where) {
  auto const usable = [](double t) { return t >= 0 && std::isfinite(t); };
  require(usable(tolerance.relative), "Tolerance.relative", tolerance.relative,
          "a tolerance must be finite and not negative", where);
  require(usable(tolerance.absolute), "Tolerance.absolute", tolerance.absolute,
          "a tolerance must be finite and not negative", where);
}

/// Throws InvalidArgument for a limit that allows no work.
inline void check(Limits const& limits, std::source_location where) {
  require(limits.evaluations > 0, "Limits.evaluations", limits.evaluations, "must be at least 1", where);
  require(limits.iterations > 0, "Limits.iterations", limits.iterations, "must be at least 1", where);
  require(limits.seconds > 0, "Limits.seconds", limits.seconds, "a time limit must be positive", where);
  require(limits.bytes > 0, "Limits.bytes", limits.bytes, "must be at least 1", where);
}

} // namespace kubature
