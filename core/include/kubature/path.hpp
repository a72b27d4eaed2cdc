#pragma once

#include <kubature/detail/normal.hpp>
#include <kubature/detail/path_matrix.hpp>
#include <kubature/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <source_location>
#include <string>
#include <vector>

namespace kubature {

namespace detail {

#ifdef KOKKOS_HAS_SHARED_SPACE
using PathSpace = Kokkos::SharedSpace; ///< read by kernels, and by the host where it reports a place
#else
using PathSpace = Kokkos::HostSpace;
#endif

/// A copy of these elements for kernels.
template <class T>
Kokkos::View<T const*, PathSpace> path_data(std::vector<T> const& from) {
  Kokkos::View<T*, PathSpace> const to(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kubature::path"), from.size());
  Kokkos::deep_copy(to, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
  return to;
}

} // namespace detail

/// The values of a Gaussian process with mean zero at D dates, as a domain: a map from the unit cube, whose measure is
/// the distribution of the process, so that the integral over it is an expectation. D may be as large as 1024 on hosts
/// (docs/many-variables.md). Copies share the data. Made by brownian_path and gaussian_path:
///
/// @code
///   auto const path = brownian_path<252>(dates);                  // t_1 < t_2 < ... < t_252
///   integrate(QuasiMonteCarlo{.evaluations = 1 << 16}, payoff, path); // payoff(x), x[i] = W(t_i)
/// @endcode
template <int D>
class Path {
public:
  static constexpr int variables = D;   ///< dimension of the unit cube
  static constexpr int coordinates = D; ///< of a point: a value for each date

  /// Of a process by what each of its dates depends on. Time and memory of a path are of the order of D.
  explicit Path(std::vector<detail::PathStep> const& steps) : steps_(detail::path_data(steps)) {}
  /// The path A z of D independent normal numbers z. Time of a path is of the order of D^2.
  explicit Path(detail::Matrix const& a) {
    std::vector<double> columns;
    for (std::size_t k = 0; k < padded; ++k)
      for (std::size_t i = 0; i < D; ++i)
        columns.push_back(k < D ? a(i, k) : 0);
    matrix_ = detail::path_data(columns);
  }

  /// The path of u, and the Jacobian, 1. Computes in double.
  template <class Real>
  KOKKOS_FUNCTION Real operator()(Real const* u, Real* x) const {
    double path[D] = {};
    if (matrix_.size() > 0)
      multiply(u, path);
    else
      go(u, path);
    for (int i = 0; i < D; ++i)
      x[i] = static_cast<Real>(path[i]);
    return 1;
  }

private:
  static constexpr int at_once = 4;                                    ///< columns of the matrix
  static constexpr int padded = (D + at_once - 1) / at_once * at_once; ///< with columns of zeros

  template <class Real>
  KOKKOS_FUNCTION void go(Real const* u, double* path) const {
    auto const value = [path](int date) { return date < 0 ? 0 : path[date]; };
    for (int k = 0; k < D; ++k) {
      auto const& step = steps_(k);
      path[step.at] = step.left * value(step.before) + step.right * value(step.after) +
                      step.deviation * detail::normal_number(u[k]);
    }
  }

  template <class Real>
  KOKKOS_FUNCTION void multiply(Real const* u, double* path) const {
    double const* a = matrix_.data();
    for (int k = 0; k < padded; k += at_once, a += at_once * D) { // the dates are computed side by side
      double z[at_once] = {};
      for (int j = 0; j < at_once && k + j < D; ++j)
        z[j] = detail::normal_number(u[k + j]);
      for (int i = 0; i < D; ++i)
        path[i] += z[0] * a[i] + z[1] * a[D + i] + z[2] * a[2 * D + i] + z[3] * a[3 * D + i];
    }
  }

  Kokkos::View<detail::PathStep const*, detail::PathSpace> steps_;
  Kokkos::View<double const*, detail::PathSpace> matrix_; ///< `padded` columns; none where there are steps
};

/// Brownian motion W with W(0) = 0 and variance t, at D dates, in years say. By steps or a bridge a path takes time of
/// the order of D, by principal components of D^2.
/// Throws InvalidArgument unless there are D dates that are finite, not negative, and ascend.
template <int D>
Path<D> brownian_path(std::vector<double> const& dates, PathBy by = PathBy::bridge,
                      std::source_location where = std::source_location::current()) {
  detail::check_dates(dates, D, where);
  if (by == PathBy::principal)
    return Path<D>(detail::path_matrix(detail::brownian_covariance(dates), by, where));
  return Path<D>(detail::brownian_steps(dates, by));
}

/// A Gaussian process, or D normal variables, with this covariance, as a matrix by rows.
/// Throws InvalidArgument unless it has D rows and columns and is symmetric and positive semidefinite, to within
/// rounding.
template <int D>
Path<D> gaussian_path(std::vector<std::vector<double>> const& covariance, PathBy by = PathBy::bridge,
                      std::source_location where = std::source_location::current()) {
  auto const wanted = std::to_string(D) + " rows of as many numbers are needed";
  require(covariance.size() == D, "number of rows of the covariance", covariance.size(), wanted, where);
  detail::Matrix matrix(D, D);
  for (std::size_t i = 0; i < D; ++i) {
    require(covariance[i].size() == D, "numbers in row " + std::to_string(i + 1) + " of the covariance",
            covariance[i].size(), wanted, where);
    for (std::size_t j = 0; j < D; ++j)
      matrix(i, j) = covariance[i][j];
  }
  return Path<D>(detail::path_matrix(std::move(matrix), by, where));
}

/// The Gaussian process whose values at dates s and t have the covariance k(s, t), at D dates.
/// Throws InvalidArgument as brownian_path does for dates, and unless k is symmetric and positive semidefinite.
template <int D, std::invocable<double, double> K>
Path<D> gaussian_path(std::vector<double> const& dates, K const& k, PathBy by = PathBy::bridge,
                      std::source_location where = std::source_location::current()) {
  detail::check_dates(dates, D, where);
  detail::Matrix matrix(D, D);
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j)
      matrix(i, j) = k(dates[i], dates[j]);
  return Path<D>(detail::path_matrix(std::move(matrix), by, where));
}

} // namespace kubature
