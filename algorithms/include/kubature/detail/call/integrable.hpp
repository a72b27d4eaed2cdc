#pragma once

#include <kubature/backend.hpp>
#include <kubature/batched.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/integrand.hpp>
#include <kubature/point.hpp>
#include <kubature/precision.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

/// \file
/// What the compiler says of an integrand that cannot be integrated: one sentence. Calls look here first, and compile
/// nothing else where the answer is no, so that the sentence is all there is to read.

namespace kubature::detail {

/// Whether F is called with points in D variables and returns real numbers of which there are sums.
template <class F, class Real, int D>
constexpr bool check_function() {
  constexpr bool callable = std::copy_constructible<F> && requires(F const& f, Point<Real, D> const& x) { f(x); };
  static_assert(callable,
                "the integrand must be callable with a Point<Real, D> of the box's dimension D, where Real is the "
                "type of evaluation of the precision: double for fp64, float for fp32. Make it a template in Real, "
                "and const, or unpack() a function of separate arguments");
  if constexpr (callable) {
    constexpr bool real = Integrand<F, Real, D>;
    static_assert(real, "the integrand must return a real number, a float or a double, or several in a Kokkos::Array: "
                        "no int, no std::array. real_and_imaginary(f) makes two components of a function that returns "
                        "Kokkos::complex");
    return real;
  } else {
    return false;
  }
}

/// Whether a caller's function evaluates batches. Its body is compiled here first, near the call.
template <class F, class Space>
constexpr bool check_batched() {
  using Points = BatchPoints<Space>;
  using Values = BatchValues<Space>;
  constexpr bool evaluates = EvaluatesBatches<F, Space, Points, Values>,
                 by_threads =
                     on_device_of_its_own<Space> || !AnswersForThreads<F> || EvaluatesInThreads<F, Points, Values>;
  static_assert(evaluates,
                "a function given to batched() is called, and const, as f(exec, points, values), with the instance of "
                "the execution space, BatchPoints and BatchValues");
  static_assert(by_threads, "a function given to batched() that has thread_safe() also has in_thread(points, values), "
                            "const");
  if constexpr (evaluates)
    static_cast<void>([](F const& f, Space const& exec, Points const& x, Values const& y) { f(exec, x, y); });
  return evaluates && by_threads;
}

/// The precision of a method, or fp64 for one that chooses among all.
template <class Method>
struct PrecisionOf {
  using type = Fp64;
};
template <class Method>
  requires requires(Method const& method) { method.precision; }
struct PrecisionOf<Method> {
  using type = std::remove_cvref_t<decltype(std::declval<Method const&>().precision)>;
};

/// Whether a method can integrate F over D coordinates. Of formulas, and of components known at run time, nothing is
/// asked here.
template <class Method, class Space, class F, int D>
constexpr bool integrable() {
  using P = typename PrecisionOf<Method>::type;
  if constexpr (HasDeviceForm<F, Space> || has_run_time_components<F>)
    return true;
  else if constexpr (is_batched<F>)
    return check_batched<std::remove_cvref_t<decltype(std::declval<F const&>().f)>, Space>();
  else if constexpr (std::is_same_v<P, Adaptive>)
    return check_function<F, double, D>() && check_function<F, float, D>();
  else
    return check_function<F, typename P::eval_type, D>();
}

} // namespace kubature::detail
