#pragma once

#include <kubature/error.hpp>
#include <kubature/suite/arithmetic.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

/// \file
/// Genz's six families with random parameters (Genz, "Testing multidimensional integration routines", 1984): integrands
/// for which no method has been tuned, with true values to all digits of a double.

namespace kubature::suite {

enum class GenzFamily { oscillatory, product_peak, corner_peak, gaussian, c0, discontinuous };
inline constexpr int genz_families = 6;

/// "oscillatory", "product-peak", ...
inline std::string_view to_string(GenzFamily family) {
  constexpr std::string_view names[genz_families] = {"oscillatory", "product-peak", "corner-peak",
                                                     "gaussian",    "c0",           "discontinuous"};
  return names[static_cast<int>(family)];
}

/// A member of a family, over the unit cube; family and parameters are run-time values, so that one kernel serves all.
///
///   oscillatory    cos(2 pi u_1 + sum a_i x_i)
///   product peak   prod 1 / (a_i^-2 + (x_i - u_i)^2)
///   corner peak    (1 + sum a_i x_i)^(-d - 1)
///   Gaussian       exp(-sum a_i^2 (x_i - u_i)^2)
///   C0             exp(-sum a_i |x_i - u_i|)
///   discontinuous  exp(sum a_i x_i) where x_1 <= u_1 and, for d > 1, x_2 <= u_2; else 0
struct GenzFunction {
  static constexpr int most = 12;

  GenzFamily family = GenzFamily::oscillatory;
  int dimension = 1;
  Kokkos::Array<double, most> a{}, u{};

  template <class Real, int D>
  KOKKOS_FUNCTION Real operator()(Point<Real, D> const& x) const {
    int const d = x.size() < most ? x.size() : most;
    auto exponent = Real(0);
    switch (family) {
    case GenzFamily::oscillatory:
      exponent = Real(2 * Kokkos::numbers::pi_v<double> * u[0]);
      for (int i = 0; i < d; ++i)
        exponent += Real(a[i]) * x[i];
      return Kokkos::cos(exponent);
    case GenzFamily::product_peak: {
      auto value = Real(1);
      for (int i = 0; i < d; ++i) {
        Real const slope = Real(a[i]), t = slope * (x[i] - Real(u[i]));
        value *= slope * slope / (Real(1) + t * t);
      }
      return value;
    }
    case GenzFamily::corner_peak: {
      auto sum = Real(1);
      for (int i = 0; i < d; ++i)
        sum += Real(a[i]) * x[i];
      Real value = sum;
      for (int i = 0; i < d; ++i)
        value *= sum;
      return Real(1) / value;
    }
    case GenzFamily::gaussian:
      for (int i = 0; i < d; ++i) {
        Real const t = Real(a[i]) * (x[i] - Real(u[i]));
        exponent -= t * t;
      }
      return Kokkos::exp(exponent);
    case GenzFamily::c0:
      for (int i = 0; i < d; ++i)
        exponent -= Real(a[i]) * Kokkos::abs(x[i] - Real(u[i]));
      return Kokkos::exp(exponent);
    case GenzFamily::discontinuous:
      for (int i = 0; i < (d < 2 ? d : 2); ++i)
        if (x[i] > Real(u[i]))
          return Real(0);
      for (int i = 0; i < d; ++i)
        exponent += Real(a[i]) * x[i];
      return Kokkos::exp(exponent);
    }
    return exponent;
  }

  /// The integral over the unit cube, to all digits of a double wherever it is not a difference of larger numbers; to
  /// 1e-14 for all 600 that the study `choice` uses.
  double value() const;

