#pragma once

#include <kubature/communicator.hpp>

namespace kubature::c {

/// Initialises Kokkos unless it already is, on the device that device_of() assigns to these ranks. Throws Unsupported
/// if there is none, and InvalidArgument if Kokkos has been finalised. See check_process().
void begin_kokkos(Communicator const& ranks = {});

/// Whether this process was forked after Kokkos was initialised, and so lacks its threads or its device: Kokkos would
/// hang.
bool forked_without_kokkos();
/// Throws Unsupported in such a process.
void check_process();

/// Counts the objects that must be destroyed before Kokkos is finalised.
class NeedsKokkos {
public:
  NeedsKokkos();
  ~NeedsKokkos();
  NeedsKokkos(NeedsKokkos const&) = delete;
};

} // namespace kubature::c
