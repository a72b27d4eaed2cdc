#pragma once

#include <kubature/point.hpp>

#include <concepts>
#include <type_traits>

/// \file
/// How kernels get the values of an integrand in its form on the device. Members of integrands are looked for here and
/// nowhere else.

namespace kubature::detail {

/// Where the values of an integrand come from.
enum class Evaluation {
  point,      ///< a function object: f(x), and several points side by side where it has batch()
  formula,    ///< the same, given at run time: dimension() is its number of variables
  batch,      ///< the caller's function f.f(exec, points, values), called on the host for all points of a batch
  components, ///< the same, with a number of components known at run time, whose sums f.sums keeps
  blocks,     ///< the same function, called by each thread of a host for a block of its points
  stored      ///< memory: value() reads what a batch has left there
};

/// That of an integrand of type F: what its static member `evaluation` says; without one, it is a function object.
template <class F>
inline constexpr Evaluation evaluation_of = [] {
  if constexpr (requires { F::evaluation; })
    return F::evaluation;
  else if constexpr (requires(F const& f) { f.dimension(); })
    return Evaluation::formula;
  else
    return Evaluation::point;
}();

/// Whether an integrand evaluates batches by itself, with a function of the caller.
template <class F>
inline constexpr bool is_batched = evaluation_of<F> == Evaluation::batch || evaluation_of<F> == Evaluation::components;

/// Whether its components are known only at run time, so that their sums are elsewhere.
template <class F>
inline constexpr bool summed_elsewhere = evaluation_of<F> == Evaluation::components;

/// Whether its values are in memory.
template <class F>
inline constexpr bool is_in_memory = evaluation_of<F> == Evaluation::stored;

/// Whether it evaluates W points together, by its member batch(x, value).
template <class F, class Real, int D, int W>
concept EvaluatesSideBySide =
    (W > 1) && requires(F const& f, Point<Real, D> const (&x)[W], Real (&value)[W]) { f.batch(x, value); };

/// Whether it evaluates C components at W points together.
template <class F, class Real, int D, int C, int W>
concept EvaluatesComponentsSideBySide =
    (W > 1) && requires(F const& f, Point<Real, D> const (&x)[W], Real (&values)[C][W]) { f.batch(x, values); };

/// Whether it evaluates W points whose coordinates are side by side, x[axis][point], by its member columns(x, value);
/// it writes to further_columns rows behind the coordinates.
template <class F, class Real, int W>
concept EvaluatesColumns = (W > 1) && requires(F const& f, Real (*x)[W], Real (&value)[W]) {
  { F::further_columns } -> std::convertible_to<int>;
  f.columns(x, value);
};

/// Whether a caller's function evaluates batches of these types.
template <class F, class Space, class Points, class Values>
concept EvaluatesBatches =
    requires(F const& f, Space const& exec, Points const& points, Values const& values) { f(exec, points, values); };

/// Whether it says by thread_safe() that threads may call it, and whether it has in_thread(points, values) for them.
template <class F>
concept AnswersForThreads = requires(F const& f) { f.thread_safe(); };
template <class F, class Points, class Values>
concept EvaluatesInThreads = AnswersForThreads<F> && requires(F const& f, Points const& points, Values const& values) {
  f.in_thread(points, values);
};

/// Whether it can say by weighted() that it wants the weights of its points.
template <class F>
concept MayWantWeights = requires(F const& f) { f.weighted(); };

template <class F>
bool wants_weights([[maybe_unused]] F const& f) {
  if constexpr (MayWantWeights<F>)
    return f.weighted();
  else
    return false;
}

/// Whether it has another form on the device, which on(exec) makes.
template <class F, class Space>
concept HasDeviceForm = requires(F const& f, Space const& exec) { f.on(exec); };

/// Whether it says in which memory it lies.
template <class F>
concept KnowsItsMemory = requires { typename F::memory_space; };

/// Whether it is a sum whose terms are known at run time.
template <class F>
concept HasTermsAtRunTime = requires(F const& f) { f.terms(); };

/// The number of components in use: the C that kernels sum, or fewer where it is known at run time; the others are
/// zero.
template <int C, class F>
int used_components([[maybe_unused]] F const& f) {
  if constexpr (requires { f.components(); })
    return f.components();
  else if constexpr (requires { f.f.components(); }) // a function of batches
    return f.f.components();
  else
    return C;
}

/// The number of values that an integrand of batches leaves in memory for each point; 0 for any other.
template <class F>
int values_of_point([[maybe_unused]] F const& f) {
  if constexpr (summed_elsewhere<F>)
    return f.components();
  else if constexpr (is_batched<F>)
    return F::components;
  else
    return 0;
}

} // namespace kubature::detail
