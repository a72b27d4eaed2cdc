// One integral by all processes of an MPI, a device each: mpirun -n 4 example_several_processes
#include <kubature/integrate.hpp>
#include <kubature/mpi.hpp>

#include <cmath>
#include <iostream>

struct Ridge {
  KOKKOS_FUNCTION double operator()(kubature::Point<double, 2> const& x) const {
    return Kokkos::exp(-100 * (x[0] - x[1]) * (x[0] - x[1]));
  }
};

int main(int argc, char** argv) {
  bool right = false;
  MPI_Init(&argc, &argv);
  {
    auto const ranks = kubature::communicator(MPI_COMM_WORLD);   // duplicates it
    Kokkos::ScopeGuard const kokkos(kubature::device_of(ranks)); // by the rank on the machine
    auto const result = kubature::integrate(Kokkos::DefaultExecutionSpace(), ranks, kubature::VegasPlus{}, Ridge{},
                                            kubature::Box<2>{}, {.relative = 1e-3});
    if (ranks.rank() == 0) // all have the same result
      std::cout << result << '\n';
    double const truth = std::sqrt(M_PI) / 10 * std::erf(10.0) - (1 - std::exp(-100.0)) / 100;
    right = std::abs(result.value - truth) < 5 * result.error;
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
