#include <kubature/detail/path_matrix.hpp>

#include <kubature/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace kubature::detail {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

/// What rounding may change in the eigenvalues of an n x n covariance, in units of its largest variance.
double least_eigenvalue(std::size_t n) { return 16 * unit_roundoff * static_cast<double>(n); }

/// Throws unless all is finite and symmetric.
/// @returns the largest variance
double check_symmetric(Matrix const& a, std::source_location where) {
  double most = 0;
  for (std::size_t i = 0; i < a.rows(); ++i)
    most = std::max(most, std::abs(a(i, i)));
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.rows(); ++j) {
      auto const name = "covariance of dates " + std::to_string(i + 1) + " and " + std::to_string(j + 1);
      require(std::isfinite(a(i, j)), name, a(i, j), "must be finite", where);
      require(std::abs(a(i, j) - a(j, i)) <= least_eigenvalue(a.rows()) * most, name, a(i, j),
              "must be symmetric, but the entry across the diagonal is " + std::to_string(a(j, i)), where);
    }
  return most;
}

/// A matrix whose columns are eigenvectors of a, with the roots of the eigenvalues as their lengths. Those of
/// eigenvalues that may be zero are: a covariance of smooth paths has many.
Matrix root(Matrix a, double most, std::source_location where) {
  std::size_t const n = a.rows();
  auto const [values, vectors] = principal_components(std::move(a));
  double const least = least_eigenvalue(n) * most;
  require(values.back() >= -least, "least eigenvalue of the covariance", values.back(),
          "the covariance must be positive semidefinite", where);
  Matrix result(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      result(i, k) = values[k] > least ? vectors(i, k) * std::sqrt(values[k]) : 0;
  return result;
}

/// Makes a lower triangular with a diagonal that is not negative, and leaves a a^T as it is: by Householder's
/// reflections of its rows.
void reflect_to_triangle(Matrix& a) {
  std::size_t const n = a.rows();
  std::vector<double> v(n);
  for (std::size_t k = 0; k < n; ++k) {
    double square = 0;
    for (std::size_t j = k; j < n; ++j) {
      v[j] = a(k, j);
      square += v[j] * v[j];
    }
    double const length = std::copysign(std::sqrt(square), v[k]), sign = length > 0 ? -1 : 1;
    v[k] += length;
    double const half = length * v[k]; // v^T v / 2
    for (std::size_t i = k; i < n && half > 0; ++i) {
      double sum = 0;
      for (std::size_t j = k; j < n; ++j)
        sum += a(i, j) * v[j];
      for (std::size_t j = k; j < n; ++j)
        a(i, j) -= sum / half * v[j];
      a(i, k) *= sign;
    }
    for (std::size_t j = k + 1; j < n; ++j)
      a(k, j) = 0;
  }
}

/// Cholesky's factor with the dates in this order: column k is what date order[k] adds to those before. It is that of
/// the correlations, of which eigenvalues tell whether the covariance is positive semidefinite; Cholesky's algorithm
/// fails where it nearly is not.
Matrix triangular(Matrix const& a, std::vector<int> const& order, std::source_location where) {
  std::size_t const n = a.rows();
  auto const date = [&](std::size_t k) { return static_cast<std::size_t>(order[k]); };
  std::vector<double> deviation;
  for (std::size_t i = 0; i < n; ++i) {
    double const variance = a(date(i), date(i));
    require(variance >= 0, "variance of date " + std::to_string(date(i) + 1), variance, "must not be negative", where);
    deviation.push_back(std::sqrt(variance));
  }
  Matrix correlation(n, n), result(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double const scale = deviation[i] * deviation[j], covariance = a(date(i), date(j));
      require(scale > 0 || covariance == 0, "covariance of a date without variance", covariance, "must be 0", where);
      correlation(i, j) = scale > 0 ? covariance / scale : 0;
    }
  auto factor = root(std::move(correlation), 1, where);
  reflect_to_triangle(factor);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k)
      result(date(i), k) = deviation[i] * factor(i, k);
  return result;
}

