#pragma once

#include "jobs.hpp"
#include "options.hpp"

#include <string_view>
#include <vector>

namespace kubature::app {

/// When cubature methods are done with an integral of a suite, unless the user says so: on a CPU, some would take
/// minutes.
inline constexpr double default_relative = 1e-3, default_seconds = 1;

/// Evaluations of an iteration of sampling methods, unless the user says how many: the whole suite takes some two
/// minutes on two cores.
inline constexpr int default_evaluations = 300'000;

/// The suite that is integrated at one tolerance after the other.
inline constexpr std::string_view ladder = "ladder";

/// A reference integral by one method.
struct Task {
  Job job;
  runtime::Settings settings;

  Result<> run(Callback const& callback) const { return job.run(settings, callback); }
};

/// What the suite that the user names holds, by the methods that serve it. Throws BadInput, and InvalidArgument where
/// the settings do not serve an integral.
std::vector<Task> suite_tasks(Options const& options);

} // namespace kubature::app
