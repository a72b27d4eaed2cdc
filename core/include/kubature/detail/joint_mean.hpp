#pragma once

#include <kubature/detail/correlated.hpp>

#include <vector>

namespace kubature::detail {

/// Components at most whose agreement between iterations is tested together: it takes C^3 / 3 operations an iteration.
inline constexpr int most_tested_jointly = 1024;

/// The running mean of independent estimates of many correlated integrals, with its covariance: three triangles of
/// C (C - 1) / 2 numbers, whatever the number of estimates.
///
/// An estimate has one weight for all components, so that linear relations between them hold for the mean as they hold
/// for the estimates: its samples over the variance of one sample as it was known before, in units of what that
/// variance was at first, averaged over the components. What CorrelatedEstimates does with matrices would take their
/// inverses, which samples that are not many more than components do not determine.
///
/// chi^2 adds up, for each estimate after the first, d^T V^-1 d with its deviation d from the mean of those before and
/// the covariance V of that deviation, estimated with nu degrees of freedom: times (nu - r - 1) / nu, which Hotelling's
/// T^2 / r exceeds one by. V is factored by Cholesky's method with pivots, in units of its diagonal: what is left with
/// pivots below 1e-12, of components that depend on others, is cut, and r counts those above. Components without error
/// have no part in it.
class JointMean {
public:
  /// @param degrees  of freedom of the variances: samples less strata
  /// @param adaptive whether the distribution still changes after it
  /// @param included whether the mean includes it
  void add(std::vector<double> const& value, JointErrors const& errors, double samples, double degrees, bool adaptive,
           bool included);

  bool empty() const { return weights_ == 0; }
  JointCombined combined() const;

private:
  void guide_by(std::vector<double> const& error, double samples);
  void test(std::vector<double> const& value, JointErrors const& errors, double degrees);

  std::vector<double> unit_;      ///< of each component, so that squares stay in range; 0 as long as it had no error
  std::vector<double> reference_; ///< error of one sample, at first
  double variance_ = 1;           ///< of one sample, relative to the reference
  bool any_ = false;

  double weights_ = 0, squared_weights_ = 0, degrees_ = 0;
  std::vector<double> value_;       ///< mean
  std::vector<double> variances_;   ///< times the square of weights_, in units
  std::vector<double> covariances_; ///< likewise, of pairs
  double chi2_ = 0;
  int dof_ = 0;
  bool tested_ = true;
};

} // namespace kubature::detail
