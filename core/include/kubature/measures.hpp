#pragma once

#include <kubature/detail/cholesky.hpp>
#include <kubature/detail/special/incomplete_beta.hpp>
#include <kubature/detail/special/incomplete_gamma.hpp>
#include <kubature/error.hpp>

#include <Kokkos_Array.hpp>
#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

#include <cmath>
#include <source_location>
#include <string>
#include <vector>

/// \file
/// Probability distributions as domains: an integral over one is an expectation. A point is the quantile of a variable
/// that is uniform between 0 and 1, so that the density times the Jacobian is 1. Those of one variable combine by
/// Product, and with bounds by sides(): sides(Normal(), Between{zero, f}). They compute in double precision.

namespace kubature {
namespace detail {

/// A distribution of one variable, by its member quantile(p).
template <class Distribution>
struct Measure {
  static constexpr int variables = 1;   ///< dimension of the unit cube
  static constexpr int coordinates = 1; ///< of a point

  /// The place of u; the Jacobian is 1.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    x[0] = static_cast<Real>(static_cast<Distribution const&>(*this).quantile(static_cast<double>(u[0])));
    return 1;
  }
};

inline double positive(char const* argument, double value, std::source_location where) {
  require(value > 0 && std::isfinite(value), argument, value, "must be positive and finite", where);
  return value;
}
inline double finite(char const* argument, double value, std::source_location where) {
  require(std::isfinite(value), argument, value, "must be finite", where);
  return value;
}

} // namespace detail

/// The uniform distribution between two bounds.
class Uniform : public detail::Measure<Uniform> {
public:
  /// Throws InvalidArgument unless lower < upper, both finite.
  explicit Uniform(double lower = 0, double upper = 1, std::source_location where = std::source_location::current())
      : lower_(detail::finite("Uniform.lower", lower, where)), upper_(detail::finite("Uniform.upper", upper, where)) {
    require(lower < upper, "Uniform.upper", upper, "must be above the lower bound " + std::to_string(lower), where);
  }
  /// The value below which the variable is with probability p, 0 < p < 1.
  KOKKOS_FUNCTION double quantile(double p) const { return (1 - p) * lower_ + p * upper_; }

private:
  double lower_, upper_;
};

/// The normal distribution.
class Normal : public detail::Measure<Normal> {
public:
  /// Throws InvalidArgument unless the standard deviation is positive and both are finite.
  explicit Normal(double mean = 0, double deviation = 1, std::source_location where = std::source_location::current())
      : mean_(detail::finite("Normal.mean", mean, where)),
        deviation_(detail::positive("Normal.deviation", deviation, where)) {}
  /// As that of Uniform.
  KOKKOS_FUNCTION double quantile(double p) const { return mean_ + deviation_ * detail::special::norminv(p); }

private:
  double mean_, deviation_;
};

/// The distribution of a variable whose logarithm is normal.
class LogNormal : public detail::Measure<LogNormal> {
public:
  /// Of the logarithm's mean and standard deviation. Throws InvalidArgument as that of Normal does.
  explicit LogNormal(double mean = 0, double deviation = 1,
                     std::source_location where = std::source_location::current())
      : mean_(detail::finite("LogNormal.mean", mean, where)),
        deviation_(detail::positive("LogNormal.deviation", deviation, where)) {}
  /// As that of Uniform.
  KOKKOS_FUNCTION double quantile(double p) const {
    return Kokkos::exp(mean_ + deviation_ * detail::special::norminv(p));
  }

private:
  double mean_, deviation_;
};

/// The exponential distribution, with the density rate exp(-rate x).
class Exponential : public detail::Measure<Exponential> {
public:
  /// Throws InvalidArgument unless the rate is positive and finite.
  explicit Exponential(double rate = 1, std::source_location where = std::source_location::current())
      : rate_(detail::positive("Exponential.rate", rate, where)) {}
  /// As that of Uniform.
  KOKKOS_FUNCTION double quantile(double p) const { return -Kokkos::log1p(-p) / rate_; }

private:
  double rate_;
};

/// The gamma distribution, with the density (x/scale)^(shape-1) exp(-x/scale) / (scale tgamma(shape)).
class Gamma : public detail::Measure<Gamma> {
public:
  /// Throws InvalidArgument unless both are positive and finite.
  explicit Gamma(double shape, double scale = 1, std::source_location where = std::source_location::current())
      : shape_(detail::positive("Gamma.shape", shape, where)), scale_(detail::positive("Gamma.scale", scale, where)) {}
  /// As that of Uniform.
  KOKKOS_FUNCTION double quantile(double p) const { return scale_ * detail::special::gamma_quantile(shape_, p); }

private:
  double shape_, scale_;
};

/// The beta distribution, with a density proportional to x^(a-1) (1-x)^(b-1), 0 < x < 1.
class Beta : public detail::Measure<Beta> {
public:
  /// Throws InvalidArgument unless both are positive and finite.
  Beta(double a, double b, std::source_location where = std::source_location::current())
      : a_(detail::positive("Beta.a", a, where)), b_(detail::positive("Beta.b", b, where)) {}
  /// As that of Uniform.
  KOKKOS_FUNCTION double quantile(double p) const { return detail::special::beta_quantile(a_, b_, p); }

private:
  double a_, b_;
};

/// Student's distribution with nu degrees of freedom, shifted and scaled.
class StudentT : public detail::Measure<StudentT> {
public:
  /// Throws InvalidArgument unless nu and the scale are positive, and all are finite.
  explicit StudentT(double nu, double location = 0, double scale = 1,
                    std::source_location where = std::source_location::current())
      : nu_(detail::positive("StudentT.nu", nu, where)),
        location_(detail::finite("StudentT.location", location, where)),
        scale_(detail::positive("StudentT.scale", scale, where)) {}
  /// As that of Uniform.
  KOKKOS_FUNCTION double quantile(double p) const {
    return location_ + scale_ * detail::special::student_t_quantile(nu_, p);
  }

private:
  double nu_, location_, scale_;
};

/// The normal distribution of D correlated variables: mean + L z, where L L^T is the covariance and z independent.
template <int D>
class CorrelatedNormal {
public:
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point

  /// Throws InvalidArgument unless the covariance is symmetric and positive definite, and all are finite.
  CorrelatedNormal(Kokkos::Array<double, D> const& mean, Kokkos::Array<Kokkos::Array<double, D>, D> const& covariance,
                   std::source_location where = std::source_location::current())
      : mean_(mean) {
    std::vector<std::vector<double>> rows;
    std::string shown;
    for (int i = 0; i < D; ++i) {
      detail::finite("CorrelatedNormal.mean", mean[i], where);
      rows.emplace_back(covariance[i].data(), covariance[i].data() + D);
      for (double const entry : rows.back())
        shown.append(shown.empty() ? "" : ", ").append(std::to_string(entry));
    }
    auto const [factor, problem] = detail::cholesky(rows);
    require(problem.empty(), "CorrelatedNormal.covariance", shown, problem, where);
    for (int i = 0; i < D; ++i)
      for (int k = 0; k < D; ++k)
        factor_[i][k] = factor[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  }

  /// The place of u; the Jacobian is 1.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    double z[D];
    for (int i = 0; i < D; ++i) {
      z[i] = detail::special::norminv(static_cast<double>(u[i]));
      double sum = mean_[i];
      for (int k = 0; k <= i; ++k)
        sum += factor_[i][k] * z[k];
      x[i] = static_cast<Real>(sum);
    }
    return 1;
  }

private:
  Kokkos::Array<double, D> mean_;
  double factor_[D][D];
};

} // namespace kubature
