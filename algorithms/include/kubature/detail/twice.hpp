#pragma once

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// Calls work(0) and work(1), on a device by the same code: its compiler takes long for every copy of an integrand, and
/// has fewer registers to spill with one. Work should always be inline.
template <class Work>
KOKKOS_FORCEINLINE_FUNCTION void twice(Work const& work) {
  KOKKOS_IF_ON_HOST((work(0); work(1);))
  KOKKOS_IF_ON_DEVICE((_Pragma("unroll 1") for (int k = 0; k < 2; ++k) work(k);))
}

} // namespace kubature::detail
