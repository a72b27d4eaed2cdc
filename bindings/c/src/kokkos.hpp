#pragma once

#include <kubature.h>
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

/// Counts the calls in progress, during which a program that exits leaves Kokkos as it is.
class Computing {
public:
  Computing();
  ~Computing();
  Computing(Computing const&) = delete;
};

/// Notes integrators whose memory is Kokkos's. They give it up when Kokkos is finalised, whoever does that, and begin
/// it if nobody else has.
class NeedsKokkos {
public:
  explicit NeedsKokkos(kubature_integrator& integrator);
  ~NeedsKokkos();
  NeedsKokkos(NeedsKokkos const&) = delete;

private:
  kubature_integrator* integrator_;
};

} // namespace kubature::c
