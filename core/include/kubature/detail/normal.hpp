#pragma once

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// The quantile of the standard normal distribution, the value below which it has probability p, to about 1e-16
/// relatively, for 0 < p < 1 (Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Appl.
/// Statist. 37 (1988) 477).
KOKKOS_INLINE_FUNCTION double normal_quantile(double p) {
  auto const ratio = [](double x, double const(&above)[8], double const(&below)[7]) {
    double a = above[7], b = below[6];
    for (int i = 6; i >= 0; --i)
      a = a * x + above[i];
    for (int i = 5; i >= 0; --i)
      b = b * x + below[i];
    return a / (b * x + 1);
  };
  double const q = p - 0.5;
  if (Kokkos::abs(q) <= 0.425) {
    constexpr double above[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    constexpr double below[] = {4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
                                2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    return q * ratio(0.180625 - q * q, above, below);
  }
  double const r = Kokkos::sqrt(-Kokkos::log(q < 0 ? p : 1 - p));
  double size;
  if (r <= 5) {
    constexpr double above[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr double below[] = {2.05319162663775882187e0,  1.67638483018380384940e0,  6.89767334985100004550e-1,
                                1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    size = ratio(r - 1.6, above, below);
  } else {
    constexpr double above[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr double below[] = {5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                                7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    size = ratio(r - 5, above, below);
  }
  return q < 0 ? -size : size;
}

/// A normal number from a uniform one: the quantile of u, which is kept from 0 and 1, where it is infinite.
template <class Real>
KOKKOS_FUNCTION double normal_number(Real u) {
  constexpr double least = Kokkos::Experimental::norm_min_v<double>,
                   most = 1 - static_cast<double>(Kokkos::Experimental::epsilon_v<Real>) / 2;
  return normal_quantile(Kokkos::clamp(static_cast<double>(u), least, most));
}

/// The probability that the standard normal distribution has below z.
KOKKOS_INLINE_FUNCTION double normal_probability(double z) {
  return Kokkos::erfc(-z / Kokkos::numbers::sqrt2_v<double>) / 2;
}

} // namespace kubature::detail
