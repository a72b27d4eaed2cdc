#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// The only place where kubature uses Kokkos Kernels.

namespace kubature::detail {

template <class Space>
using DenseMatrix = Kokkos::View<double**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;

/// Whether this library was built with Kokkos Kernels (CMake option KUBATURE_KERNELS).
bool has_matrix_products();

/// Adds D^T D to the symmetric matrix P, where D has many rows and few columns. Throws logic_error without Kokkos
/// Kernels.
template <class Space>
void add_products(Space const& exec, DenseMatrix<Space> const& d, DenseMatrix<Space> const& p);

} // namespace kubature::detail
