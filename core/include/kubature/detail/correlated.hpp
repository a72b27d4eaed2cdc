#pragma once

#include <kubature/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kubature::detail {

/// The errors of C components and the correlation of each pair, in the order of pair_place().
struct JointErrors {
  std::vector<double> error, correlations;
};

/// Sets the correlations of component c with all others to zero, if correlations are known.
void forget_correlations(std::vector<double>& correlations, std::size_t c);

/// Several independent estimates of C components combined into one; see CorrelatedEstimates.
struct JointCombined {
  std::vector<double> value;
  JointErrors errors;
  /// sum_k d_k^T S_k^-1 d_k, where d_k is the deviation of estimate k from the mean and S_k is its covariance.
  double chi2 = 0;
  int dof = 0;
};

/// Independent estimates of C correlated integrals, and their matrix-weighted mean, as in Lepage's vegas:
///
///   I = (sum_k W_k)^-1 sum_k W_k I_k,    S = (sum_k W_k)^-1 (sum_k W_k S_k W_k) (sum_k W_k)^-1,
///
/// where W_k is the inverse of a covariance. As for one component (see combine()), this is not the estimate's own
/// covariance, which is correlated with the estimate, but one known before it. While the distribution changes, it is
/// the covariance of one sample of the previous iteration divided by the number of samples; once the distribution is
/// frozen, it is the same for all samples. The mean satisfies the linear relations between components that the
/// estimates satisfy.
///
/// The matrices are formed in a basis in which they are close to the unit matrix, whatever the sizes of the components:
/// the eigenvectors of the mean of all S_k, each divided by its trace, in units of the components' largest errors.
/// Eigenvalues below 1e-12 of the largest are discarded. Along these directions, which are combinations of components
/// without variance, such as a component minus its copy, all samples have equal weights. Neither these directions nor
/// components without any error count in chi^2 or in its degrees of freedom. If a matrix has no inverse in that basis,
/// as for an iteration that missed a component entirely, the whole mean is that of combine().
class CorrelatedEstimates {
public:
  /// @param samples  the number of samples of the estimate
  /// @param adaptive whether the distribution still changes after this estimate
  /// @param included whether the mean includes the estimate
  void add(std::vector<double> value, JointErrors errors, double samples, bool adaptive, bool included);

  /// @param single the estimates of each component with their weights
  /// @param mean   their mean by combine()
  JointCombined combine(std::span<std::vector<Estimate> const> single, std::span<Combined const> mean) const;

private:
  struct One {
    std::vector<double> value;
    JointErrors errors;
    double samples;
    std::optional<JointErrors> guide; ///< of one sample; none: all samples have equal weights
  };
  class Basis;

  std::vector<One> all_;
  std::optional<JointErrors> guide_;
  bool any_ = false;
};

} // namespace kubature::detail
