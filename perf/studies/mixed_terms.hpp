#pragma once

#include <kubature/integrand.hpp>
#include <kubature/suite/arithmetic.hpp>

#include <Kokkos_Core.hpp>

/// Equations 9 to 11 of the paper on mixed precision as sums of their terms, as formulas have them; in the suite they
/// are single functions.
namespace kubature::perf {

namespace eq9 {
struct Sine {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& p) const {
    return Kokkos::sin(p[0] + p[1]);
  }
};
struct Logarithm {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& p) const {
    return -Kokkos::log(p[0]);
  }
};
struct Quotient {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& p) const {
    return suite::power<4>(p[0]) / p[1];
  }
};
} // namespace eq9

/// A constant as a term.
template <int Value, int D>
struct Constant {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const&) const {
    return Real(Value);
  }
};

/// Sign times a power of a variable.
template <int Sign, int Variable, int Exponent, int D>
struct Power {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& p) const {
    return Real(Sign) * suite::power<Exponent>(p[Variable]);
  }
};

/// The terms of eq. 11 that are no powers, in the variables x, y, z, w.
namespace eq11 {
struct Sine {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    return Kokkos::sin(p[0] + p[1] + p[2] + p[3]);
  }
};
struct Cosine {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    return Kokkos::cos(p[0] * p[1]);
  }
};
struct SineOfProduct {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    return Kokkos::sin(p[2] * p[3] * p[3]);
  }
};
struct Logarithm {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    return -Kokkos::log(Real(1) + p[2] * p[3]) * suite::power<5>(p[0]);
  }
};
struct Exponential {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 4> const& p) const {
    return suite::power<4>(p[1]) * Kokkos::exp(-p[3]);
  }
};
} // namespace eq11

/// The sum of terms of an equation in D variables: 9 in 2, 10 in 3 and 11 in 4.
template <int D>
auto equation() {
  if constexpr (D == 2)
    return sum_of(eq9::Sine{}, eq9::Logarithm{}, eq9::Quotient{}, Constant<5, 2>{});
  else if constexpr (D == 3)
    return sum_of(Power<1, 0, 2, 3>{}, Power<1, 1, 2, 3>{}, Power<1, 2, 2, 3>{});
  else
    return sum_of(eq11::Sine{}, eq11::Cosine{}, Power<-1, 2, 2, 4>{}, Power<1, 0, 12, 4>{}, Power<-1, 3, 3, 4>{},
                  eq11::SineOfProduct{}, eq11::Logarithm{}, eq11::Exponential{}, Constant<-4, 4>{});
}

} // namespace kubature::perf
