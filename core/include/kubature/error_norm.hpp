#pragma once

#include <string_view>

namespace kubature {

/// How a tolerance bounds the errors e_1 ... e_C of several components with values I_1 ... I_C. Under a norm, the
/// errors of small components may be large relative to their values. Because the first regions of cubature may miss a
/// peak in such a component, no error may there exceed a tenth of the sum of the regions' values of that component
/// while there are fewer than 32768 regions.
enum class ErrorNorm {
  individual, ///< of each component c: e_c <= max(relative |I_c|, absolute)
  paired,     ///< of each pair, such as a complex number: sqrt(e_1^2 + e_2^2) <= max(relative |(I_1, I_2)|, absolute)
  l1,         ///< sum_c e_c <= max(relative sum_c |I_c|, absolute)
  l2,         ///< sqrt(sum_c e_c^2) <= max(relative sqrt(sum_c I_c^2), absolute)
  max         ///< max_c e_c <= max(relative max_c |I_c|, absolute)
};

namespace detail {

inline constexpr std::string_view error_norm_summary =
    "With several components: whether each must meet the tolerance, or each pair in its Euclidean norm (paired), or "
    "the sum (l1), the Euclidean (l2) or the largest (max) norm of all";

} // namespace detail
} // namespace kubature