/// A symmetric tridiagonal matrix, similar to a given one by an orthogonal matrix whose columns are the rows of
/// `vectors`: rows are contiguous.
struct Tridiagonal {
  std::vector<double> diagonal, beside; ///< beside[i] couples i and i + 1; the last one is 0
  Matrix vectors;
};

/// Householder's reflections, each of which leaves one element beside the diagonal of a row.
Tridiagonal tridiagonal(Matrix a) {
  std::size_t const n = a.rows();
  Tridiagonal result{std::vector<double>(n), std::vector<double>(n), Matrix(n, n)};
  std::vector<double> v(n), w(n);
  auto& q = result.vectors;
  for (std::size_t i = 0; i < n; ++i)
    q(i, i) = 1;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    double scale = 0, square = 0;
    for (std::size_t i = k + 1; i < n; ++i)
      scale = std::max(scale, std::abs(a(k, i)));
    for (std::size_t i = k + 1; i < n; ++i) {
      v[i] = scale > 0 ? a(k, i) / scale : 0;
      square += v[i] * v[i];
    }
    double const length = std::copysign(std::sqrt(square), v[k + 1]);
    result.beside[k] = -length * scale;
    v[k + 1] += length;
    double const half = length * v[k + 1]; // v^T v / 2
    if (!(half > 0))
      continue;
    // a - v w^T - w v^T, with w = p - v (v^T p) / (2 half), p = a v / half.
    double along = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = k + 1; j < n; ++j)
        sum += a(i, j) * v[j];
      w[i] = sum / half;
      along += w[i] * v[i];
    }
    for (std::size_t i = k + 1; i < n; ++i)
      w[i] -= along / (2 * half) * v[i];
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j < n; ++j)
        a(i, j) -= v[i] * w[j] + w[i] * v[j];
    // The product of all reflections so far, transposed: q <- (1 - v v^T / half) q.
    std::fill(w.begin(), w.end(), 0.0);
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        w[j] += v[i] * q(i, j);
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        q(i, j) -= v[i] / half * w[j];
  }
  for (std::size_t i = 0; i < n; ++i)
    result.diagonal[i] = a(i, i);
  return result;
}

/// An implicit QR step, with Wilkinson's shift, on the rows from first to last: the elements beside the diagonal become
/// smaller, the last one fastest.
void qr_step(Tridiagonal& t, std::size_t first, std::size_t last) {
  auto& [d, e, rows] = t;
  double const half = (d[last - 1] - d[last]) / 2, corner = e[last - 1];
  double const shift = d[last] - corner / (half + std::copysign(std::hypot(half, corner), half)) * corner;
  double x = d[first] - shift, z = e[first]; // the next rotation turns (x, z) into (length, 0)
  for (std::size_t k = first; k < last; ++k) {
    double const length = std::hypot(x, z);
    double const c = length > 0 ? x / length : 1, s = length > 0 ? z / length : 0;
    if (k > first)
      e[k - 1] = length;
    double const a = d[k], b = d[k + 1], f = e[k];
    d[k] = c * c * a + 2 * c * s * f + s * s * b;
    d[k + 1] = s * s * a - 2 * c * s * f + c * c * b;
    e[k] = c * s * (b - a) + (c * c - s * s) * f;
    if (k + 1 < last) {
      x = e[k];
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      double const above = rows(k, j), below = rows(k + 1, j);
      rows(k, j) = c * above + s * below;
      rows(k + 1, j) = c * below - s * above;
    }
  }
}

