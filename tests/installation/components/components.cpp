#include <kubature/version.hpp>

#ifdef WITH_MPI
#include <kubature/mpi.hpp>
#endif

#include <algorithm>
#include <iostream>

int main() {
  auto const build = kubature::version();
  std::cout << "kubature " << build << '\n';
  bool right = build.number == PACKAGE_VERSION;
  bool const knows_mpi = std::count(build.options.begin(), build.options.end(), "MPI") == 1;
#ifdef WITH_MPI
  MPI_Init(nullptr, nullptr);
  right = right && knows_mpi && kubature::communicator(MPI_COMM_SELF).size() == 1;
  MPI_Finalize();
#else
  right = right && !knows_mpi;
#endif
  return right ? 0 : 1;
}
