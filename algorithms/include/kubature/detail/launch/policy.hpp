#pragma once

#include <kubature/backend.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace kubature::detail {

/// The schedule of teams that work for long: threads of a host take more as they get on, since its cores may differ or
/// have other work. Results do not depend on it.
template <class Space>
using TeamSchedule = Kokkos::Schedule<std::conditional_t<on_device_of_its_own<Space>, Kokkos::Static, Kokkos::Dynamic>>;

/// The policy with the hint that the functor is passed as a kernel argument. Without it Kokkos copies functors of 512
/// bytes and more to a device's only constant-memory buffer, and a launch waits for the previous kernel.
template <class Policy>
auto as_argument(Policy const& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

} // namespace kubature::detail
