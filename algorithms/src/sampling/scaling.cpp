#include <kubature/detail/sampling/scaling.hpp>

namespace kubature::detail {

bool ValueScale::adjust_to(double size) {
  constexpr int usual = 300, step = 600; // binary exponents: of values left as they are, and of the factor
  if (!in_double_ || size == 0)
    return false;
  int wanted = exponent_ < 0 ? 0 : step; // after small values, squares of ordinary ones overflow
  if (std::isfinite(size)) {
    int const true_exponent = std::ilogb(size) + exponent_;
    wanted = true_exponent > usual ? step : true_exponent < -usual ? -step : 0;
  }
  bool const again = wanted != exponent_;
  exponent_ = wanted;
  return again;
}

} // namespace kubature::detail
