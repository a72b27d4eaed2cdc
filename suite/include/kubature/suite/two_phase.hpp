#pragma once

#include <kubature/suite/arithmetic.hpp>
#include <kubature/suite/entry.hpp>

namespace kubature::suite {

/// (0.1 + cos(sum x_i^2)^2)^(-2): peaks along spherical shells.
template <int D>
struct TwoPhaseF1 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Real(1) / power<2>(Real(0.1) + power<2>(Kokkos::cos(squared_distance(x, Real(0)))));
  }
};

/// cos(prod cos(2^(2i) x_i)).
template <int D>
struct TwoPhaseF2 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::cos(product(x, [](int i, Real t) { return Kokkos::cos(Real(1 << (2 * i)) * t); }));
  }
};

/// sin(prod i arcsin(x_i^i)).
template <int D>
struct TwoPhaseF3 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::sin(product(x, [](int i, Real t) {
      Real high = t;
      for (int k = 1; k < i; ++k)
        high *= t;
      return Real(i) * Kokkos::asin(high);
    }));
  }
};

/// sin(prod arcsin(x_i)).
template <int D>
struct TwoPhaseF4 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::sin(product(x, [](int, Real t) { return Kokkos::asin(t); }));
  }
};

/// 1 / (2b) sum cos(10 x_i) with b = sin(10) / 10.
template <int D>
struct TwoPhaseF5 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    constexpr double b = -0.054402111088937;
    return Real(1 / (2 * b)) * sum(x, [](int, Real t) { return Kokkos::cos(Real(10) * t); });
  }
};

/// The integrals of the paper on the two-phase method.
struct TwoPhase {
  static auto integrals() {
    std::vector<std::string_view> const suites{"two-phase"};
    constexpr std::string_view source = "two-phase table I", f1 = "(0.1+cos(sum x_i^2)^2)^(-2)",
                               f3 = "sin(prod i*arcsin(x_i^i))";
    return std::tuple(
        detail::integral<5>({.name = "two-phase-f1-5d",
                             .formula = f1,
                             .value = 27.6322385978419831,
                             .source = source,
                             .suites = suites,
                             .symmetric = true},
                            TwoPhaseF1<5>{}),
        detail::integral<6>({.name = "two-phase-f1-6d",
                             .formula = f1,
                             .value = 23.6065594352365576,
                             .source = source,
                             .suites = suites,
                             .symmetric = true},
                            TwoPhaseF1<6>{}),
        detail::integral<7>({.name = "two-phase-f1-7d",
                             .formula = f1,
                             .value = 18.1636730204657657,
                             .source = source,
                             .suites = suites,
                             .symmetric = true},
                            TwoPhaseF1<7>{}),
        detail::integral<5>({.name = "two-phase-f2",
                             .formula = "cos(prod cos(2^(2i)*x_i))",
                             .value = 0.982404737246460614,
                             .source = source,
                             .suites = suites},
                            TwoPhaseF2<5>{}),
        detail::integral<3>(
            {.name = "two-phase-f3-3d", .formula = f3, .value = 0.166288233687593, .source = source, .suites = suites},
            TwoPhaseF3<3>{}),
        detail::integral<5>(
            {.name = "two-phase-f3-5d", .formula = f3, .value = 0.0488036096072811, .source = source, .suites = suites},
            TwoPhaseF3<5>{}),
        detail::integral<6>({.name = "two-phase-f4",
                             .formula = "sin(prod arcsin(x_i))",
                             .value = 0.0333572201092090,
                             .source = source,
                             .suites = suites,
                             .symmetric = true},
                            TwoPhaseF4<6>{}),
        detail::integral<8>({.name = "two-phase-f5",
                             .formula = "1/(2*b)*sum cos(10*x_i) with b=-0.054402111088937",
                             .value = 4,
                             .source = source,
                             .suites = suites,
                             .symmetric = true},
                            TwoPhaseF5<8>{}));
  }
};

} // namespace kubature::suite
