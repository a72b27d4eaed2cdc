#pragma once

#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace kubature {

/// What one execution space runs on, for `kubature info` and the records of performance studies.
struct BackendInfo {
  std::string backend; ///< its name in Kokkos, such as `Cuda`
  /// The processor's or card's name, as the system gives it.
  std::string device;
  /// Threads that run at once on a host, multiprocessors times resident threads on a card.
  int concurrency = 0;
  /// Memory in bytes: of the card, or of the machine.
  std::size_t memory = 0;
};

/// One entry for each execution space that this build of Kokkos enables, the default one first.
std::vector<BackendInfo> backends();

/// The card that exec computes on; 0 on a host. Instances of the same number compute on the same memory.
template <class Space>
int device_number(Space const& exec);

/// Bytes that can still be allocated where Space computes: on the card, or in the machine's memory as far as the
/// control groups of this process allow.
template <class Space>
std::size_t free_memory(Space const& exec);

/// How many of the processes compute in the same memory as this one, itself included: those of the machine, or those
/// that share the card. All of them ask, within Communicator::together().
template <class Space>
int sharers(Space const& exec, Communicator const& ranks);

/// What is missing where this build computes on cards and none can be used: a sentence; empty where nothing is missing.
/// To be asked before Kokkos is initialised, which ends the program where it finds no card.
std::string missing_device();

namespace detail {
/// See missing_device(): of a kind of card, of which the system has so many, or tells of a problem.
std::string missing_device(std::string const& kind, int found, std::string const& problem);

/// Memory that a kernel writes a few numbers to and the host reads after a fence: pinned where the space has such.
#ifdef KOKKOS_HAS_SHARED_HOST_PINNED_SPACE
using SharedHost = Kokkos::SharedHostPinnedSpace;
#else
using SharedHost = Kokkos::HostSpace;
#endif

/// Whether Space computes in memory that the host does not reach.
template <class Space>
inline constexpr bool on_device_of_its_own =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// An instance whose kernels run on the thread that launches them, without waking others, where the backend has such;
/// elsewhere the instance itself.
template <class Space>
Space calling_thread(Space const& exec);
} // namespace detail

/// Where a kernel on Space leaves the few numbers that the host reads once an iteration, after a fence.
template <class Space>
using ReadbackSpace = std::conditional_t<Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible,
                                         Kokkos::HostSpace, detail::SharedHost>;

} // namespace kubature
