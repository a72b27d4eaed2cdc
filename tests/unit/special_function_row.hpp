#pragma once

namespace kubature::special_function_values {

/// A value of a function of a, or of a and b. The scale of errors is its size; next to zeros it is that of what cancels
/// or oscillates there.
struct Row {
  double a, value, scale, b = 0;
};

} // namespace kubature::special_function_values
