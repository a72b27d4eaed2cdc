#pragma once

#include <kubature/integrand.hpp>
#include <kubature/suite/arithmetic.hpp>
#include <kubature/suite/entry.hpp>

namespace kubature::suite {

/// The terms of eq. 9 of the paper.
namespace eq9 {

struct Term1 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& p) const {
    Real const x = p[0], y = p[1];
    return Kokkos::sin(x + y);
  }
};
struct Term2 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& p) const {
    Real const x = p[0];
    return -Kokkos::log(x);
  }
};
struct Term3 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& p) const {
    Real const x = p[0], y = p[1];
    return power<4>(x) / y;
  }
};
struct Term4 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const&) const {
    return Real(5);
  }
};

} // namespace eq9

/// sin(x + y) - log(x) + x^4/y + 5.
using MixedEq9 = decltype(sum_of(eq9::Term1{}, eq9::Term2{}, eq9::Term3{}, eq9::Term4{}));

/// The terms of eq. 10 of the paper.
namespace eq10 {

struct Term1 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& p) const {
    Real const x = p[0];
    return x * x;
  }
};
struct Term2 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& p) const {
    Real const y = p[1];
    return y * y;
  }
};
struct Term3 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 3> const& p) const {
    Real const z = p[2];
    return z * z;
  }
};

} // namespace eq10

/// x^2 + y^2 + z^2.
using MixedEq10 = decltype(sum_of(eq10::Term1{}, eq10::Term2{}, eq10::Term3{}));

/// The terms of eq. 11 of the paper.
namespace eq11 {

struct Term1 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const x = p[0], y = p[1], z = p[2], w = p[3];
    return Kokkos::sin(x + y + z + w);
  }
};
struct Term2 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const x = p[0], y = p[1];
    return Kokkos::cos(x * y);
  }
};
struct Term3 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const z = p[2];
    return -z * z;
  }
};
struct Term4 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const x = p[0];
    return power<12>(x);
  }
};
struct Term5 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const w = p[3];
    return -power<3>(w);
  }
};
struct Term6 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const z = p[2], w = p[3];
    return Kokkos::sin(z * w * w);
  }
};
struct Term7 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const x = p[0], z = p[2], w = p[3];
    return -Kokkos::log(Real(1) + z * w) * power<5>(x);
  }
};
struct Term8 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    Real const y = p[1], w = p[3];
    return power<4>(y) * Kokkos::exp(-w);
  }
};
struct Term9 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const&) const {
    return Real(-4);
  }
};

} // namespace eq11

/// sin(x+y+z+w) + cos(x y) - z^2 + x^12 - w^3 + sin(z w^2) - log(1 + z w) x^5 + y^4 exp(-w) - 4.
using MixedEq11 = decltype(sum_of(eq11::Term1{}, eq11::Term2{}, eq11::Term3{}, eq11::Term4{}, eq11::Term5{},
                                  eq11::Term6{}, eq11::Term7{}, eq11::Term8{}, eq11::Term9{}));

/// The ten terms of eq. 12 of the paper, in the variables a, b, c, d, x, y, z, v. Some lose all their digits in low
/// precision, which is their purpose.
namespace eq12 {

template <class Real>
using Variables = Point<Real, 8>;
enum Variable { a, b, c, d, x, y, z, v };

struct Term1 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Kokkos::sin(Real(2 * Kokkos::numbers::pi_v<double>) * (p[a] + p[b]));
  }
};
struct Term2 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Kokkos::cos(Real(5) * p[c] * p[d]);
  }
};
struct Term3 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Kokkos::exp(Real(-0.5) * (p[x] * p[x] + p[v] * p[v]));
  }
};
struct Term4 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Kokkos::exp(-Kokkos::abs(p[y]));
  }
};
struct Term5 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Real(1) / (Real(1) + Kokkos::exp(Real(-25) * (p[z] - Real(0.05))));
  }
};
struct Term6 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Kokkos::log(Real(1) + Kokkos::abs(p[a] * p[x]));
  }
};
struct Term7 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Real(0.01) * (Kokkos::sqrt(Real(1) + Real(1e-5) * (p[b] * p[c] + p[d] * p[x])) - Real(1));
  }
};
struct Term8 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    Real const small = Real(1e-5) * (p[v] + p[y]);
    return Kokkos::log(Real(1) + small) - small;
  }
};
struct Term9 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Real(0.001) / Kokkos::sqrt(Real(1e-12) + power<2>(p[y] - Real(0.02)) + power<2>(p[z] + Real(0.03)));
  }
};
struct Term10 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Variables<Real> const& p) const {
    return Kokkos::exp(Real(8) * p[a]) - Kokkos::exp(Real(8) * p[a] - Real(1e-5));
  }
};

} // namespace eq12

/// The sum of the ten terms.
inline auto mixed_eq12() {
  using namespace eq12;
  return sum_of(Term1{}, Term2{}, Term3{}, Term4{}, Term5{}, Term6{}, Term7{}, Term8{}, Term9{}, Term10{});
}

/// The integrals of the paper on mixed precision.
struct Mixed {
  static auto integrals() {
    std::vector<std::string_view> const suites{"mixed"};
    return std::tuple(
        detail::integral<2>({.name = "mixed-eq9",
                             .formula = "sin(x+y)-log(x)+x^4/y+5",
                             .value = 9.04096324295375,
                             .source = "mixed-precision eq.9",
                             .suites = suites,
                             .side = {1, 2},
                             .variables = {"x", "y"}},
                            MixedEq9{}),
        detail::integral<3>({.name = "mixed-eq10",
                             .formula = "x^2+y^2+z^2",
                             .value = 1,
                             .source = "mixed-precision eq.10",
                             .suites = suites,
                             .symmetric = true,
                             .variables = {"x", "y", "z"}},
                            MixedEq10{}),
        detail::integral<4>({.name = "mixed-eq11",
                             .formula = "sin(x+y+z+w)+cos(x*y)-z^2+x^12-w^3+sin(z*w^2)-log(1+z*w)*x^5+y^4*exp(-w)-4",
                             .value = -2.53923963654469,
                             .source = "mixed-precision eq.11, whose printed value -2.5196 is another integrand's",
                             .suites = suites,
                             .variables = {"x", "y", "z", "w"}},
                            MixedEq11{}),
        detail::integral<8>({.name = "mixed-eq12",
                             .formula =
                                 "sin(2*pi*(a+b))+cos(5*c*d)+exp(-0.5*(x^2+v^2))+exp(-abs(y))+1/(1+exp(-25*(z-0.05)))"
                                 "+log(1+abs(a*x))+0.01*(sqrt(1+1e-5*(b*c+d*x))-1)+(log(1+1e-5*(v+y))-1e-5*(v+y))"
                                 "+0.001/sqrt(1e-12+(y-0.02)^2+(z+0.03)^2)+(exp(8*a)-exp(8*a-1e-5))",
                             .value = 2.8282944324665,
                             .source = "mixed-precision eq.12, whose printed value 2.7406 is another integrand's",
                             .suites = suites,
                             .variables = {"a", "b", "c", "d", "x", "y", "z", "v"}},
                            mixed_eq12()));
  }
};

} // namespace kubature::suite
