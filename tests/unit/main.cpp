#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  Kokkos::ScopeGuard const guard(settings);
  return RUN_ALL_TESTS();
}
