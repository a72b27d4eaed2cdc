#pragma once

#include <kubature/detail/symmetric.hpp>

#include <source_location>
#include <vector>

namespace kubature {

/// How a path is made of independent normal numbers z_1, z_2, ...: which part of it each decides. The distribution of
/// the path is the same; quasi-Monte Carlo is best in its first variables, so those should matter most.
enum class PathBy {
  steps,    ///< z_k decides step k in time, given those before (Cholesky's factorisation)
  bridge,   ///< z_1 decides the last date, the others the middles of ever shorter gaps, given all that are decided
            ///< (the Brownian bridge: Moskowitz and Caflisch, Math. Comput. Modelling 23 (1996) 37)
  principal ///< z_k decides how far the path goes along eigenvector k of the covariance, by falling eigenvalues
            ///< (principal components: Acworth, Broadie and Glasserman, MCQMC 1996, Springer 1998, p. 1)
};

namespace detail {

/// A date of a Markov process, given two others, or the process at its beginning, 0: x_at = left x_before + right
/// x_after + deviation z.
struct PathStep {
  int at, before, after; ///< numbers of dates; -1 for the beginning
  double left, right, deviation;
};

/// A date that a bridge decides between two that are decided; -1 is the beginning, and the number of dates is no date.
struct Gap {
  int before, at, after;
};
/// The order in which a bridge decides n dates: the last one, then the middles of the gaps, the longest first.
std::vector<Gap> bridge_gaps(int n);

/// Throws InvalidArgument unless there are `count` dates that are finite, not negative, and ascend.
void check_dates(std::vector<double> const& dates, int count, std::source_location where);

/// Brownian motion at these dates, by steps or by a bridge (Glasserman, "Monte Carlo Methods in Financial Engineering",
/// Springer 2004, eq. 3.6).
std::vector<PathStep> brownian_steps(std::vector<double> const& dates, PathBy by);

/// The covariance min(s, t) of Brownian motion.
Matrix brownian_covariance(std::vector<double> const& dates);

/// A matrix A with A A^T = covariance; the path is A z. Column k is what z_k decides. Time is of the order of n^3.
/// Throws InvalidArgument unless the covariance is finite, symmetric and positive semidefinite, to within rounding.
Matrix path_matrix(Matrix covariance, PathBy by, std::source_location where = std::source_location::current());

/// The eigenvalues and eigenvectors of a symmetric matrix of any size; the largest eigenvalue first, and each vector
/// with a sum that is not negative. By Householder's tridiagonal form and implicit QR steps (Golub and Van Loan,
/// "Matrix computations", sec. 8.3).
Eigen principal_components(Matrix a);

} // namespace detail
} // namespace kubature
