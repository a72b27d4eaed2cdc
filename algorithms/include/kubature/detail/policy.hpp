#pragma once

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// The policy with the hint that the functor travels as a kernel argument. Without it Kokkos copies functors of
/// 512 bytes and more to a device's one constant-memory buffer, and a launch waits for the kernel before it.
template <class Policy>
auto as_argument(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

} // namespace kubature::detail
