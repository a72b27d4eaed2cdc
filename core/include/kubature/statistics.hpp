#pragma once

#include <cstddef>
#include <span>

namespace kubature {

/// One estimate of an integral with its standard error.
struct Estimate {
  double value = 0;
  double error = 0;
};

/// Several independent estimates as one, with the test of their agreement.
struct Combined {
  double value = 0;
  double error = 0;
  /// sum_i (I_i - I)^2 / s_i^2.
  double chi2 = 0;
  /// Estimates less one; chi2 says nothing where it is 0.
  int dof = 0;

  /// chi2 / dof, NaN for dof = 0.
  double chi2_per_dof() const;
  /// The probability that chi2 is this large or larger by chance, NaN for dof = 0.
  double q_value() const;
};

/// Combines independent estimates. The first `adaptive` of them were made while the sampling still adapted: they
/// are weighted by their inverse variances (Lepage 1978, eq. 5). The rest share one sampling distribution and are
/// averaged with equal weights, since an estimate and its variance are correlated and weighting by the variance
/// biases the mean; that average then counts as one estimate beside the adaptive ones.
///
/// Where an estimate has error zero and another has not (a peak that one missed), all weights are equal.
Combined combine(std::span<Estimate const> estimates, std::size_t adaptive);

/// The survival function of the chi-square distribution, Q(dof/2, chi2/2), for a whole number of degrees of
/// freedom: the finite sums of Abramowitz and Stegun 26.4.4 and 26.4.5. NaN unless chi2 >= 0 and dof >= 1.
double chi2_survival(double chi2, int dof);

} // namespace kubature
