#pragma once

#include "handles.hpp"

#include <kubature/batched.hpp>
#include <kubature/runtime/integrator.hpp>

#include <Kokkos_Core.hpp>

#include <variant>

namespace kubature::c {

/// The function of a caller as the library calls it. If it returns something other than 0, that is thrown as
/// IntegrandFailed.
/// @param rows must outlive it
runtime::BatchFunction batches(HostFunction const& function, Rows& rows);
runtime::BatchFunction batches(DeviceFunction const& function);

/// compute(f, components) for an integrand that is a function.
/// @param rows must outlive f
template <class Compute>
auto with_batches(kubature_integrand const& integrand, Rows& rows, Compute const& compute) {
  if (auto const* host = std::get_if<HostFunction>(&integrand.f))
    return compute(batches(*host, rows), host->components);
  auto const& device = std::get<DeviceFunction>(integrand.f);
  return compute(batches(device), device.components);
}

} // namespace kubature::c
