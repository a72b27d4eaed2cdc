#pragma once

#include <kubature/batched.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/point.hpp>
#include <kubature/tuning.hpp>

#include <type_traits>
#include <utility>

namespace kubature::detail {

/// Whether kernels that evaluate an integrand are compiled for several numbers of variables besides the kernel for any
/// number: those in double precision, for integrands of one component that are given at run time, namely formulas and
/// functions of batches. The author of a function object can name the number in the type of the box instead.
template <class P, class F, int C, int D>
inline constexpr bool is_for_any_dimension =
    D == dynamic && C == 1 && std::is_same_v<typename P::sample_type, double> &&
    (evaluation_of<F> == Evaluation::formula || evaluation_of<F> == Evaluation::batch);

template <int... N, class Work>
bool at_one_of(std::integer_sequence<int, N...>, int dimension, Work const& work) {
  return ((dimension == N && (work(std::integral_constant<int, N>()), true)) || ...);
}

/// Calls work(D) with the number of variables as a constant if the backend wants kernels compiled for it
/// (Tuning::Dimensions). A GPU then keeps points in registers: on an H200, VEGAS+ samples a formula in five variables 5
/// times as fast and a function of batches twice as fast, PAGANI is 1.6 to 2.9 times as fast, and mixed precision with
/// terms in two formats twice as fast.
/// @tparam C components of the integrand
/// @tparam D the number of variables passed to work otherwise
template <class Space, class P, class F, int C, int D, class Work>
void at_dimension(int dimension, Work const& work) {
  if constexpr (is_for_any_dimension<P, F, C, D>)
    if (at_one_of(typename Tuning<Space>::Dimensions(), dimension, work))
      return;
  work(std::integral_constant<int, D>());
}

} // namespace kubature::detail
