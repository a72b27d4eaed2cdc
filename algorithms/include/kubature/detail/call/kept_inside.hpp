#pragma once

#include <kubature/box.hpp>
#include <kubature/detail/evaluation.hpp>
#include <kubature/error.hpp>
#include <kubature/point.hpp>

#include <source_location>
#include <string>

namespace kubature::detail {

/// An integrand that is evaluated in a coarser format than that of its points: rounding may move these to an end of the
/// box, or beyond the largest number, and the nearest number inside takes their place. So the points themselves cover
/// all of the box.
/// @tparam F the integrand, in its form on the device
template <class F, class Eval, int D>
struct KeptInside {
  static constexpr Evaluation evaluation = evaluation_of<F>;

  F f;
  Inside<Eval, D> inside;

  template <int Dimension>
  KOKKOS_FUNCTION auto operator()(Point<Eval, Dimension> const& x) const {
    return f(inside.nearest(x));
  }

  /// Values of one component or, as an array of arrays, of several.
  template <int Dimension, int W, class Values>
    requires requires(F const& g, Point<Eval, Dimension> const (&x)[W], Values& values) { g.batch(x, values); }
  KOKKOS_FUNCTION void batch(Point<Eval, Dimension> const (&x)[W], Values& values) const {
    Point<Eval, Dimension> at[W];
    for (int w = 0; w < W; ++w)
      at[w] = inside.nearest(x[w]);
    f.batch(at, values);
  }

  /// Of an integrand that has it.
  int components() const
    requires requires(F const& g) { g.components(); }
  {
    return f.components();
  }
  /// Likewise.
  KOKKOS_FUNCTION int dimension() const
    requires requires(F const& g) { g.dimension(); }
  {
    return f.dimension();
  }
};

/// The integrand itself, if a precision P evaluates it in the format of its points.
/// Throws InvalidArgument if a side contains no number of the format of evaluation.
template <class P, int D, class F>
auto kept_inside(F const& f, [[maybe_unused]] Box<D> const& box, [[maybe_unused]] std::source_location where) {
  using Eval = typename P::eval_type;
  if constexpr (sizeof(Eval) < sizeof(typename P::sample_type)) {
    auto const format = CoordinateFormat::of<Eval>();
    for (int i = 0; i < box.dimension(); ++i)
      require(PlacedSide(box[i], format).exists(format), "Box side " + std::to_string(i + 1),
              box[i].upper - box[i].lower, "the side is too short at its position for this precision", where);
    return KeptInside<F, Eval, D>{f, Inside<Eval, D>(box)};
  } else {
    return f;
  }
}

} // namespace kubature::detail
