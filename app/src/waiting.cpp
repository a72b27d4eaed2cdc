#include "waiting.hpp"

#include <Kokkos_Macros.hpp>

#if defined(KOKKOS_ENABLE_OPENMP) && defined(__linux__)
#include <cstdlib>
#include <unistd.h>
#endif

namespace kubature::app {

void wait_briefly([[maybe_unused]] char** argv) {
#if defined(KOKKOS_ENABLE_OPENMP) && defined(__linux__)
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY"))
    return;
  setenv("GOMP_SPINCOUNT", "1000", 0);
  execv("/proc/self/exe", argv); // returns only if it fails, which is harmless
#endif
}

} // namespace kubature::app
