#pragma once

#include <Kokkos_Core.hpp>

namespace kubature::detail {

/// The policy with the hint that the functor is passed as a kernel argument. Without it Kokkos copies functors of 512
/// bytes and more to a device's only constant-memory buffer, and a launch waits for the previous kernel.
template <class Policy>
auto as_argument(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

} // namespace kubature::detail
