#pragma once

#include <kubature/detail/memory/buffer.hpp>
#include <kubature/detail/memory/upload.hpp>
#include <kubature/detail/normal.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace kubature::detail {

/// Rotates points of the unit cube in normal coordinates: u = Phi(Q Phi^-1(t)) with an orthogonal matrix Q, where Phi
/// is the standard normal distribution, of each coordinate. Rotations keep a normal distribution, and so u fills the
/// cube as evenly as t does: no weight is needed.
template <class Space>
struct Rotation {
  Kokkos::View<double const*, Space, Kokkos::MemoryUnmanaged> matrix; ///< Q by rows
  /// Their number. If loops over the rows had constant bounds, compilers for GPUs would keep the whole matrix in
  /// registers from point to point, of which there are far too few.
  int rows = 0;

  bool any() const { return matrix.size() > 0; }

  /// Normal coordinates of t, kept away from the infinities at the ends.
  template <class Real>
  KOKKOS_FUNCTION static Real normal(Real t) {
    return static_cast<Real>(normal_quantile(inside(static_cast<double>(t))));
  }

  /// From normal coordinates of t to u.
  template <class P>
  KOKKOS_FUNCTION void operator()(P& x) const {
    using Real = typename P::value_type;
    int const d = x.size();
    Real z[P::capacity];
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < d; ++j)
        sum += matrix(i * d + j) * static_cast<double>(x[j]);
      z[i] = static_cast<Real>(sum);
    }
    for (int i = 0; i < d; ++i)
      x[i] = inside<Real>(static_cast<Real>(normal_probability(static_cast<double>(z[i]))));
  }

  /// Strictly between 0 and 1.
  template <class Real>
  KOKKOS_FUNCTION static Real inside(Real t) {
    constexpr Real least = Kokkos::Experimental::epsilon_v<Real> / 2;
    return Kokkos::clamp(t, least, 1 - least);
  }
};

/// The memory of a rotation on the device.
template <class Space>
class RotationMemory {
public:
  Rotation<Space> hold(Space const& exec, std::vector<double> matrix) {
    exec.fence("kubature::qmc::rotation"); // an earlier call may still read it
    matrix_ = std::move(matrix);
    auto const on_device = buffer_.template as<double>(exec, matrix_.size());
    upload(exec, on_device, matrix_);
    return {on_device, static_cast<int>(std::lround(std::sqrt(static_cast<double>(matrix_.size()))))};
  }

private:
  std::vector<double> matrix_;
  Buffer<Space> buffer_{"kubature::qmc::rotation"};
};

/// Eigenvectors and eigenvalues of a symmetric matrix; the largest eigenvalue's first.
struct Directions {
  std::vector<double> matrix; ///< eigenvectors as columns, by rows
  std::vector<double> variances;
};

/// The rotation that makes the first coordinates those directions along which an integrand varies most (its active
/// subspace, "gradient principal component analysis": Xiao and Wang, "Enhancing quasi-Monte Carlo simulation by
/// minimizing effective dimension for derivative pricing", Comput. Econ. 54 (2019) 343).
/// @param products the mean of the products of each two partial derivatives, a matrix of d rows
Directions principal_directions(std::vector<double> const& products, int d);

/// Whether an integrand varies along a few directions that are not a few of its axes, according to the same matrix and
/// its eigenvalues.
bool few_directions(std::vector<double> const& products, std::vector<double> const& variances);

} // namespace kubature::detail
