#include "commands.hpp"
#include "processes.hpp"
#include "progress_line.hpp"
#include "report.hpp"
#include "suite_tasks.hpp"

#include <kubature/suite/ladder.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>

namespace kubature::app {
namespace {

double estimated_error(Result<> const& result) { return std::abs(result.error / result.value); }

double true_error(Task const& task, Result<> const& result) {
  return std::abs(result.value / task.job.entry.value - 1);
}

Json rung(Task const& task, Result<> const& result) {
  auto const& entry = task.job.entry;
  return {{"integrand", entry.name},
          {"dimension", entry.dimension},
          {"method", result.method},
          {"tolerance", task.settings.tolerance().relative},
          {"status", to_string(result.status)},
          {"regions", result.regions},
          {"evaluations", result.evaluations},
          {"estimated_relative_error", estimated_error(result)},
          {"true_relative_error", true_error(task, result)},
          {"milliseconds", 1e3 * result.seconds}};
}

void print_ladder_heading() {
  std::printf("%-9s %3s  %-9s %9s  %-16s %10s %11s %9s %9s %9s\n", "integrand", "dim", "method", "tolerance", "status",
              "regions", "evaluations", "estimate", "true", "ms");
}

void print_rung(Task const& task, Result<> const& result) {
  auto const& entry = task.job.entry;
  std::printf("%-9s %3d  %-9s %9.4g  %-16s %10llu %11.4g %9.2e %9.2e %9.4g\n", std::string(entry.name).c_str(),
              entry.dimension, result.method.c_str(), task.settings.tolerance().relative,
              std::string(to_string(result.status)).c_str(), static_cast<unsigned long long>(result.regions),
              static_cast<double>(result.evaluations), estimated_error(result), true_error(task, result),
              1e3 * result.seconds);
  std::fflush(stdout);
}

} // namespace

int ladder_command(Options const& options) {
  for (auto const* tolerance : {"--relative", "--absolute"})
    if (auto const typed = options.typed.find(tolerance); typed != options.typed.end())
      throw BadInput(tolerance, typed->second, "the ladder sets its own tolerances");
  auto tasks = suite_tasks(options);
  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  ProgressLine line;
  Json rungs = Json::array();
  if (!options.json)
    print_ladder_heading();
  for (auto& task : tasks) {
    if (interrupted())
      break;
    for (double const tolerance : suite::ladder()) {
      task.settings.set("relative", tolerance);
      char prefix[50];
      std::snprintf(prefix, sizeof prefix, "%s %g ", std::string(task.job.entry.name).c_str(), tolerance);
      auto const result = task.run(watch(line, prefix));
      line.clear();
      if (options.json)
        rungs.push_back(rung(task, result));
      else
        print_rung(task, result);
      if (result.status != Status::converged)
        break;
    }
  }
  if (options.json)
    print(rungs);
  return interrupted() ? not_met : success;
}

} // namespace kubature::app
