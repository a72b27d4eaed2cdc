#include "processes.hpp"

#ifdef KUBATURE_WITH_MPI
#include <kubature/mpi.hpp>
#endif

#include <cstdio>
#include <cstdlib>

namespace kubature::app {
namespace {

Communicator all;

} // namespace

Communicator const& processes() { return all; }

Kokkos::InitializationSettings kokkos_settings() { return device_of(all).set_disable_warnings(true); }

#ifdef KUBATURE_WITH_MPI

namespace {

/// Whether a launcher has left its mark: MPICH and its kin, those that speak PMIx, Open MPI.
bool launched() {
  for (char const* mark : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"})
    if (std::getenv(mark))
      return true;
  return false;
}

} // namespace

Launched::Launched(int argc, char** argv) {
  if (!launched())
    return;
  MPI_Init(&argc, &argv);
  all = communicator(MPI_COMM_WORLD);
  if (all.rank() > 0 && !std::freopen("/dev/null", "w", stdout))
    std::exit(1);
}

Launched::~Launched() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  all = {};
  if (initialized)
    MPI_Finalize();
}

#else

Launched::Launched(int, char**) {}
Launched::~Launched() = default;

#endif

} // namespace kubature::app
