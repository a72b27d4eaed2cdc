#pragma once

#include <kubature/communicator.hpp>

#include <Kokkos_Core.hpp>

namespace kubature::app {

/// The time of main() between start and end of MPI, where a launcher (mpirun, srun) started the program; else it does
/// nothing. Of several processes only the first one prints.
class Launched {
public:
  Launched(int argc, char** argv);
  ~Launched();
  Launched(Launched const&) = delete;
};

/// The processes that the program runs as; one, without a launcher.
Communicator const& processes();

/// How the program starts Kokkos: without warnings, each process on a device of its own. Throws BadInput where a device
/// is missing.
Kokkos::InitializationSettings kokkos_settings();

/// The first process's status, for all: a launcher makes one of those of all processes, each in its own way.
int agreed(int status);

} // namespace kubature::app
