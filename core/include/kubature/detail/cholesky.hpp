#pragma once

#include <string>
#include <vector>

namespace kubature::detail {

/// A lower triangular matrix L with L L^T = A.
struct Cholesky {
  std::vector<std::vector<double>> factor; ///< [row][column], of all columns
  std::string problem;                     ///< a sentence on the entry for which there is none; empty otherwise
};

/// The factor of a covariance, which must be symmetric, to 1e-12 of the standard deviations, and positive definite.
Cholesky cholesky(std::vector<std::vector<double>> const& covariance);

} // namespace kubature::detail
