#pragma once

#include <kubature/expression.hpp>
#include <kubature/expressions.hpp>
#include <kubature/expressions_in_batches.hpp>
#include <kubature/point.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

/// What the tests of formulas share that evaluate them where a space computes.
namespace expression_values {

/// Evaluates a formula of D variables at points, W side by side.
template <class Space, class Real, int D, int W>
struct Evaluate {
  kubature::DeviceExpression<typename Space::memory_space> f;
  Kokkos::View<double**, Space> points;
  Kokkos::View<double*, Space> values;

  KOKKOS_FUNCTION void operator()(int block) const {
    kubature::Point<Real, D> x[W];
    Real value[W];
    for (int w = 0; w < W; ++w)
      for (int axis = 0; axis < D; ++axis)
        x[w][axis] = static_cast<Real>(points(block * W + w, axis));
    f.batch(x, value);
    for (int w = 0; w < W; ++w)
      values(block * W + w) = static_cast<double>(value[w]);
  }
};

template <class Space>
constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// The values of a formula at points, W side by side; where hosts do not compute, in batches of double precision, whose
/// kernel alone calls special functions there.
template <class Space, class Real, int W, std::size_t D>
std::vector<double> evaluated(std::string const& text, std::vector<std::string> const& names,
                              std::vector<std::array<double, D>> const& at) {
  Space const exec;
  auto const blocks = (static_cast<int>(at.size()) + W - 1) / W;
  Kokkos::View<double**, Space> points("test::expression::points", blocks * W, D);
  Kokkos::View<double*, Space> values("test::expression::values", blocks * W);
  auto const host = Kokkos::create_mirror_view(points);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t axis = 0; axis < D; ++axis)
      host(i, axis) = at[i < at.size() ? i : 0][axis];
  Kokkos::deep_copy(points, host);
  if constexpr (on_host<Space>) {
    auto const f = kubature::Expression::parse(text, names);
    Kokkos::parallel_for("test::expression::evaluate", Kokkos::RangePolicy<Space>(exec, 0, blocks),
                         Evaluate<Space, Real, static_cast<int>(D), W>{f.on(exec), points, values});
  } else {
    auto const n = values.extent(0);
    kubature::ExpressionsInBatches<Space> const f(exec, kubature::Expressions::parse(text, names));
    f(exec, kubature::BatchPoints<Space>(points.data(), n, D), kubature::BatchValues<Space>(values.data(), n, 1));
  }
  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, values);
  return {result.data(), result.data() + at.size()};
}

} // namespace expression_values
