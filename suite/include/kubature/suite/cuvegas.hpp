#pragma once

#include <kubature/suite/arithmetic.hpp>
#include <kubature/suite/entry.hpp>

namespace kubature::suite {

/// sin(x_1) + exp(x_2).
struct SineExponential {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, 2> const& x) const {
    return Kokkos::sin(x[0]) + Kokkos::exp(x[1]);
  }
};

/// sum x_i.
template <int D>
struct Linear {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return sum(x, [](int, Real t) { return t; });
  }
};

/// prod cos(x_i).
template <int D>
struct Cosine {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return product(x, [](int, Real t) { return Kokkos::cos(t); });
  }
};

/// exp(-sum x_i^2).
template <int D>
struct Exponential {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Kokkos::exp(-squared_distance(x, Real(0)));
  }
};

/// The mean of |4 x_i - 2|.
template <int D>
struct RoosArnold {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Real(1.0 / D) * sum(x, [](int, Real t) { return Kokkos::abs(Real(4) * t - Real(2)); });
  }
};

/// (1 + 1/D)^D prod x_i^(1/D).
template <int D>
struct MorokoffCaflisch {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    return Real(power<D>(1 + 1.0 / D)) * Kokkos::pow(product(x, [](int, Real t) { return t; }), Real(1.0 / D));
  }
};

/// The normal density centred in the cube, with variance 1e-4 along each axis.
template <int D>
struct Gaussian {
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    constexpr double norm = power<D>(100 * Kokkos::numbers::inv_sqrtpi_v<double> / Kokkos::numbers::sqrt2_v<double>);
    return Real(norm) * Kokkos::exp(Real(-5000) * squared_distance(x, Real(0.5)));
  }
};

/// (100/pi)^(D/2) / 1000 sum_k exp(-100 sum (x_i - k/999)^2): a thousand peaks on the diagonal.
template <int D>
struct Ridge {
  static_assert(D % 2 == 0);
  static constexpr int peaks = 1000;

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    constexpr double norm = power<D / 2>(100 * Kokkos::numbers::inv_pi_v<double>) / peaks;
    auto total = Real(0);
    for (int k = 0; k < peaks; ++k)
      total += Kokkos::exp(Real(-100) * squared_distance(x, Real(k) * Real(1.0 / (peaks - 1))));
    return Real(norm) * total;
  }
};

/// The path integral of a harmonic oscillator over a closed path of N positions x_j = tan(theta_j), mass 1,
/// potential x^2/2, time T = 4: (N / (2 pi T))^(N/2) exp(-S), S = sum (x_{j+1} - x_j)^2 / (2a) + a x_j^2 / 2
/// with a = T/N; times dx/dtheta = prod (1 + x_j^2).
template <int N>
struct FeynmanPath {
  static_assert(N % 2 == 0);

  template <class Real>
  KOKKOS_FUNCTION Real operator()(Point<Real, N> const& theta) const {
    // Far out, x^2 leaves the range of half precision although the integrand does not.
    using Work = std::conditional_t<sizeof(Real) < sizeof(float), float, Real>;
    constexpr double time = 4, step = time / N;
    constexpr double norm = power<N / 2>(N / (2 * Kokkos::numbers::pi_v<double> * time));
    Work const first = Kokkos::tan(static_cast<Work>(theta[0]));
    Work x = first, action = 0, jacobian = 1;
    for (int j = 0; j < N; ++j) {
      Work const next = j + 1 < N ? Kokkos::tan(static_cast<Work>(theta[j + 1 < N ? j + 1 : 0])) : first;
      action += Work(0.5 / step) * (next - x) * (next - x) + Work(0.5 * step) * x * x;
      jacobian *= 1 + x * x;
      x = next;
    }
    // Where exp underflows, the Jacobian may have overflowed.
    return Real(action < Work(700) ? Work(norm) * Kokkos::exp(-action) * jacobian : Work(0));
  }
};

/// The integrals of the cuVegas paper.
struct CuVegas {
  static auto integrals() {
    std::vector<std::string_view> const cuvegas{"cuvegas"};
    constexpr double half_pi = Kokkos::numbers::pi_v<double> / 2;
    return std::tuple(
        detail::integral<2>({.name = "sine-exponential",
                             .formula = "sin(x_1)+exp(x_2)",
                             .value = 2.17797952259090552,
                             .source = "cuVegas table 3",
                             .suites = cuvegas},
                            SineExponential{}),
        detail::integral<10>({.name = "linear",
                              .formula = "sum x_i",
                              .value = 5,
                              .source = "cuVegas table 3",
                              .suites = cuvegas,
                              .symmetric = true},
                             Linear<10>{}),
        detail::integral<10>({.name = "cosine",
                              .formula = "prod cos(x_i)",
                              .value = 0.177988299732402964,
                              .source = "cuVegas table 3",
                              .suites = cuvegas,
                              .symmetric = true},
                             Cosine<10>{}),
        detail::integral<10>({.name = "exponential",
                              .formula = "exp(-sum x_i^2)",
                              .value = 0.0539738543290075206,
                              .source = "cuVegas table 3",
                              .suites = cuvegas,
                              .symmetric = true},
                             Exponential<10>{}),
        detail::integral<10>({.name = "roos-arnold",
                              .formula = "(1/dim)*sum |4*x_i-2|",
                              .value = 1,
                              .source = "cuVegas table 3",
                              .suites = cuvegas,
                              .symmetric = true},
                             RoosArnold<10>{}),
        detail::integral<8>({.name = "morokoff-caflisch",
                             .formula = "(1+1/dim)^dim*prod x_i^(1/dim)",
                             .value = 1,
                             .source = "cuVegas table 3",
                             .suites = cuvegas,
                             .symmetric = true},
                            MorokoffCaflisch<8>{}),
        detail::integral<4>({.name = "gaussian",
                             .formula = "exp(-sum (x_i-1/2)^2/(2*s))/(2*pi*s)^(dim/2) with s=1e-4",
                             .value = 1,
                             .source = "cuVegas table 3",
                             .suites = cuvegas,
                             .symmetric = true},
                            Gaussian<4>{}),
        detail::integral<4>({.name = "ridge",
                             .formula = "(100/pi)^2/1000*sum_{k=0..999} exp(-100*sum_i (x_i-k/999)^2)",
                             .value = 0.851317758241297887,
                             .source = "cuVegas table 3",
                             .suites = cuvegas,
                             .symmetric = true,
                             .cost = 10},
                            Ridge<4>{}),
        detail::integral<8>({.name = "feynman-path",
                             .formula =
                                 "periodic path x_j=tan(theta_j) of a harmonic oscillator, m=1, V=x^2/2, T=4, N=8: "
                                 "(m*N/(2*pi*T))^(N/2)*exp(-S), S=sum_j [m/(2a)*(x_{j+1}-x_j)^2+a*V(x_j)], a=T/N",
                             .value = 0.140791655349889,
                             .source = "cuVegas eq.12-13",
                             .suites = cuvegas,
                             .side = {-half_pi, half_pi}},
                            FeynmanPath<8>{}));
  }
};

} // namespace kubature::suite
