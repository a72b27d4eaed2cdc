#include "commands.hpp"

#include "processes.hpp"
#include "report.hpp"

#include <kubature/backend.hpp>
#include <kubature/version.hpp>

#include <iomanip>
#include <iostream>

namespace kubature::app {

int info_command(Options const& options) {
  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  auto const build = version();
  if (options.json) {
    Json json{{"version", build.number},
              {"commit", build.commit},
              {"kokkos", build.kokkos},
              {"options", build.options},
              {"compiler", build.compiler}};
    for (auto const& each : backends())
      json["backends"].push_back({{"backend", each.backend},
                                  {"device", each.device},
                                  {"concurrency", each.concurrency},
                                  {"memory", each.memory}});
    print(json);
    return success;
  }
  std::cout << "kubature  " << build << '\n';
  for (auto const& each : backends())
    std::cout << "backend   " << each.backend << " on " << each.device << ", concurrency " << each.concurrency << ", "
              << std::setprecision(3) << static_cast<double>(each.memory) / (1 << 30) << " GiB\n";
  return success;
}

} // namespace kubature::app