/// Makes it diagonal.
void diagonalise(Tridiagonal& t) {
  auto const coupled = [&](std::size_t i) {
    return std::abs(t.beside[i]) > unit_roundoff / 2 * (std::abs(t.diagonal[i]) + std::abs(t.diagonal[i + 1]));
  };
  int steps = 30 * static_cast<int>(t.diagonal.size()); // about two for each are enough
  for (std::size_t last = t.diagonal.size() - 1; last > 0;) {
    if (!coupled(last - 1) || steps-- <= 0) {
      --last;
      continue;
    }
    std::size_t first = last - 1;
    while (first > 0 && coupled(first - 1))
      --first;
    qr_step(t, first, last);
  }
}

} // namespace

Eigen principal_components(Matrix a) {
  std::size_t const n = a.rows();
  auto t = tridiagonal(std::move(a));
  diagonalise(t);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return t.diagonal[i] > t.diagonal[j]; });
  Eigen result{{}, Matrix(n, n)};
  for (std::size_t k = 0; k < n; ++k) {
    result.values.push_back(t.diagonal[order[k]]);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += t.vectors(order[k], i);
    for (std::size_t i = 0; i < n; ++i)
      result.vectors(i, k) = std::copysign(1.0, sum) * t.vectors(order[k], i);
  }
  return result;
}

std::vector<Gap> bridge_gaps(int n) {
  std::vector<Gap> result{{-1, n - 1, n}};
  for (std::size_t k = 0; k < result.size(); ++k) {
    auto const [before, at, after] = result[k];
    for (auto const& [left, right] : {std::pair(before, at), std::pair(at, after)}) {
      if (right < n && right - left > 1)
        result.push_back({left, left + (right - left) / 2, right});
    }
  }
  return result;
}

void check_dates(std::vector<double> const& dates, int count, std::source_location where) {
  require(dates.size() == static_cast<std::size_t>(count), "number of dates", dates.size(),
          "must be the number of variables, " + std::to_string(count), where);
  for (std::size_t i = 0; i < dates.size(); ++i) {
    auto const name = "date " + std::to_string(i + 1);
    require(std::isfinite(dates[i]) && dates[i] >= 0, name, dates[i], "must be finite and not negative", where);
    require(i == 0 || dates[i] > dates[i - 1], name, dates[i], "must be after the date before", where);
  }
}

std::vector<PathStep> brownian_steps(std::vector<double> const& dates, PathBy by) {
  auto const time = [&](int date) { return date < 0 ? 0 : dates[static_cast<std::size_t>(date)]; };
  int const n = static_cast<int>(dates.size());
  std::vector<PathStep> steps;
  if (by == PathBy::steps) {
    for (int i = 0; i < n; ++i)
      steps.push_back({i, i - 1, -1, 1, 0, std::sqrt(time(i) - time(i - 1))});
    return steps;
  }
  for (auto const [before, at, after] : bridge_gaps(n)) {
    if (after == n) {
      steps.push_back({at, -1, -1, 0, 0, std::sqrt(time(at))});
      continue;
    }
    double const gap = time(after) - time(before), right = (time(at) - time(before)) / gap;
    double const left = (time(after) - time(at)) / gap;
    steps.push_back({at, before, after, left, right, std::sqrt(right * (time(after) - time(at)))});
  }
  return steps;
}

Matrix brownian_covariance(std::vector<double> const& dates) {
  Matrix a(dates.size(), dates.size());
  for (std::size_t i = 0; i < dates.size(); ++i)
    for (std::size_t j = 0; j < dates.size(); ++j)
      a(i, j) = std::min(dates[i], dates[j]);
  return a;
}

Matrix path_matrix(Matrix covariance, PathBy by, std::source_location where) {
  int const n = static_cast<int>(covariance.rows());
  double const most = check_symmetric(covariance, where);
  if (by == PathBy::principal)
    return root(std::move(covariance), most, where);
  std::vector<int> order;
  for (int i = 0; i < n; ++i)
    order.push_back(i);
  if (by == PathBy::bridge)
    std::ranges::transform(bridge_gaps(n), order.begin(), &Gap::at);
  return triangular(covariance, order, where);
}

} // namespace kubature::detail
