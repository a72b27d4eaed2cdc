#pragma once

#include <kubature/detail/evaluation.hpp>
#include <kubature/detail/sampling/harmless_values.hpp>
#include <kubature/integrand.hpp>
#include <kubature/result.hpp>

#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>

namespace kubature::detail {

/// The point in another precision.
template <class To, class From, int D>
KOKKOS_FUNCTION decltype(auto) rounded(Point<From, D> const& x) {
  if constexpr (std::is_same_v<To, From>) {
    return (x);
  } else {
    Point<To, D> result;
    result.set_size(x.size());
    for (int i = 0; i < x.size(); ++i)
      result[i] = static_cast<To>(x[i]);
    return result;
  }
}

/// The components of point w.
template <int C, class Real, int W>
KOKKOS_FUNCTION Kokkos::Array<Real, C> nth(Real const (&values)[C][W], int w) {
  Kokkos::Array<Real, C> result;
  for (int c = 0; c < C; ++c)
    result[c] = values[c][w];
  return result;
}

/// f(x), evaluated in precision Eval, times the Jacobian at W points side by side, as numbers to be summed.
/// @param live   live(w) returns whether point w counts
/// @param values the products, [component][point]; 0 for points that do not count
/// @param bad    counts the points with a value that is NaN or infinite; a product too large for double precision shows
///               in the sums instead (see Scaling)
/// @param reason  reason(w) is the cause of a value that is not finite; a harmless one counts as zero
template <class Eval, class Acc, class F, class Sample, int D, int C, int W, class Live, class Reason>
KOKKOS_FUNCTION void evaluate(F const& f, Point<Sample, D> const (&x)[W], Acc const (&jacobian)[W], Live const& live,
                              NonFinite policy, Acc (&values)[C][W], NonFiniteSamples& bad, Reason const& reason) {
  constexpr bool components_batched = C > 1 && EvaluatesComponentsSideBySide<F, Eval, D, C, W>;
  constexpr bool batched = EvaluatesSideBySide<F, Eval, D, W>;
  using Batch = std::conditional_t<components_batched, Eval[C][W], Eval[W]>;
  [[maybe_unused]] Batch batch;
  if constexpr ((batched || components_batched) && std::is_same_v<Eval, Sample>) {
    f.batch(x, batch);
  } else if constexpr (batched || components_batched) {
    Point<Eval, D> at[W];
    for (int w = 0; w < W; ++w)
      at[w] = rounded<Eval>(x[w]);
    f.batch(at, batch);
  }
  for (int w = 0; w < W; ++w) {
    if (W > 1 && !live(w)) {
      for (int c = 0; c < C; ++c)
        values[c][w] = 0;
      continue;
    }
    auto const value = [&] {
      if constexpr (components_batched)
        return nth<C>(batch, w);
      else if constexpr (batched)
        return batch[w];
      else if constexpr (is_in_memory<F>)
        return f.value(w);
      else
        return f(rounded<Eval>(x[w]));
    }();
    using Traits = ValueTraits<std::remove_const_t<decltype(value)>>;
    bool finite = true;
    for (int c = 0; c < C; ++c) {
      Acc const of_f = static_cast<Acc>(Traits::get(value, c));
      values[c][w] = of_f * jacobian[w];
      finite = finite && Kokkos::isfinite(sizeof(Acc) < sizeof(double) ? values[c][w] : of_f);
    }
    if (!finite) [[unlikely]] {
      auto why = reason_of(static_cast<double>(Traits::get(value, 0)));
      if (why == NotFinite::seriously)
        why = reason(w);
      if (live(w))
        bad.add(why);
      for (int c = 0; (why != NotFinite::seriously || policy != NonFinite::propagate) && c < C; ++c)
        values[c][w] = 0;
    }
  }
}

/// f(x) of an integrand of one component, at those of W points on a host whose bit is set; 0 at others, unless the
/// integrand evaluates all.
template <class Eval, class F, class Sample, int D, int W>
KOKKOS_FUNCTION void evaluate_on_host(F const& f, Point<Sample, D> const (&x)[W], std::uint32_t live,
                                      double (&values)[W]) {
  if constexpr (EvaluatesSideBySide<F, Eval, D, W> && std::is_same_v<Eval, Sample> && std::is_same_v<Eval, double>) {
    f.batch(x, values);
  } else if constexpr (EvaluatesSideBySide<F, Eval, D, W>) {
    Point<Eval, D> at[W];
    Eval batch[W];
    for (int w = 0; w < W; ++w)
      at[w] = rounded<Eval>(x[w]);
    f.batch(at, batch);
    for (int w = 0; w < W; ++w)
      values[w] = static_cast<double>(batch[w]);
  } else {
    for (int w = 0; w < W; ++w) {
      values[w] = 0;
      if (live >> w & 1) {
        auto const value = f(rounded<Eval>(x[w]));
        values[w] = static_cast<double>(ValueTraits<std::remove_const_t<decltype(value)>>::get(value, 0));
      }
    }
  }
}

/// Precomputed values of a scalar integrand at a block of points, for evaluate().
struct Evaluated {
  static constexpr auto evaluation = Evaluation::stored;
  double const* values;

  KOKKOS_FUNCTION double value(int w) const { return values[w]; }
};

} // namespace kubature::detail
