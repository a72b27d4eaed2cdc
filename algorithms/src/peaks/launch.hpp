#pragma once

#include <kubature/detail/launch/policy.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

/// The policy of a kernel with this many items.
template <class Space>
auto items_of(Space const& exec, std::uint64_t items) {
  return as_argument(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, items));
}

template <class Space, class Kernel>
void launch(Space const& exec, char const* label, std::uint64_t items, Kernel const& kernel) {
  Kokkos::parallel_for(label, items_of(exec, items), kernel);
}

} // namespace kubature::detail
