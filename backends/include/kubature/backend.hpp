#pragma once

#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace kubature {

/// The hardware that an execution space runs on, for `kubature info` and the records of performance studies.
struct BackendInfo {
  std::string backend; ///< its name in Kokkos, such as `Cuda`
  /// The name of the processor or GPU, as reported by the system.
  std::string device;
  /// The number of threads that run at once: those of a host, or multiprocessors times resident threads of a GPU.
  int concurrency = 0;
  /// The memory of the GPU or of the machine, in bytes.
  std::size_t memory = 0;
};

/// One entry per execution space that this build of Kokkos enables, the default one first.
std::vector<BackendInfo> backends();

/// The number of the device on which exec computes; 0 on a host. Instances with equal numbers share their memory.
template <class Space>
int device_number(Space const& exec);

/// The bytes that can still be allocated where Space computes: on the GPU, or in the machine's memory as far as the
/// control groups of this process allow.
template <class Space>
std::size_t free_memory(Space const& exec);

/// The number of processes, including this one, that compute in the same memory: those of the machine, or those that
/// share the GPU. All processes must call it, within Communicator::agree().
template <class Space>
int sharers(Space const& exec, Communicator const& ranks);

/// If this build computes on GPUs and none can be used, a sentence that explains why; otherwise empty. Call it before
/// Kokkos is initialised, since Kokkos ends the program if it finds no GPU.
std::string missing_device();

namespace detail {
/// As above, for a kind of GPU of which the system has found this number, or reports a problem.
std::string missing_device(std::string const& kind, int found, std::string const& problem);

/// Memory to which a kernel writes a few numbers that the host reads after a fence: pinned memory if the space has it.
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
using SharedHost = Kokkos::SharedHostPinnedSpace;
#else
using SharedHost = Kokkos::HostSpace;
#endif

/// Whether Space computes in memory that the host cannot access.
template <class Space>
inline constexpr bool on_device_of_its_own =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// An instance whose kernels run on the thread that launches them, without waking others, if the backend supports it;
/// otherwise the instance itself.
template <class Space>
Space calling_thread(Space const& exec);
} // namespace detail

/// Where a kernel on Space leaves the few numbers that the host reads once per iteration, after a fence.
template <class Space>
using ReadbackSpace = std::conditional_t<Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible,
                                         Kokkos::HostSpace, detail::SharedHost>;

} // namespace kubature
