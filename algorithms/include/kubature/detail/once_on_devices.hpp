#pragma once

#include <Kokkos_Core.hpp>

/// \file
/// Code that hosts have for each value of something, which the compiler knows there, and devices once. A host compiler
/// vectorises it then; a device compiler takes long for every copy of the integrand, and keeps more in registers. Work
/// should always be inline.

namespace kubature::detail {

/// Calls work(0) and work(1).
template <class Work>
KOKKOS_FORCEINLINE_FUNCTION void twice(Work const& work) {
  KOKKOS_IF_ON_HOST((work(0); work(1);))
  KOKKOS_IF_ON_DEVICE((_Pragma("unroll 1") for (int k = 0; k < 2; ++k) work(k);))
}

/// Calls work(value).
template <class Work>
KOKKOS_FORCEINLINE_FUNCTION void either(bool value, Work const& work) {
  KOKKOS_IF_ON_HOST((value ? work(true) : work(false);))
  KOKKOS_IF_ON_DEVICE((work(value);))
}

} // namespace kubature::detail
