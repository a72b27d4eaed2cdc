#pragma once

#include <kubature/integrand.hpp>
#include <kubature/result.hpp>

#include <Kokkos_MathematicalFunctions.hpp>

#include <cstdint>

namespace kubature::detail {

/// f(x) times the Jacobian at W points side by side, as numbers to be summed.
/// @param active only the first `active` points count
/// @param values the products, [component][point]
/// @param bad    is raised by the number of points with a value that is NaN or infinite
template <class Acc, class F, class Eval, int D, int C, int W>
KOKKOS_FUNCTION void evaluate(F const& f, Point<Eval, D> const (&x)[W], Acc const (&jacobian)[W], int active,
                              NonFinite policy, Acc (&values)[C][W], std::uint64_t& bad) {
  for (int w = 0; w < W; ++w) {
    if (W > 1 && w >= active) {
      for (int c = 0; c < C; ++c)
        values[c][w] = 0;
      continue;
    }
    auto const value = f(x[w]);
    using Traits = ValueTraits<std::remove_const_t<decltype(value)>>;
    bool finite = true;
    for (int c = 0; c < C; ++c) {
      values[c][w] = static_cast<Acc>(Traits::get(value, c)) * jacobian[w];
      finite = finite && Kokkos::isfinite(values[c][w]);
    }
    if (!finite) {
      ++bad;
      for (int c = 0; policy != NonFinite::propagate && c < C; ++c)
        values[c][w] = 0;
    }
  }
}

} // namespace kubature::detail
