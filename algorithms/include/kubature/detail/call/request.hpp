#pragma once

#include <kubature/progress.hpp>
#include <kubature/tolerance.hpp>

#include <source_location>

namespace kubature::detail {

/// The request of a call, besides the integrand and the box. Valid for the whole call.
struct Request {
  Tolerance tolerance;
  Limits limits;
  Callback const& callback;
  std::source_location where; ///< for messages about bad input

  /// The same with other limits, or another callback.
  Request within(Limits const& other) const { return {tolerance, other, callback, where}; }
  Request reporting_to(Callback const& other) const { return {tolerance, limits, other, where}; }
};

} // namespace kubature::detail
