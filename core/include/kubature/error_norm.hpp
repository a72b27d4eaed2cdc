#pragma once

#include <string_view>

namespace kubature {

/// How a tolerance bounds the errors e_1 ... e_C of several components with values I_1 ... I_C. Under a norm, the
/// errors of small components may be large relative to their values. Because the first regions may miss a peak in such
/// a component, no error may exceed a tenth of the sum of the regions' values of that component while there are fewer
/// than 32768 regions.
enum class ErrorNorm {
  individual, ///< of each component c: e_c <= max(relative |I_c|, absolute)
  max,        ///< max_c e_c <= max(relative max_c |I_c|, absolute)
  l2          ///< sqrt(sum_c e_c^2) <= max(relative sqrt(sum_c I_c^2), absolute)
};

namespace detail {

inline constexpr std::string_view error_norm_summary =
    "With several components: whether each must meet the tolerance, or the largest (max) or Euclidean (l2) norm of all";

} // namespace detail
} // namespace kubature
