#include "ranks.hpp"

#include <kubature/mpi.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace {
std::optional<kubature::Communicator> all;
}

kubature::Communicator const& ranks() { return *all; }

/// Every process runs all tests, side by side; the first one tells how they went, and the others only what fails.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  all = kubature::communicator(MPI_COMM_WORLD);
  if (all->rank() > 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  int status = 0;
  {
    Kokkos::ScopeGuard const guard(kubature::device_of(*all).set_disable_warnings(true));
    status = RUN_ALL_TESTS();
    status = all->any(status != 0) ? 1 : 0;
  }
  all.reset();
  MPI_Finalize();
  return status;
}
