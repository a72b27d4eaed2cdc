#include "ranks.hpp"

#include <kubature/mpi.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace {
std::optional<kubature::Communicator> everyone;
}

kubature::Communicator const& ranks() { return *everyone; }

/// Every process runs all tests, side by side; the first one reports how they went, and the others report only
/// failures.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  everyone = kubature::communicator(MPI_COMM_WORLD);
  if (everyone->rank() > 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  int status = 0;
  {
    Kokkos::ScopeGuard const guard(kubature::device_of(*everyone).set_disable_warnings(true));
    status = RUN_ALL_TESTS();
    status = everyone->any(status != 0) ? 1 : 0;
  }
  everyone.reset();
  MPI_Finalize();
  return status;
}
