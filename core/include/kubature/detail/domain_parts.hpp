#pragma once

#include <kubature/box.hpp>
#include <kubature/error.hpp>
#include <kubature/side.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalConstants.hpp>
#include <Kokkos_MathematicalFunctions.hpp>
#include <Kokkos_NumericTraits.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// What the ready-made domains are made of.

namespace kubature::detail {

/// x^n for n >= 0.
template <class Real>
KOKKOS_FUNCTION Real power(Real x, int n) {
  Real product = 1;
  for (int i = 0; i < n; ++i)
    product *= x;
  return product;
}

/// Places t in (0, 1) between two bounds, which may be infinite (see Box for the formulas), strictly inside as far as
/// there are numbers. @returns dx/dt, negative where upper < lower
template <class Real>
KOKKOS_FUNCTION Real place_between(Real t, Real lower, Real upper, Real& x) {
  if (lower > upper)
    return -place_between(1 - t, upper, lower, x);
  bool const below = Kokkos::isinf(lower), above = Kokkos::isinf(upper);
  if (below && above) {
    Real const s = 2 * t - 1, q = 4 * t * (1 - t); // 1 - s^2
    x = s / q;
    return 2 * (1 + s * s) / (q * q);
  }
  if (above) {
    x = lower + t / (1 - t);
    return 1 / ((1 - t) * (1 - t));
  }
  if (below) {
    x = upper - (1 - t) / t;
    return 1 / (t * t);
  }
  Real const length = upper - lower;
  x = t < Real(0.5) ? lower + t * length : upper - (1 - t) * length; // from the end that is nearer
  Real const spacing = Kokkos::Experimental::epsilon_v<Real> * Kokkos::fmax(Kokkos::fabs(lower), Kokkos::fabs(upper));
  if (x <= lower)
    x = lower + Kokkos::fmin(spacing, length / 2);
  if (x >= upper)
    x = upper - Kokkos::fmin(spacing, length / 2);
  return length;
}

/// The direction of D - 2 angles from 0 to pi and one from 0 to 2 pi, each in units of its range, as a unit vector.
/// @returns the surface element of the unit sphere, per unit cube
template <int D, class Real>
KOKKOS_FUNCTION Real direction(Real const* angle, Real* x) {
  constexpr Real pi = Kokkos::numbers::pi_v<Real>;
  Real sines = 1, element = 2 * pi;
  for (int i = 0; i < D - 2; ++i) {
    Real const sine = Kokkos::sin(pi * angle[i]);
    x[i] = sines * Kokkos::cos(pi * angle[i]);
    element *= pi * power(sine, D - 2 - i);
    sines *= sine;
  }
  x[D - 2] = sines * Kokkos::cos(2 * pi * angle[D - 2]);
  x[D - 1] = sines * Kokkos::sin(2 * pi * angle[D - 2]);
  return element;
}

/// The sides of a domain, each a Side, a Between or a distribution (kubature/measures.hpp); kept without std::tuple,
/// which devices do not have.
template <class... S>
struct SideList;
template <class First, class... Rest>
struct SideList<First, Rest...> {
  First first;
  SideList<Rest...> rest;

  explicit SideList(First const& one, Rest const&... others) : first(one), rest(others...) {}
};
template <class Last>
struct SideList<Last> {
  Last first;

  explicit SideList(Last const& one) : first(one) {}
};

template <class S>
concept DependsOnEarlier = requires(S const& side, double const* x) {
  side.lower(x);
  side.upper(x);
};

/// Places coordinate i, whose side may depend on those before. @returns dx/du
template <class S, class Real>
KOKKOS_FUNCTION Real place_side(S const& side, Real u, Real* x, int i) {
  if constexpr (requires { side.quantile(0.5); }) {
    return side(&u, x + i);
  } else if constexpr (DependsOnEarlier<S>) {
    return place_between(u, static_cast<Real>(side.lower(x)), static_cast<Real>(side.upper(x)), x[i]);
  } else {
    return place_between(u, static_cast<Real>(side.lower), static_cast<Real>(side.upper), x[i]);
  }
}

/// Places sides from number i on.
template <class List, class Real>
KOKKOS_FUNCTION Real place_sides(List const& list, Real const* u, Real* x, int i) {
  Real const jacobian = place_side(list.first, u[i], x, i);
  if constexpr (requires { list.rest; })
    return jacobian * place_sides(list.rest, u, x, i + 1);
  else
    return jacobian;
}

/// Throws InvalidArgument unless all numbers are finite.
template <std::size_t D>
void check_finite(std::string_view name, Kokkos::Array<double, D> const& numbers, std::source_location where) {
  for (std::size_t i = 0; i < D; ++i)
    require(std::isfinite(numbers[i]), std::string(name), numbers[i], "must be finite", where);
}

/// The boxes into which break points cut a box.
template <int D>
std::vector<Box<D>> cut_boxes(Box<D> const& box, std::vector<std::vector<double>> const& breaks,
                              std::source_location where) {
  require(breaks.size() <= static_cast<std::size_t>(box.dimension()), "number of lists of break points", breaks.size(),
          "there is one for each of the box's " + std::to_string(box.dimension()) + " sides at most", where);
  std::vector<std::vector<Side>> parts{{}};
  for (int i = 0; i < box.dimension(); ++i) {
    std::vector<double> ends{box[i].lower, box[i].upper};
    if (static_cast<std::size_t>(i) < breaks.size())
      for (double const x : breaks[static_cast<std::size_t>(i)]) {
        require(!std::isnan(x), "break point", x, "must be a number", where);
        if (x > box[i].lower && x < box[i].upper)
          ends.push_back(x);
      }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<std::vector<Side>> longer;
    for (auto const& part : parts)
      for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        longer.push_back(part);
        longer.back().push_back({ends[k], ends[k + 1]});
      }
    parts = std::move(longer);
  }
  std::vector<Box<D>> boxes;
  for (auto const& part : parts)
    boxes.emplace_back(part, box.dimension(), where);
  return boxes;
}

} // namespace kubature::detail
