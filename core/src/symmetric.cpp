#include <kubature/detail/symmetric.hpp>

#include <utility>

namespace kubature::detail {
namespace {

/// An upper limit on sweeps; about six are enough.
constexpr int max_sweeps = 50;
/// Off-diagonal elements smaller than this fraction of the neighbouring diagonal elements are taken as zero.
constexpr double rounding = 0x1p-54;
/// A pivot below this fraction of its diagonal element is a rounding error.
constexpr double min_pivot = 1e-13;

/// The rotation that makes a(p, q) zero.
void rotate(Matrix& a, Matrix& vectors, std::size_t p, std::size_t q) {
  double const half = (a(q, q) - a(p, p)) / (2 * a(p, q));
  double const t = (half >= 0 ? 1 : -1) / (std::abs(half) + std::hypot(half, 1.0));
  double const c = 1 / std::hypot(t, 1.0), s = t * c;
  std::size_t const n = a.rows();
  for (std::size_t k = 0; k < n; ++k) {
    double const x = a(k, p), y = a(k, q);
    a(k, p) = c * x - s * y;
    a(k, q) = s * x + c * y;
  }
  for (std::size_t k = 0; k < n; ++k) {
    double const x = a(p, k), y = a(q, k);
    a(p, k) = c * x - s * y;
    a(q, k) = s * x + c * y;
  }
  a(p, q) = a(q, p) = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double const x = vectors(k, p), y = vectors(k, q);
    vectors(k, p) = c * x - s * y;
    vectors(k, q) = s * x + c * y;
  }
}

} // namespace

Eigen eigen(Matrix a) {
  std::size_t const n = a.rows();
  Matrix vectors(n, n);
  for (std::size_t i = 0; i < n; ++i)
    vectors(i, i) = 1;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < max_sweeps; ++sweep) {
    rotated = false;
    for (std::size_t q = 1; q < n; ++q)
      for (std::size_t p = 0; p < q; ++p)
        if (std::abs(a(p, q)) > rounding * std::sqrt(std::abs(a(p, p))) * std::sqrt(std::abs(a(q, q)))) {
          rotate(a, vectors, p, q);
          rotated = true;
        }
  }
  Eigen result{{}, std::move(vectors)};
  for (std::size_t i = 0; i < n; ++i)
    result.values.push_back(a(i, i));
  return result;
}

bool invert(Matrix& a) {
  std::size_t const n = a.rows();
  Matrix l(n, n); // a = l l^T
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = a(j, j);
    for (std::size_t k = 0; k < j; ++k)
      pivot -= l(j, k) * l(j, k);
    if (!(pivot > min_pivot * a(j, j)))
      return false;
    l(j, j) = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k)
        sum -= l(i, k) * l(j, k);
      l(i, j) = sum / l(j, j);
    }
  }
  Matrix inverse(n, n); // the inverse of l
  for (std::size_t j = 0; j < n; ++j) {
    inverse(j, j) = 1 / l(j, j);
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k)
        sum -= l(i, k) * inverse(k, j);
      inverse(i, j) = sum / l(i, i);
    }
  }
  a = product(transposed(inverse), inverse);
  return true;
}

} // namespace kubature::detail
