#include "call.hpp"
#include "grids.hpp"
#include "integration.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace kubature::cuba {
namespace {

/// Values of fail.
enum Fail {
  wrong_dimension = -1,
  wrong_components = -2,
  other_error = -97,
  worker_died = -98,
  integrand_aborted = -99
};

std::atomic<int> chosen_verbosity = -1;

int verbosity(int flags) {
  auto const* const text = std::getenv("CUBAVERBOSE");
  int const least = chosen_verbosity >= 0 ? chosen_verbosity.load() : text ? std::atoi(text) : 0;
  return std::max(flags & 3, std::min(least, 3));
}

char const* name(Routine routine) {
  constexpr std::array names{"Vegas", "Suave", "Divonne", "Cuhre"};
  return names[static_cast<std::size_t>(routine) - 1];
}

/// The library computes in one thread, as the functions that it calls do not have to be safe for several and processes
/// are forked, which threads do not survive. Others may have begun it, or say so in the environment.
void begin_library() {
  static std::mutex mutex;
  std::lock_guard const lock(mutex);
  bool const ours = !std::getenv("KOKKOS_NUM_THREADS");
  if (ours)
    setenv("KOKKOS_NUM_THREADS", "1", 1);
  int const code = kubature_initialize();
  if (ours)
    unsetenv("KOKKOS_NUM_THREADS");
  check(code);
}

void echo(Call const& call) {
  say("%s input parameters:\n  ndim %d\n  ncomp %d\n  nvec %lld\n  epsrel %g\n  epsabs %g\n  flags %d\n",
      name(call.routine), call.ndim, call.ncomp, call.nvec, call.epsrel, call.epsabs, call.flags);
  if (call.routine != Routine::cuhre)
    say("  seed %d\n", call.seed);
  say("  mineval %lld\n  maxeval %lld\n", call.mineval, call.maxeval);
  for (auto const& [what, value] : call.others)
    say("  %s %s\n", what, value.c_str());
  say("  statefile \"%s\"\n", call.statefile ? call.statefile : "");
}

/// Whether the library integrates functions of these sizes by the method.
int wrong_size(Call const& call) {
  int const variables = call.routine == Routine::cuhre ? 20 : 1024;
  if (call.ndim < 1 || call.ndim > variables)
    return wrong_dimension;
  int const components =
      call.routine == Routine::cuhre || (call.routine == Routine::divonne && few_variables(call)) ? 32 : 1024;
  return call.ncomp < 1 || call.ncomp > components ? wrong_components : 0;
}

void require(bool holds, char const* otherwise) {
  if (!holds)
    throw std::invalid_argument(otherwise);
}

void integrate(Call const& call, Returned& returned) {
  require(call.f || call.kernel, "integrand = NULL: give a function");
  bool const given = (call.xgiven && call.ngiven > 0) || (call.peakfinder && call.nextra > 0);
  require(!given || call.ldxgiven >= call.ndim, "ldxgiven: must not be less than ndim");
  auto* const kept = spinning(call.spin);
  if (!call.kernel)
    begin_library();
  int const gridno = call.routine == Routine::vegas ? call.gridno : 0;
  auto grid = kept_grid(gridno, call.ndim);
  std::optional<State> state;
  if (call.statefile && *call.statefile && !call.kernel) {
    state.emplace(call.statefile, static_cast<int>(call.routine), call.ndim, call.ncomp, grid);
    if (!state->problem().empty())
      say("\nNo state from %s, as %s.\n", call.statefile, state->problem().c_str());
    else if (state->restored() && verbosity(call.flags) >= 1)
      say("\nRestored state from %s.\n", call.statefile);
  }
  Integration integration(call, state ? &*state : nullptr, grid, kept, verbosity(call.flags));
  if (call.xgiven)
    integration.know(call.xgiven, call.ngiven);
  if (call.peakfinder && call.nextra > 0)
    integration.ask();
  integration.run();
  integration.give(returned);
  keep_grid(gridno, integration.grid());
  if (state && !state->problem().empty())
    say("\nNo state in %s: %s.\n", call.statefile, state->problem().c_str());
  if (state && returned.fail == 0 && !(call.flags & 16))
    state->remove();
}

} // namespace

void run(Call const& call, Returned& returned) {
  if (verbosity(call.flags) >= 2)
    echo(call);
  returned.fail = wrong_size(call);
  if (returned.fail == 0 && !(returned.integral && returned.error && returned.prob))
    returned.fail = other_error;
  if (returned.fail != 0)
    return;
  for (int c = 0; c < call.ncomp; ++c) {
    returned.integral[c] = returned.error[c] = std::numeric_limits<double>::quiet_NaN();
    returned.prob[c] = -999;
  }
  try {
    integrate(call, returned);
  } catch (Failed const& failed) {
    returned.fail = failed.code == abort_code  ? integrand_aborted
                    : failed.code == died_code ? worker_died
                                               : other_error;
    if (returned.fail == other_error)
      std::fprintf(stderr, "%s: %s\n", name(call.routine), failed.what());
  } catch (std::exception const& failed) {
    returned.fail = other_error;
    std::fprintf(stderr, "%s: %s\n", name(call.routine), failed.what());
  }
}

void choose_verbosity(int level) { chosen_verbosity = level; }

} // namespace kubature::cuba
