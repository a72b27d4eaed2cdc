#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/mixed_precision/cell.hpp>
#include <kubature/detail/probing/parts.hpp>
#include <kubature/detail/sampling/evaluate.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace kubature::detail {

/// The integrand, or the sum of its terms, each in its format. The sum is in the format of the points; that of the
/// terms of one format is in that format if a program computes it (Mix::sums, where the terms of f are these sums).
/// Points that are rounded for a term stay inside the box.
template <Mix mix, class Lowest, class F, int Dimension>
struct TermsInFormats {
  F const& f;
  Cell const& cell;
  Inside<float, Dimension> const& singles;
  Inside<Lowest, Dimension> const& lowest;

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Point<Real, D> const at[1] = {x};
    Real value[1];
    batch(at, value);
    return value[0];
  }

  template <class Real, int D, int W>
  KOKKOS_FUNCTION void batch(Point<Real, D> const (&x)[W], Real (&values)[W]) const {
    for (int w = 0; w < W; ++w)
      values[w] = 0;
    if constexpr (mix == Mix::sums) {
      if (int const k = cell.sums[2]; k >= 0)
        add<double>(Term<F>{f, k}, x, values);
      Point<float, D> low[W];
      round(x, low);
      if (int const k = cell.sums[1]; k >= 0)
        add<float>(Term<F>{f, k}, low, values);
      if constexpr (!std::is_same_v<Lowest, float>)
        if (int const k = cell.sums[0]; k >= 0)
          add<Lowest>(Term<F>{f, k}, low, values);
    } else if constexpr (mix == Mix::terms) {
      auto const formats = cell.formats;
      Point<float, D> low[W];
      round(x, low);
      for_each_term(f, [&](int k, auto const& term) {
        if (formats.half(k))
          add<Lowest>(term, low, values);
        else if (formats.single(k))
          add<float>(term, low, values);
        else
          add<double>(term, x, values);
      });
    } else {
      add<Real>(f, x, values);
    }
  }

private:
  template <class Real, int D, int W>
  KOKKOS_FUNCTION void round(Point<Real, D> const (&x)[W], Point<float, D> (&low)[W]) const {
    for (int w = 0; w < W; ++w)
      low[w] = singles.nearest(rounded<float>(x[w]));
  }

  /// Adds what g returns for points in the format Real.
  template <class Real, class G, class From, class Sum, int D, int W>
  KOKKOS_FUNCTION void add(G const& g, Point<From, D> const (&x)[W], Sum (&values)[W]) const {
    if constexpr (EvaluatesSideBySide<G, Real, D, W>) {
      Real batch[W];
      if constexpr (std::is_same_v<Real, From>) {
        g.batch(x, batch);
      } else {
        Point<Real, D> at[W];
        for (int w = 0; w < W; ++w)
          at[w] = low<Real>(x[w]);
        g.batch(at, batch);
      }
      for (int w = 0; w < W; ++w)
        values[w] += static_cast<Sum>(batch[w]);
    } else {
      for (int w = 0; w < W; ++w)
        values[w] += static_cast<Sum>(g(low<Real>(x[w])));
    }
  }

  /// A point in the format of a term, which may be that of x.
  template <class Real, class From, int D>
  KOKKOS_FUNCTION Point<Real, D> low(Point<From, D> const& x) const {
    if constexpr (std::is_same_v<Real, From>)
      return x;
    else
      return lowest.nearest(rounded<Real>(x));
  }
};

} // namespace kubature::detail
