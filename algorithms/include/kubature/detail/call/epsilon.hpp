#pragma once

#include <limits>
#include <type_traits>

namespace kubature::detail {

/// The machine epsilon of the numbers in which a precision P evaluates the integrand. (Kokkos's value for half_t is not
/// a constant on CUDA; its 11 bits are those of binary16.)
template <class P, class Real = typename P::eval_type>
inline constexpr double epsilon = static_cast<double>(
    std::is_floating_point_v<Real>
        ? std::numeric_limits<std::conditional_t<std::is_floating_point_v<Real>, Real, double>>::epsilon()
        : 0x1p-10);

} // namespace kubature::detail
