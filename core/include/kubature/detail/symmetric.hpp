#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace kubature::detail {

/// A small dense matrix, stored by rows.
class Matrix {
public:
  Matrix(std::size_t rows, std::size_t columns) : columns_(columns), data_(rows * columns) {}
  std::size_t rows() const { return columns_ == 0 ? 0 : data_.size() / columns_; }
  std::size_t columns() const { return columns_; }
  double& operator()(std::size_t i, std::size_t j) { return data_[i * columns_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return data_[i * columns_ + j]; }

private:
  std::size_t columns_;
  std::vector<double> data_;
};

inline Matrix product(Matrix const& a, Matrix const& b) {
  Matrix c(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < b.rows(); ++k)
      for (std::size_t j = 0; j < b.columns(); ++j)
        c(i, j) += a(i, k) * b(k, j);
  return c;
}

inline Matrix transposed(Matrix const& a) {
  Matrix b(a.columns(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.columns(); ++j)
      b(j, i) = a(i, j);
  return b;
}

/// t a t^T.
inline Matrix congruent(Matrix const& t, Matrix const& a) { return product(product(t, a), transposed(t)); }

/// Adds factor times b to a, which has the same size.
inline void add(Matrix& a, Matrix const& b, double factor) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.columns(); ++j)
      a(i, j) += factor * b(i, j);
}

/// The eigenvalues of a symmetric matrix and, as the columns of `vectors`, its eigenvectors.
struct Eigen {
  std::vector<double> values;
  Matrix vectors;
};

/// By Jacobi rotations in cyclic order (Golub and Van Loan, "Matrix computations", sec. 8.5), for matrices of up to a
/// few tens of rows.
Eigen eigen(Matrix a);

/// Replaces a symmetric matrix by its inverse, by Cholesky factorisation.
/// @returns false, with the matrix unspecified, if it is not positive definite to within rounding
bool invert(Matrix& a);

} // namespace kubature::detail
