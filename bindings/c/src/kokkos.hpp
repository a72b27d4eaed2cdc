#pragma once

#include <kubature/communicator.hpp>

namespace kubature::c {

/// Initialises Kokkos, unless it is; with the device that device_of() has for these processes. Throws Unsupported where
/// there is none, and InvalidArgument where Kokkos is finalised.
void begin_kokkos(Communicator const& ranks = {});

/// Counts the objects that have to end before Kokkos does.
class NeedsKokkos {
public:
  NeedsKokkos();
  ~NeedsKokkos();
  NeedsKokkos(NeedsKokkos const&) = delete;
};

} // namespace kubature::c
