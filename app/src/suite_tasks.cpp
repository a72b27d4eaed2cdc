#include "suite_tasks.hpp"

namespace kubature::app {
namespace {

bool serves(MethodInfo const& method, suite::Entry const& entry, Options const& options) {
  bool const able = method.distributed || processes().size() == 1;
  bool const wanted =
      options.method.empty() ? able && (method.in_suites || options.suite == ladder) : options.method == method.name;
  return wanted && (entry.symmetric || !method.symmetric_only) && (method.cubature || options.suite != ladder);
}

MethodOptions options_for(MethodInfo const& method, suite::Entry const& entry, Options const& options) {
  auto with = options.with;
  if (method.cubature) {
    if (!with.tolerance.asked())
      with.tolerance.relative = default_relative;
    if (!options.typed.contains("--seconds"))
      with.limits.seconds = default_seconds;
    with.relative_filter = with.relative_filter && !entry.cancels;
  } else if (!with.evaluations) {
    // The method's own number; fewer where they cost much more than usual.
    with.evaluations = 1'000'000 / static_cast<unsigned>(entry.cost);
  }
  return with;
}

} // namespace

std::vector<Task> suite_tasks(Options const& options) {
  if (!options.method.empty())
    check_processes(find_method(options.method));
  std::vector<Task> tasks;
  bool known = false;
  auto const& precision = precision_for(options, options.method);
  for (auto const& job : precision.suite()) {
    if (!job.entry.answers_to(options.suite))
      continue;
    known = true;
    for (auto const& method : methods)
      if (serves(method, job.entry, options)) {
        if (method.cubature)
          CubatureRule(options.with.rule, job.entry.dimension); // refused before anything is printed
        tasks.push_back({job, method, options_for(method, job.entry, options)});
      }
  }
  if (!known)
    throw BadInput("NAME", options.suite,
                   "no such suite or integral, or none for the precision " + std::string(precision.name) +
                       ", see kubature list; fp64 and fp32 have all, the others mixed");
  if (tasks.empty())
    throw BadInput("--method", options.method,
                   options.suite == ladder ? "the ladder is for cubature methods"
                                           : "no integrand of " + options.suite + " is symmetric");
  return tasks;
}

} // namespace kubature::app
