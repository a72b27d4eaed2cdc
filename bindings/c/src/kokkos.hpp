#pragma once

#include <kubature/communicator.hpp>

namespace kubature::c {

/// Initialises Kokkos unless it already is, on the device that device_of() gives these processes. Throws Unsupported if
/// there is none, and InvalidArgument if Kokkos has been finalised.
void begin_kokkos(Communicator const& ranks = {});

/// Counts the objects that have to be destroyed before Kokkos is finalised.
class NeedsKokkos {
public:
  NeedsKokkos();
  ~NeedsKokkos();
  NeedsKokkos(NeedsKokkos const&) = delete;
};

} // namespace kubature::c
