#pragma once

#include <kubature/suite/arithmetic.hpp>
#include <kubature/suite/entry.hpp>

namespace kubature::suite {

/// cos(sum i x_i): oscillatory.
template <int D>
struct F1 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::cos(weighted_sum(x));
  }
};

/// prod 1 / (1/50^2 + (x_i - 1/2)^2): a product of peaks.
template <int D>
struct F2 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Real(1) / product(x, [](int, Real t) { return Real(1.0 / 2500) + (t - Real(0.5)) * (t - Real(0.5)); });
  }
};

/// (1 + sum i x_i)^(-D - 1): a peak in a corner.
template <int D>
struct F3 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Real(1) / power<D + 1>(Real(1) + weighted_sum(x));
  }
};

/// exp(-625 sum (x_i - 1/2)^2): a Gaussian peak.
template <int D>
struct F4 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::exp(Real(-625) * squared_distance(x, Real(0.5)));
  }
};

/// exp(-10 sum |x_i - 1/2|): not differentiable at the centre.
template <int D>
struct F5 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::exp(Real(-10) * sum(x, [](int, Real t) { return Kokkos::abs(t - Real(0.5)); }));
  }
};

/// exp(sum (i + 4) x_i) where every x_i < (3 + i) / 10, else 0: discontinuous.
template <int D>
struct F6 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    bool inside = true;
    for (int i = 0; i < D; ++i)
      inside = inside && x[i] < Real((4 + i) / 10.0);
    return inside ? Kokkos::exp(sum(x, [](int i, Real t) { return Real(i + 4) * t; })) : Real(0);
  }
};

/// (sum x_i^2)^11.
template <int D>
struct F7 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return power<11>(squared_distance(x, Real(0)));
  }
};

/// (sum x_i^2)^(15/2).
template <int D>
struct F8 {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    Real const square = squared_distance(x, Real(0));
    return power<7>(square) * Kokkos::sqrt(square);
  }
};

/// sin(sum x_i).
template <int D>
struct FA {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::sin(sum(x, [](int, Real t) { return t; }));
  }
};

/// The normal density with standard deviation 0.01 along each axis.
template <int D>
struct FB {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    constexpr double norm = power<D>(100 * Kokkos::numbers::inv_sqrtpi_v<double> / Kokkos::numbers::sqrt2_v<double>);
    return Real(norm) * Kokkos::exp(Real(-5000) * squared_distance(x, Real(0)));
  }
};

/// The integrals of the papers on m-Cubes and PAGANI, most of them after Genz.
struct Genz {
  static auto integrals() {
    // The ladder of tolerances is that of the study in the PAGANI paper.
    std::vector<std::string_view> const both{"mcubes", "pagani"}, mcubes{"mcubes"},
        both_and_ladder{"mcubes", "pagani", "ladder"}, pagani_and_ladder{"pagani", "ladder"};
    return std::tuple(detail::integral<5>({.name = "f1-5d",
                                           .formula = "cos(sum i*x_i)",
                                           .value = 0.0202424221199018969,
                                           .source = "m-Cubes eq.1, PAGANI eq.1",
                                           .suites = both,
                                           .cancels = true},
                                          F1<5>{}),
                      detail::integral<8>({.name = "f1-8d",
                                           .formula = "cos(sum i*x_i)",
                                           .value = 3.439557952183251e-05,
                                           .source = "m-Cubes eq.1, PAGANI eq.1",
                                           .suites = both_and_ladder,
                                           .cancels = true},
                                          F1<8>{}),
                      detail::integral<6>({.name = "f2",
                                           .formula = "prod 1/(1/50^2+(x_i-1/2)^2)",
                                           .value = 12868879901109.8775,
                                           .source = "m-Cubes eq.2, PAGANI eq.2",
                                           .suites = both_and_ladder,
                                           .symmetric = true},
                                          F2<6>{}),
                      detail::integral<3>({.name = "f3-3d",
                                           .formula = "(1+sum i*x_i)^(-dim-1)",
                                           .value = 0.0108465608465608466,
                                           .source = "m-Cubes eq.3, PAGANI eq.3",
                                           .suites = both_and_ladder},
                                          F3<3>{}),
                      detail::integral<8>({.name = "f3-8d",
                                           .formula = "(1+sum i*x_i)^(-dim-1)",
                                           .value = 2.27519658179177561e-10,
                                           .source = "m-Cubes eq.3, PAGANI eq.3",
                                           .suites = both_and_ladder},
                                          F3<8>{}),
                      detail::integral<5>({.name = "f4-5d",
                                           .formula = "exp(-625*sum (x_i-1/2)^2)",
                                           .value = 1.79132603674878596e-06,
                                           .source = "m-Cubes eq.4, PAGANI eq.4",
                                           .suites = both_and_ladder,
                                           .symmetric = true},
                                          F4<5>{}),
                      detail::integral<8>({.name = "f4-8d",
                                           .formula = "exp(-625*sum (x_i-1/2)^2)",
                                           .value = 6.383802190004375e-10,
                                           .source = "m-Cubes eq.4, PAGANI eq.4",
                                           .suites = both_and_ladder,
                                           .symmetric = true},
                                          F4<8>{}),
                      detail::integral<5>({.name = "f5-5d",
                                           .formula = "exp(-10*sum |x_i-1/2|)",
                                           .value = 3.09363588982679e-04,
                                           .source = "m-Cubes eq.5, PAGANI eq.5",
                                           .suites = both_and_ladder,
                                           .symmetric = true},
                                          F5<5>{}),
                      detail::integral<8>({.name = "f5-8d",
                                           .formula = "exp(-10*sum |x_i-1/2|)",
                                           .value = 2.42521762564188556e-06,
                                           .source = "m-Cubes eq.5, PAGANI eq.5",
                                           .suites = both_and_ladder,
                                           .symmetric = true},
                                          F5<8>{}),
                      detail::integral<6>({.name = "f6",
                                           .formula = "exp(sum (i+4)*x_i) if every x_i<(3+i)/10 else 0",
                                           .value = 154773678.850912074,
                                           .source = "m-Cubes eq.6, PAGANI eq.6",
                                           .suites = both_and_ladder},
                                          F6<6>{}),
                      detail::integral<8>({.name = "f7",
                                           .formula = "(sum x_i^2)^11",
                                           .value = 1495369.2837579778,
                                           .source = "PAGANI eq.7",
                                           .suites = pagani_and_ladder,
                                           .symmetric = true},
                                          F7<8>{}),
                      detail::integral<8>({.name = "f8",
                                           .formula = "(sum x_i^2)^(15/2)",
                                           .value = 8879.85117541427618,
                                           .source = "PAGANI eq.8",
                                           .suites = pagani_and_ladder,
                                           .symmetric = true},
                                          F8<8>{}),
                      detail::integral<6>({.name = "fA",
                                           .formula = "sin(sum x_i)",
                                           .value = -49.1650738164194573,
                                           .source = "m-Cubes eq.7",
                                           .suites = mcubes,
                                           .side = {0, 10},
                                           .symmetric = true,
                                           .cancels = true},
                                          FA<6>{}),
                      detail::integral<9>({.name = "fB",
                                           .formula = "(sqrt(2*pi)*0.01)^(-9)*exp(-sum x_i^2/(2*0.01^2))",
                                           .value = 1,
                                           .source = "m-Cubes eq.8, whose normaliser is misprinted",
                                           .suites = mcubes,
                                           .side = {-1, 1},
                                           .symmetric = true},
                                          FB<9>{}));
  }
};

} // namespace kubature::suite
