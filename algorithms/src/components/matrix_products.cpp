#include <kubature/detail/components/matrix_products.hpp>

#include <kubature/detail/spaces.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#ifdef KUBATURE_KERNELS
#include <KokkosBlas3_gemm.hpp>
#else
#include <stdexcept>
#endif

namespace kubature::detail {

bool has_matrix_products() {
#ifdef KUBATURE_KERNELS
  return true;
#else
  return false;
#endif
}

template <class Space>
void add_products([[maybe_unused]] Space const& exec, [[maybe_unused]] DenseMatrix<Space> const& d,
                  [[maybe_unused]] DenseMatrix<Space> const& p) {
#ifdef KUBATURE_KERNELS
  Kokkos::Profiling::ScopedRegion region("kubature::components::products");
  using Columns = Kokkos::View<double const**, Kokkos::LayoutLeft, Space, Kokkos::MemoryUnmanaged>;
  Columns const columns(d);
  KokkosBlas::gemm(exec, "T", "N", 1.0, columns, columns, 1.0, p);
#else
  throw std::logic_error("matrix products were requested from a library built without Kokkos Kernels");
#endif
}

#define KUBATURE_INSTANTIATE(Space)                                                                                    \
  template void add_products(Space const&, DenseMatrix<Space> const&, DenseMatrix<Space> const&);
KUBATURE_FOR_EACH_SPACE(KUBATURE_INSTANTIATE)
#undef KUBATURE_INSTANTIATE

} // namespace kubature::detail
