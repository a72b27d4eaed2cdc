#include "processes.hpp"

#include "options.hpp"

#include <kubature/backend.hpp>

#ifdef KUBATURE_WITH_MPI
#include <kubature/mpi.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <string>

namespace kubature::app {
namespace {

Communicator all;

} // namespace

Communicator const& processes() { return all; }

Kokkos::InitializationSettings kokkos_settings() {
  if (auto const missing = missing_device(); !missing.empty())
    throw BadInput(missing);
  return device_of(all).set_disable_warnings(true);
}

int agreed(int status) {
  auto text = std::to_string(status);
  all.broadcast(text);
  return std::stoi(text);
}

#ifdef KUBATURE_WITH_MPI

namespace {

/// Whether a launcher has set its variables in the environment: MPICH and its derivatives, those with PMIx, Open MPI.
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
