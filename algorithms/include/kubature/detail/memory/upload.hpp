#pragma once

#include <Kokkos_Core.hpp>

#include <cstring>
#include <vector>

namespace kubature::detail {

/// Copies a list to where kernels on `exec` read it. The list must not change before the next fence.
template <class Space, class T>
void upload(Space const& exec, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> const& to, std::vector<T> const& from) {
  if constexpr (Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) {
    exec.fence("kubature::upload::before");
    std::memcpy(static_cast<void*>(to.data()), from.data(), from.size() * sizeof(T));
  } else {
    Kokkos::deep_copy(exec, to,
                      Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
  }
}

/// Copies what kernels on `exec` have written.
template <class Space, class T>
void download(Space const& exec, Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> const& from, T* to) {
  Kokkos::deep_copy(exec, Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(to, from.size()), from);
  exec.fence("kubature::download");
}

} // namespace kubature::detail
