#pragma once

#include <kubature/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace kubature {

/// When an estimate is good enough: error <= max(relative * |value|, absolute).
/// Both zero: no tolerance is asked for, and a method does all the work that its options name.
struct Tolerance {
  double relative = 0; ///< in units of the integral
  double absolute = 0; ///< in the integral's own units

  bool asked() const { return relative > 0 || absolute > 0; } ///< whether any tolerance is asked for

  /// The error that a value may have; 0 where no tolerance is asked for, and where zero has none but a relative one.
  double allowed(double value) const { return std::max(relative * std::abs(value), absolute); }

  /// Never where no error is allowed: a zero without error may be a peak that was missed, and has no relative error.
  bool met(double value, double error) const { return allowed(value) > 0 && error <= allowed(value); }
};

/// What a call may use at most. The defaults set no limit.
/// Seconds are kept to about a twentieth, within iterations, too: one that was not finished stays out of the result.
/// Bytes bound the memory that a method takes on the device.
struct Limits {
  std::uint64_t evaluations = std::numeric_limits<std::uint64_t>::max(); ///< how often the integrand may be evaluated
  int iterations = std::numeric_limits<int>::max();                      ///< how many iterations there may be
  double seconds = std::numeric_limits<double>::infinity();              ///< how long a call may take
  std::size_t bytes = std::numeric_limits<std::size_t>::max(); ///< how much memory of the device a call may use
};

/// Throws InvalidArgument for a negative, infinite or NaN tolerance.
inline void check(Tolerance const& tolerance, std::source_location where) {
  auto const usable = [](double t) { return t >= 0 && std::isfinite(t); };
  require(usable(tolerance.relative), "Tolerance.relative", tolerance.relative,
          "a tolerance is a finite number, zero or above", where);
  require(usable(tolerance.absolute), "Tolerance.absolute", tolerance.absolute,
          "a tolerance is a finite number, zero or above", where);
}

/// Throws InvalidArgument for a limit that leaves nothing to do.
inline void check(Limits const& limits, std::source_location where) {
  require(limits.evaluations > 0, "Limits.evaluations", limits.evaluations, "at least 1 is needed", where);
  require(limits.iterations > 0, "Limits.iterations", limits.iterations, "at least 1 is needed", where);
  require(limits.seconds > 0, "Limits.seconds", limits.seconds, "a time limit is above zero", where);
  require(limits.bytes > 0, "Limits.bytes", limits.bytes, "at least 1 is needed", where);
}

} // namespace kubature
