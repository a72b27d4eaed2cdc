#include "commands.hpp"
#include "processes.hpp"
#include "progress_line.hpp"
#include "report.hpp"
#include "suite_tasks.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace kubature::app {
namespace {

/// The true error in units of the error; NaN if the latter may come from cubature and is no standard deviation.
double pull(Task const& task, Result<> const& result) {
  if (task.settings.method().open_ended || !(result.error > 0))
    return std::numeric_limits<double>::quiet_NaN();
  return (result.value - task.job.entry.value) / result.error;
}

void print_heading() {
  std::printf("%-17s %3s  %-9s %17s %9s %10s %7s %11s %8s\n", "integrand", "dim", "method", "value", "error",
              "true error", "pull", "evaluations", "seconds");
}

void print_row(Task const& task, Result<> const& result) {
  auto const& entry = task.job.entry;
  double const sigmas = pull(task, result);
  char pull_text[20] = "-";
  if (!std::isnan(sigmas))
    std::snprintf(pull_text, sizeof pull_text, std::abs(sigmas) < 1000 ? "%+.2f" : "%+.0e", sigmas);
  std::printf("%-17s %3d  %-9s %17.10g %9.2e %+10.2e %7s %11.3g %8.3f", std::string(entry.name).c_str(),
              entry.dimension, result.method.c_str(), result.value, result.error, result.value - entry.value, pull_text,
              static_cast<double>(result.evaluations), result.seconds);
  if (result.status != Status::completed && result.status != Status::converged)
    std::printf("  %s", std::string(to_string(result.status)).c_str());
  for (auto const& remark : result.remarks)
    std::printf("  %s", remark.c_str());
  std::puts("");
  std::fflush(stdout);
}

Json row(Task const& task, Result<> const& result) {
  auto const& entry = task.job.entry;
  Json object{{"integrand", entry.name},
              {"dimension", entry.dimension},
              {"true_value", entry.value},
              {"pull", pull(task, result)}};
  object.update(to_json(result));
  return object;
}

/// A tolerance that the user did not request need not be met, but there must be an estimate.
int outcome(Task const& task, Options const& options, Result<> const& result) {
  auto const given = options.settings(task.settings.method().name);
  bool const asked = !given.method().open_ended || (given.tolerance().asked() && !given.own_tolerance());
  return asked || std::isnan(result.value) ? exit_status(result.status) : success;
}

} // namespace

int suite_command(Options const& options) {
  if (options.suite == ladder)
    return ladder_command(options);
  auto const all = suite_tasks(options);
  Kokkos::ScopeGuard const kokkos(kokkos_settings());
  ProgressLine line;
  Json rows = Json::array();
  int status = success;
  if (!options.json)
    print_heading();
  for (std::size_t i = 0; i < all.size() && !interrupted(); ++i) {
    auto const& task = all[i];
    auto const prefix =
        '[' + std::to_string(i + 1) + '/' + std::to_string(all.size()) + "] " + std::string(task.job.entry.name) + ' ';
    auto const result = task.run(watch(line, prefix));
    line.clear();
    status = std::max(status, outcome(task, options, result));
    if (options.json)
      rows.push_back(row(task, result));
    else
      print_row(task, result);
  }
  if (options.json)
    print(rows);
  return interrupted() ? not_met : status;
}

} // namespace kubature::app