  /// The formula, as Expression::parse and the program accept it.
  std::string text() const;
};

namespace detail {

/// The integral of (1 + sum a_i x_i)^(-d - 1). As a sum over corners it suffers from cancellation, by ten digits in
/// eight dimensions. With the power written as int t^d exp(-t (1 + sum a_i x_i)) dt / d!, the integral over x becomes a
/// product, and no terms cancel in the rest: int exp(-t) prod (1 - exp(-a_i t)) / a_i dt / d!, by the
/// double-exponential rule t = exp(s - exp(-s)).
inline long double corner_peak_value(GenzFunction const& f) {
  constexpr long double step = 1 / 32.0L;
  long double total = 0;
  for (int k = -4 * 32; k <= 6 * 32; ++k) {
    long double const s = step * static_cast<long double>(k), lag = std::exp(-s), t = std::exp(s - lag);
    long double term = std::exp(-t) * t * (1 + lag);
    for (int i = 0; i < f.dimension; ++i)
      term *= -std::expm1(-f.a[i] * t) / (f.a[i] * (i + 1));
    total += term;
  }
  return step * total;
}

} // namespace detail

inline double GenzFunction::value() const {
  using std::atan, std::erf, std::expm1, std::sin;
  using Long = long double;
  constexpr Long pi = std::numbers::pi_v<Long>;
  Long product = 1, phase = 2 * pi * u[0];
  for (int i = 0; i < dimension; ++i) {
    Long const slope = a[i], below = slope * u[i], above = slope * (1 - static_cast<Long>(u[i]));
    switch (family) {
    case GenzFamily::oscillatory:
      product *= sin(slope / 2) / (slope / 2);
      phase += slope / 2;
      break;
    case GenzFamily::product_peak:
      product *= slope * (atan(below) + atan(above));
      break;
    case GenzFamily::corner_peak:
      break;
    case GenzFamily::gaussian:
      product *= std::sqrt(pi) / (2 * slope) * (erf(below) + erf(above));
      break;
    case GenzFamily::c0:
      product *= -(expm1(-below) + expm1(-above)) / slope;
      break;
    case GenzFamily::discontinuous:
      product *= expm1(i < 2 ? below : slope) / slope;
      break;
    }
  }
  if (family == GenzFamily::oscillatory)
    product *= std::cos(phase);
  if (family == GenzFamily::corner_peak)
    product = detail::corner_peak_value(*this);
  return static_cast<double>(product);
}

inline std::string GenzFunction::text() const {
  std::ostringstream out;
  out.precision(17);
  auto const terms = [&](std::string_view joint, auto const& term) {
    for (int i = 0; i < dimension; ++i) {
      out << (i > 0 ? joint : "");
      term(i, "x" + std::to_string(i + 1));
    }
  };
  auto const linear = [&] { terms(" + ", [&](int i, std::string const& x) { out << a[i] << '*' << x; }); };
  switch (family) {
  case GenzFamily::oscillatory:
    out << "cos(2*pi*" << u[0] << " + ";
    linear();
    out << ')';
    break;
  case GenzFamily::product_peak:
    out << "1/(";
    terms("*", [&](int i, std::string const& x) { out << '(' << a[i] << "^-2 + (" << x << " - " << u[i] << ")^2)"; });
    out << ')';
    break;
  case GenzFamily::corner_peak:
    out << "(1 + ";
    linear();
    out << ")^(-" << dimension + 1 << ')';
    break;
  case GenzFamily::gaussian:
    out << "exp(-(";
    terms(" + ", [&](int i, std::string const& x) { out << '(' << a[i] << "*(" << x << " - " << u[i] << "))^2"; });
    out << "))";
    break;
  case GenzFamily::c0:
    out << "exp(-(";
    terms(" + ", [&](int i, std::string const& x) { out << a[i] << "*abs(" << x << " - " << u[i] << ')'; });
    out << "))";
    break;
  case GenzFamily::discontinuous:
    out << "if(x1 <= " << u[0];
    if (dimension > 1)
      out << " && x2 <= " << u[1];
    out << ", exp(";
    linear();
    out << "), 0)";
    break;
  }
  return out.str();
}

/// The usual sum of a_i in d dimensions, in Genz's tests and those since.
inline double usual_difficulty(GenzFamily family, int dimension) {
  constexpr double sums[genz_families] = {9.0, 7.25, 1.85, 7.03, 20.4, 4.3};
  bool const grows = family != GenzFamily::oscillatory && family != GenzFamily::corner_peak;
  return sums[static_cast<int>(family)] * (grows ? std::sqrt(dimension / 2.0) : 1);
}

/// Uniform numbers in (0, 1) determined by a seed and an index, the same on every machine.
class Draws {
public:
  Draws(std::uint64_t seed, std::uint64_t index) {
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)};
    generator_.seed(words);
  }
  double operator()() { return (static_cast<double>(generator_() >> 12) + 0.5) * 0x1p-52; }

private:
  std::mt19937_64 generator_;
};

/// A random member of a family, determined by seed and index: u_i are uniform in (0, 1); a_i likewise, and then scaled
/// to `difficulty` times their usual sum.
inline GenzFunction random_genz(GenzFamily family, int dimension, double difficulty, std::uint64_t seed,
                                std::uint64_t index, std::source_location where = std::source_location::current()) {
  require(dimension >= 1 && dimension <= GenzFunction::most, "dimension", dimension, "1 to 12 are possible", where);
  require(difficulty > 0 && std::isfinite(difficulty), "difficulty", difficulty, "a factor above zero is needed",
          where);
  Draws draw(seed, index);
  GenzFunction f{family, dimension};
  double sum = 0;
  for (int i = 0; i < dimension; ++i) {
    f.u[i] = draw();
    f.a[i] = draw();
    sum += f.a[i];
  }
  for (int i = 0; i < dimension; ++i)
    f.a[i] *= difficulty * usual_difficulty(family, dimension) / sum;
  return f;
}

/// A sequence of integrands, of which studies use the first ones: the family varies fastest, then the dimension from 1
/// up, then the difficulty. With one seed, sequences with different largest dimensions agree until the first of them
/// reaches its largest dimension.
struct RandomGenz {
  static constexpr std::array<double, 3> difficulties = {1, 3, 10};
  static constexpr std::uint64_t usual_dimensions = 8;

  std::uint64_t index;
  double difficulty;
  GenzFunction f;

  RandomGenz(std::uint64_t seed, std::uint64_t number, std::uint64_t dimensions = usual_dimensions)
      : index(number), difficulty(difficulties[number / (genz_families * dimensions) % difficulties.size()]),
        f(random_genz(static_cast<GenzFamily>(number % genz_families),
                      1 + static_cast<int>(number / genz_families % dimensions), difficulty, seed, number)) {}
};

} // namespace kubature::suite
