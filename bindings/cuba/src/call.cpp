#include "call.hpp"
#include "../../drop_in/handles.hpp"
#include "evaluation.hpp"
#include "grids.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>

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

class Failed : public std::runtime_error {
public:
  explicit Failed(int returned) : std::runtime_error(kubature_last_error()), code(returned) {}
  int code;
};

void check(int returned) {
  if (returned != KUBATURE_SUCCESS)
    throw Failed(returned);
}

using drop_in::Box, drop_in::Integrator, drop_in::Map, drop_in::Result;
using Function = drop_in::Integrand;

/// drop_in::make, with the message of the library.
template <class Handle, class Create, class... Args>
Handle made(Create const& create, Args... args) {
  try {
    return drop_in::make<Handle>(create, args...);
  } catch (int code) {
    throw Failed(code);
  }
}

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

template <class... Values>
void say(char const* format, Values... values) {
  std::printf(format, values...);
  std::fflush(stdout);
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

Grid copied(kubature_map const* map) {
  Grid grid{kubature_map_axes(map), kubature_map_bins(map), {}};
  for (int axis = 0; axis < grid.axes; ++axis) {
    auto const* const edges = kubature_map_edges(map, axis);
    grid.edges.insert(grid.edges.end(), edges, edges + grid.bins + 1);
  }
  return grid;
}

/// Whether cubature is likely to pay, so that Divonne begins with it.
bool few_variables(Call const& call) { return call.ndim <= 8; }

/// The estimate of one or more calls of the library.
struct Estimate {
  std::vector<double> value, error, prob;
};

class Integration {
public:
  Integration(Call const& call, State* state, Grid const& grid, Workers* workers)
      : call_(call), evaluation_(call, workers, state), grid_(grid), verbosity_(verbosity(call.flags)) {
    std::vector<double> const zeros(static_cast<std::size_t>(call.ndim), 0.0), ones(zeros.size(), 1.0);
    box_ = made<Box>(kubature_box_create, call.ndim, zeros.data(), ones.data());
    function_ = call.kernel ? made<Function>(kubature_integrand_device_function, call.kernel, call.ncomp, call.user)
                            : made<Function>(kubature_integrand_function, &Evaluation::call, call.ncomp,
                                             static_cast<void*>(&evaluation_));
  }

  void run() {
    switch (call_.routine) {
    case Routine::vegas:
    case Routine::suave:
      return sample(limit());
    case Routine::cuhre:
      return refine(limit());
    case Routine::divonne:
      if (few_variables(call_)) {
        glance_ = limit() / 5;
        refine(limit());
        glance_ = LLONG_MAX;
      }
      if (!met() || neval_ < call_.mineval)
        sample(limit() - neval_);
    }
  }

  void give(Returned& returned) const {
    std::ranges::copy(best_.value, returned.integral);
    std::ranges::copy(best_.error, returned.error);
    std::ranges::copy(best_.prob, returned.prob);
    returned.neval = neval_;
    returned.nregions = static_cast<int>(std::clamp<std::int64_t>(regions_, 1, INT_MAX));
    if (met() && neval_ >= call_.mineval)
      return;
    returned.fail = 1;
    double const missing = std::min(static_cast<double>(neval_) * (distance(best_) * distance(best_) - 1), 2e9);
    if (call_.routine == Routine::divonne && missing > 1)
      returned.fail = static_cast<int>(missing);
  }

  Grid const& grid() const { return grid_; }

  /// Points near peaks. Those outside of the cube are left out.
  void know(double const* points, long long n) {
    for (long long k = 0; k < n; ++k) {
      auto const* const x = points + k * call_.ldxgiven;
      if (!std::all_of(x, x + call_.ndim, [](double coordinate) { return coordinate >= 0 && coordinate <= 1; }))
        continue;
      for (int i = 0; i < call_.ndim; ++i) {
        char text[32];
        auto const end = std::to_chars(text, text + sizeof text, x[i]).ptr;
        known_.append(known_.empty() ? "" : ",").append(text, end);
      }
    }
  }
  /// As above, those that the caller's function finds in the whole cube.
  void ask() {
    int n = static_cast<int>(std::min<long long>(call_.nextra, INT_MAX));
    std::vector<double> bounds, points(static_cast<std::size_t>(n) * static_cast<std::size_t>(call_.ldxgiven));
    for (int i = 0; i < call_.ndim; ++i)
      bounds.insert(bounds.end(), {0.0, 1.0});
    int const room = n;
    call_.peakfinder(&call_.ndim, bounds.data(), &n, points.data(), call_.user);
    know(points.data(), std::clamp(n, 0, room));
  }

private:
  static constexpr long long fewest = 64, usual = 1000; ///< evaluations of an iteration

  long long limit() const { return std::max(call_.maxeval, 1LL); }
  double epsabs() const { return std::max(call_.epsabs, 0x1p-104); }
  double epsrel() const { return std::max(call_.epsrel, 0.0); }

  /// The largest error in units of what the caller allows; infinite if there is no estimate.
  double distance(Estimate const& of) const {
    double largest = of.value.empty() ? INFINITY : 0;
    for (std::size_t c = 0; c < of.value.size(); ++c) {
      double const each = of.error[c] / std::max(epsabs(), epsrel() * std::abs(of.value[c]));
      largest = each <= largest ? largest : std::isnan(each) ? INFINITY : each;
    }
    return largest;
  }
  bool met() const { return distance(best_) <= 1; }

  Integrator integrator(char const* method) const {
    auto made = cuba::made<Integrator>(kubature_integrator_create, method, static_cast<char const*>(nullptr));
    check(kubature_set_callback(made.get(), &progress, const_cast<Integration*>(this)));
    if (!known_.empty())
      check(kubature_set_text(made.get(), "known", known_.c_str()));
    return made;
  }

  /// Integrates once; the better estimate counts.
  /// @param part of the tolerance
  Result integrate(kubature_integrator* integrator, double part, long long most) {
    check(kubature_set(integrator, "relative", epsrel() * part));
    check(kubature_set(integrator, "absolute", epsabs() * part));
    check(kubature_set_text(integrator, "max_evaluations", std::to_string(std::max(most, 2LL)).c_str()));
    iterations_ = 0;
    evaluation_.iteration(1);
    auto result = made<Result>(kubature_integrate, integrator, function_.get(), box_.get());
    neval_ += kubature_result_evaluations(result.get());
    regions_ = std::max(regions_, kubature_result_regions(result.get()));
    Estimate found;
    for (int c = 0; c < call_.ncomp; ++c)
      add(found, kubature_result_value(result.get(), c), kubature_result_error(result.get(), c),
          1 - kubature_result_q_value(result.get(), c));
    take(found);
    for (int i = 0; verbosity_ >= 3 && i < kubature_result_remarks(result.get()); ++i)
      say("%s\n", kubature_result_remark(result.get(), i));
    return result;
  }

  static void add(Estimate& to, double value, double error, double prob) {
    to.value.push_back(value);
    to.error.push_back(error);
    to.prob.push_back(std::isnan(prob) ? -999 : prob);
  }

  void take(Estimate const& found) {
    if (best_.value.empty() || distance(found) < distance(best_))
      best_ = found;
  }

  /// Repeats a method with smaller tolerances while there are too few evaluations.
  template <class Once>
  void until_enough(long long most, Once const& once) {
    auto const end = neval_ + most;
    for (double part = 1; part > 1e-12; part /= 4) {
      once(part, end - neval_);
      if (neval_ >= call_.mineval || !met() || end - neval_ < fewest)
        return;
    }
  }

  void refine(long long most) {
    auto const pagani = integrator("pagani");
    bool const has_rule = call_.key == 7 || call_.key == 9 || (call_.key == 11 && call_.ndim == 3) ||
                          (call_.key == 13 && call_.ndim == 2);
    if (has_rule && call_.ndim > 1)
      check(kubature_set(pagani.get(), "rule", call_.key));
    until_enough(most, [&](double part, long long left) { integrate(pagani.get(), part, left); });
  }

  /// Without a seed Cuba takes quasi-random points, whose errors are well below those that it reports; here two
  /// standard deviations are to be within the tolerance then.
  void sample(long long most) {
    auto const vegas = integrator("vegas+");
    check(kubature_set_text(vegas.get(), "evaluations",
                            std::to_string(call_.samples > 0 ? std::max(call_.samples, fewest) : usual).c_str()));
    check(kubature_set_text(vegas.get(), "seed", std::to_string(static_cast<unsigned>(call_.seed)).c_str()));
    check(kubature_set_text(vegas.get(), "iterations", "1000000"));
    use_grid(vegas.get());
    bool const last_alone = call_.routine == Routine::vegas && (call_.flags & 4);
    double const of_tolerance = call_.seed == 0 && !last_alone ? 0.5 : 1;
    auto const end = neval_ + most;
    Result last;
    until_enough(most, [&](double part, long long left) { last = integrate(vegas.get(), part * of_tolerance, left); });
    auto const map = made<Map>(kubature_map_of, static_cast<kubature_integrator const*>(vegas.get()));
    grid_ = copied(map.get());
    if (last_alone)
      sample_once(std::move(last), end);
  }

  /// Takes the last iteration alone, or further ones with more samples until one is good enough.
  void sample_once(Result last, long long end) {
    for (unsigned long long seed = static_cast<unsigned>(call_.seed);;) {
      best_ = {};
      std::int64_t evaluations = 0;
      take(iteration(last.get(), evaluations));
      auto const left = end - neval_;
      if (met() || left < fewest)
        return;
      auto const needed = static_cast<double>(evaluations) * std::pow(1.1 * distance(best_), 2);
      auto const vegas = integrator("vegas+");
      check(kubature_set(vegas.get(), "evaluations", std::floor(std::min(needed, static_cast<double>(left)))));
      check(kubature_set(vegas.get(), "iterations", 1));
      check(kubature_set(vegas.get(), "skip", 0));
      check(kubature_set_text(vegas.get(), "seed", std::to_string(++seed).c_str()));
      use_grid(vegas.get());
      last = integrate(vegas.get(), 0, left);
    }
  }

  Estimate iteration(kubature_result const* of, std::int64_t& evaluations) const {
    Estimate found;
    for (int c = 0; c < call_.ncomp; ++c) {
      double value = NAN, error = NAN;
      check(
          kubature_result_iteration(of, kubature_result_iterations(of) - 1, c, &value, &error, &evaluations, nullptr));
      add(found, value, error, -999);
    }
    return found;
  }

  void use_grid(kubature_integrator* vegas) const {
    if (grid_.bins == 0)
      return;
    auto const map = made<Map>(kubature_map_create, grid_.axes, grid_.bins, grid_.edges.data());
    check(kubature_use_map(vegas, map.get()));
  }

  static int progress(kubature_progress const* at, void* of) { return static_cast<Integration*>(of)->progress(*at); }

  /// Called after each iteration, and at any time.
  int progress(kubature_progress const& at) {
    if (at.iteration <= iterations_)
      return 0;
    iterations_ = at.iteration;
    evaluation_.iteration(at.iteration + 1);
    if (verbosity_ >= 1) {
      say("\nIteration %d:  %lld integrand evaluations so far\n", at.iteration,
          static_cast<long long>(neval_ + at.evaluations));
      if (!std::isnan(at.value)) // in iterations that train there is none yet
        say("[1] %g +- %g\n", at.value, at.error);
    }
    // Cubature that is still far from the tolerance hardly gets there.
    double const allowed = std::max(epsabs(), epsrel() * std::abs(at.value));
    return at.evaluations >= glance_ && !(at.error <= 4 * allowed);
  }

  Call const& call_;
  Evaluation evaluation_;
  Grid grid_;
  int verbosity_;
  Box box_;
  Function function_;
  std::string known_;
  Estimate best_;
  long long neval_ = 0;
  std::int64_t regions_ = 0;
  long long glance_ = LLONG_MAX; ///< evaluations after which a call that is far from the tolerance ends
  int iterations_ = 0;
};

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
  std::unique_ptr<Workers> workers;
  if (!call.kernel) {
    workers = kept ? nullptr : Workers::start(); // before the library, as processes are forked
    begin_library();
  }
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
  Integration integration(call, state ? &*state : nullptr, grid, kept ? kept : workers.get());
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
