#include "commands.hpp"
#include "methods.hpp"
#include "precisions.hpp"
#include "progress_line.hpp"
#include "report.hpp"

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace kubature::app {
namespace {

/// A reference integral by one method.
using Task = std::pair<Job, std::string_view>;

std::vector<Task> tasks(Options const& options) {
  std::vector<Task> result;
  bool known = false;
  for (auto const& job : find_precision(options.precision).suite()) {
    if (!job.entry.answers_to(options.suite))
      continue;
    known = true;
    for (auto const& method : methods)
      if ((options.method.empty() || options.method == method.name) && (job.entry.symmetric || !method.symmetric_only))
        result.emplace_back(job, method.name);
  }
  if (!known)
    throw BadInput("NAME", options.suite, "no such suite or integral; see kubature list");
  if (result.empty())
    throw BadInput("--method", options.method, "no integrand of " + options.suite + " is symmetric");
  return result;
}

/// By default, an integral has the method's own number of evaluations; fewer where they cost much more than
/// usual.
MethodOptions options_for(suite::Entry const& entry, MethodOptions options) {
  if (!options.evaluations)
    options.evaluations = 1'000'000 / static_cast<unsigned>(entry.cost);
  return options;
}

double pull(Result<> const& result, double truth) {
  return result.error > 0 ? (result.value - truth) / result.error : std::numeric_limits<double>::quiet_NaN();
}

void print_heading() {
  std::printf("%-17s %3s  %-9s %17s %9s %10s %7s %11s %8s\n", "integrand", "dim", "method", "value", "error",
              "true error", "pull", "evaluations", "seconds");
}

void print_row(suite::Entry const& entry, Result<> const& result) {
  double const sigmas = pull(result, entry.value);
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

Json row(suite::Entry const& entry, Result<> const& result) {
  Json object{{"integrand", entry.name},
              {"dimension", entry.dimension},
              {"true_value", entry.value},
              {"pull", pull(result, entry.value)}};
  object.update(to_json(result));
  return object;
}

} // namespace

int suite_command(Options const& options) {
  auto const all = tasks(options);
  Kokkos::ScopeGuard const kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  ProgressLine line;
  Json rows = Json::array();
  int status = success;
  if (!options.json)
    print_heading();
  for (std::size_t i = 0; i < all.size() && !interrupted(); ++i) {
    auto const& [job, method] = all[i];
    auto const prefix =
        '[' + std::to_string(i + 1) + '/' + std::to_string(all.size()) + "] " + std::string(job.entry.name) + ' ';
    auto const result = job.run(method, options_for(job.entry, options.with), watch(line, prefix));
    line.clear();
    status = std::max(status, exit_status(result.status));
    if (options.json)
      rows.push_back(row(job.entry, result));
    else
      print_row(job.entry, result);
  }
  if (options.json)
    print(rows);
  return interrupted() ? not_met : status;
}

} // namespace kubature::app
