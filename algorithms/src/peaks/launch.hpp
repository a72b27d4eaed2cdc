#pragma once

#include <kubature/detail/launch/policy.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace kubature::detail {

template <class Space, class Kernel>
void launch(Space const& exec, char const* label, std::uint64_t items, Kernel const& kernel) {
  Kokkos::parallel_for(label, as_argument(Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint64_t>>(exec, 0, items)),
                       kernel);
}

} // namespace kubature::detail
