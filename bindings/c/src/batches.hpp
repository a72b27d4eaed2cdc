#pragma once

#include "handles.hpp"

#include <kubature/batched.hpp>
#include <kubature/runtime/integrator.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::c {

/// The function of a caller as the library calls it. If it returns something other than 0, that is thrown as
/// IntegrandFailed.
/// @param rows must outlive it
runtime::BatchFunction batches(HostFunction const& function, Rows& rows);
runtime::BatchFunction batches(DeviceFunction const& function);

} // namespace kubature::c
