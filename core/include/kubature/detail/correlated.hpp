#pragma once

#include <kubature/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace kubature::detail {

/// Errors of C components and the correlations of each two of them, in the order of pair_place().
struct JointErrors {
  std::vector<double> error, correlations;
};

/// Sets the correlations of component c with all others to zero, where any are known.
void forget_correlations(std::vector<double>& correlations, std::size_t c);

/// Several independent estimates of C components as one; see CorrelatedEstimates.
struct JointCombined {
  std::vector<double> value;
  JointErrors errors;
  /// sum_k d_k^T S_k^-1 d_k, where d_k are the deviations of estimate k and S_k is its covariance.
  double chi2 = 0;
  int dof = 0;
};

/// Independent estimates of C correlated integrals, and their mean weighted with matrices, as Lepage's vegas has it:
///
///   I = (sum_k W_k)^-1 sum_k W_k I_k,    S = (sum_k W_k)^-1 (sum_k W_k S_k W_k) (sum_k W_k)^-1,
///
/// where W_k is the inverse of a covariance. As for one component (see combine()) that is not the estimate's own, which
/// is correlated with it, but the one known before: of one sample of the iteration before, divided by the samples, as
/// long as the distribution changes, and the same for all samples once it is frozen. Linear relations between
/// components hold for the mean as they hold for the estimates.
///
/// The matrices are made in a basis in which they are close to the unit matrix, whatever the sizes of the components:
/// that of the eigenvectors of the mean of all S_k, each divided by its trace, in units of the components' largest
/// errors. Eigenvalues below 1e-12 of the largest are cut: along these directions, combinations of components that have
/// no variance, such as one component less its copy, all samples weigh the same, and they count neither in chi^2 nor in
/// its degrees of freedom; nor do components without any error. Where a matrix has no inverse in that basis, as in an
/// iteration that saw nothing of one component, all of the mean is that of combine().
class CorrelatedEstimates {
public:
  /// @param samples  of the estimate
  /// @param adaptive whether the distribution still changes after it
  /// @param included whether the mean includes it
  void add(std::vector<double> value, JointErrors errors, double samples, bool adaptive, bool included);

  /// @param single the estimates of each component with their weights, and their mean by combine()
  JointCombined combine(std::span<std::vector<Estimate> const> single, std::span<Combined const> mean) const;

private:
  struct One {
    std::vector<double> value;
    JointErrors errors;
    double samples;
    std::optional<JointErrors> guide; ///< of one sample; none: all samples weigh the same
  };
  class Basis;

  std::vector<One> all_;
  std::optional<JointErrors> guide_;
  bool any_ = false;
};

} // namespace kubature::detail
