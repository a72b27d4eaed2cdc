#pragma once

#include "jobs.hpp"
#include "options.hpp"

#include <string_view>
#include <vector>

namespace kubature::app {

/// The tolerance and the time limit of cubature methods for an integral of a suite, unless the user sets others: on a
/// CPU, some would take minutes.
inline constexpr double default_relative = 1e-3, default_seconds = 1;

/// Evaluations per iteration of sampling methods, unless the user sets another number: the whole suite takes about two
/// minutes on two cores.
inline constexpr int default_evaluations = 300'000;

/// The suite that is integrated at one tolerance after another.
inline constexpr std::string_view ladder = "ladder";

/// A reference integral by one method.
struct Task {
  Job job;
  runtime::Settings settings;

  Result<> run(Callback const& callback) const { return job.run(settings, callback); }
};

/// The integrals of the suite that the user names, each by the methods that serve it. Throws BadInput, or
/// InvalidArgument if the settings do not suit an integral.
std::vector<Task> suite_tasks(Options const& options);

} // namespace kubature::app
