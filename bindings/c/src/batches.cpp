#include "batches.hpp"

#include <cstdint>

namespace kubature::c {
namespace {

/// The queue of an instance, as a native handle of the backend.
void* stream_of([[maybe_unused]] Rows::Space const& exec) {
#if defined(KOKKOS_ENABLE_CUDA)
  return exec.cuda_stream();
#elif defined(KOKKOS_ENABLE_HIP)
  return exec.hip_stream();
#elif defined(KOKKOS_ENABLE_SYCL)
  return &exec.sycl_queue();
#else
  return nullptr;
#endif
}

void check(int returned) {
  if (returned != 0)
    throw IntegrandFailed(returned);
}

} // namespace

runtime::BatchFunction batches(HostFunction const& function, Rows& rows) {
  using Space = Rows::Space;
  auto const call = [function](std::int64_t n, int d, double const* x, int components, double* to) {
    return function.f(n, d, x, components, to, function.user);
  };
  if (!function.concurrent || function.weighted) {
    runtime::BatchFunction made = [call, &rows](Space const& exec, BatchPoints<Space> const& points,
                                                BatchValues<Space> const& values) {
      check(rows.evaluate(exec, points, values, call));
    };
    made.with_weights = function.weighted;
    return made;
  }
  runtime::BatchFunction made = [call, &rows](Space const& exec, BatchPoints<Space> const& points,
                                              BatchValues<Space> const& values) {
    check(rows.evaluate_at_once(exec, points, values, call));
  };
  made.in_thread = [call](BatchPoints<Space> const& points, BatchValues<Space> const& values) {
    check(Rows::evaluate_in_thread(points, values, call));
  };
  return made;
}

runtime::BatchFunction batches(DeviceFunction const& function) {
  using Space = Rows::Space;
  return [function](Space const& exec, BatchPoints<Space> const& points, BatchValues<Space> const& values) {
    check(function.f(static_cast<std::int64_t>(points.extent(0)), static_cast<int>(points.extent(1)), points.data(),
                     static_cast<int>(values.extent(1)), values.data(), stream_of(exec), function.user));
  };
}

} // namespace kubature::c
