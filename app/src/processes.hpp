#pragma once

#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::app {

/// Starts and ends MPI within main(), if a launcher (mpirun, srun) started the program; otherwise does nothing. Of
/// several ranks, only the first prints.
class Launched {
public:
  Launched(int argc, char** argv);
  ~Launched();
  Launched(Launched const&) = delete;
};

/// The ranks of the program; without a launcher there is one.
Communicator const& processes();

/// How the program starts Kokkos: without warnings, and with a device for each rank. Throws BadInput if a device is
/// missing.
Kokkos::InitializationSettings kokkos_settings();

/// The exit status of the first rank, for all ranks: launchers differ in how they combine the statuses.
int agreed(int status);

} // namespace kubature::app
