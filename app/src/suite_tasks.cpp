#include "suite_tasks.hpp"

#include "processes.hpp"

namespace kubature::app {
namespace {

using runtime::MethodInfo;

bool serves(MethodInfo const& method, suite::Entry const& entry, Options const& options) {
  bool const able = method.distributed || processes().size() == 1;
  bool const usual = able && (method.suites || options.suite == ladder);
  bool const wanted = options.method.empty() ? usual : options.method == method.name;
  return wanted && (entry.symmetric || !method.symmetric_only) && (method.cubature || options.suite != ladder);
}

runtime::Settings settings_for(MethodInfo const& method, suite::Entry const& entry, Options const& options) {
  auto settings = options.settings(method.name);
  auto const given = [&](char const* option) { return settings.given().contains(option); };
  if (method.open_ended) {
    if (settings.own_tolerance() || !settings.tolerance().asked())
      settings.set("relative", default_relative);
    if (!given("seconds"))
      settings.set("seconds", default_seconds);
    if (settings.has("relative_filter") && entry.cancels)
      settings.set("relative_filter", false);
  } else if (!given("evaluations")) {
    // Fewer if an evaluation costs much more than usual.
    settings.set("evaluations", default_evaluations / entry.cost);
  }
  return settings;
}

} // namespace

std::vector<Task> suite_tasks(Options const& options) {
  auto const& usual = options.method.empty() ? runtime::methods().front() : runtime::find_method(options.method);
  auto const precision = options.settings(usual.name).precision().name;
  if (runtime::default_precision(usual).name == runtime::adaptive_name && precision != runtime::adaptive_name)
    throw BadInput("--precision", options.precision,
                   "the method " + std::string(usual.name) + " computes suites in precision adaptive");
  std::vector<Task> tasks;
  bool known = false;
  for (auto const& job : jobs(precision)) {
    if (!job.entry.answers_to(options.suite))
      continue;
    known = true;
    for (auto const& method : runtime::methods())
      if (serves(method, job.entry, options)) {
        tasks.push_back({job, settings_for(method, job.entry, options)});
        tasks.back().settings.check(job.entry.dimension, processes().size()); // before anything is printed
      }
  }
  if (!known)
    throw BadInput("NAME", options.suite,
                   "no such suite or integral, or none for the precision " + std::string(precision) +
                       ", see kubature list; fp64 has all suites, other precisions only mixed");
  if (tasks.empty())
    throw BadInput("--method", options.method,
                   options.suite == ladder ? "the ladder is for cubature methods"
                                           : "no integrand of " + options.suite + " is symmetric");
  return tasks;
}

} // namespace kubature::app
