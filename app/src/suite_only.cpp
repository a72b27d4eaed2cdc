#include "commands.hpp"
#include "jobs.hpp"

/// \file
/// For the program with suites alone: its replies to other commands.

namespace kubature::app {
namespace {

[[noreturn]] int refuse(char const* command) {
  throw BadInput(command, "", "this program has suites only; the one that scripts/run builds has everything");
}

} // namespace

int integrate_command(Options const&) { refuse("integrate"); }
int many_command(Options const&) { refuse("many"); }
int peaks_command(Options const&) { refuse("peaks"); }
int evidence_command(Options const&) { refuse("evidence"); }
std::vector<Job> formula_jobs() { return {}; }

} // namespace kubature::app
