#pragma once

#include <kubature/detail/correlated.hpp>

#include <vector>

namespace kubature::detail {

/// The largest number of components whose agreement between iterations is tested jointly: C^3 / 3 operations per
/// iteration.
inline constexpr int max_tested_jointly = 1024;

/// The running mean of independent estimates of many correlated integrals, with its covariance. It keeps three
/// triangles of C (C - 1) / 2 numbers, whatever the number of estimates.
///
/// An estimate has one weight for all components, so that the mean satisfies the linear relations between components
/// that the estimates satisfy. The weight is the number of samples divided by the variance of one sample as known
/// before the estimate, relative to the first such variance and averaged over the components. The matrix weights of
/// CorrelatedEstimates would need inverses of covariances, which are ill determined unless there are many more samples
/// than components.
///
/// Each estimate after the first adds d^T V^-1 d to chi^2, where d is its deviation from the mean of the estimates
/// before it and V is the covariance of that deviation, estimated with nu degrees of freedom. The term is multiplied by
/// (nu - r - 1) / nu, the inverse of the mean of Hotelling's T^2 / r. V, in units of its diagonal, is factored by
/// Cholesky's method with pivoting, which stops at pivots below 1e-12, where the remaining components depend on the
/// others; r is the number of pivots. Components without error are left out.
class JointMean {
public:
  /// @param degrees  of freedom of the variances: the number of samples minus the number of strata
  /// @param adaptive whether the distribution still changes after this estimate
  /// @param included whether the mean includes the estimate
  void add(std::vector<double> const& value, JointErrors const& errors, double samples, double degrees, bool adaptive,
           bool included);

  bool empty() const { return weights_ == 0; }
  JointCombined combined() const;

private:
  void guide_by(std::vector<double> const& error, double samples);
  void test(std::vector<double> const& value, JointErrors const& errors, double degrees);

  std::vector<double> unit_;      ///< of each component, so that squares stay in range; 0 until it has an error
  std::vector<double> reference_; ///< the first error of one sample
  double variance_ = 1;           ///< of one sample, relative to the reference
  bool any_ = false;

  double weights_ = 0, squared_weights_ = 0, degrees_ = 0;
  std::vector<double> value_;       ///< mean
  std::vector<double> variances_;   ///< times the square of weights_, in units
  std::vector<double> covariances_; ///< likewise, for pairs
  double chi2_ = 0;
  int dof_ = 0;
  bool tested_ = true;
};

} // namespace kubature::detail
