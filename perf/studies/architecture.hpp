#pragma once

#include "iteration_times.hpp"
#include "record.hpp"

#include <kubature/communicator.hpp>
#include <kubature/integrate.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace kubature::perf {

struct ArchitectureOptions {
  double seconds = 1, most = 1e10;
  std::vector<std::string> only;
  Communicator ranks; ///< the processes that make all calls together

  /// Whether a row that has reached this number of seconds goes on: all processes decide alike.
  bool goes_on(double after) const { return !ranks.any(after > seconds); }

  bool wants(std::string const& what) const {
    return only.empty() || std::find(only.begin(), only.end(), what) != only.end();
  }
};

/// A line of the record, and of standard error.
inline Json row(ArchitectureOptions const& options, std::string const& work, Result<> const& result, double samples,
                double seconds) {
  if (options.ranks.rank() == 0)
    std::fprintf(stderr, "%-16s %-8s %9.1e samples  %9.3g ms  %9.3g Geval/s  %.17g +- %.2g\n", work.c_str(),
                 result.method.c_str(), samples, 1e3 * seconds, 1e-9 * samples / seconds, result.value, result.error);
  return {{"work", work},          {"method", result.method}, {"samples", samples}, {"milliseconds", 1e3 * seconds},
          {"value", result.value}, {"error", result.error}};
}

/// Iterations of 1e4, 1e5, ... samples, as long as ten of them take no longer than allowed.
template <class Space, class Method, class F, int D>
void throughput(ArchitectureOptions const& options, Json& rows, std::string const& work, Method method, F const& f,
                Box<D> const& box) {
  for (double n = 1e4, next = 0; n <= options.most && options.goes_on(next); n *= 10) {
    method.evaluations = static_cast<std::uint64_t>(n);
    Integrator integrator(Space(), options.ranks, method);
    IterationTimes times(2); // the first iterations load the kernels and allocate
    auto const result = integrator.integrate(f, box, {}, {}, times.callback());
    auto const samples = static_cast<double>(result.iterations.back().evaluations);
    rows.push_back(row(options, work, result, samples, times.median()));
    next = 100 * times.median();
  }
}

/// Calls to 1e-2, 1e-3, ... of a used Integrator, as long as one takes no longer than allowed.
template <class Space, class Method, class F, int D>
void ladder(ArchitectureOptions const& options, Json& rows, std::string const& work, Method const& method, F const& f,
            Box<D> const& box, double truth) {
  Integrator integrator(Space(), options.ranks, method);
  integrator.integrate(f, box, {.relative = 0.1}, {.seconds = options.seconds}); // loads the kernels
  for (double tolerance = 1e-2; tolerance > 0.9e-10; tolerance *= 0.1) {
    auto result = integrator.integrate(f, box, {.relative = tolerance}, {.seconds = 4 * options.seconds});
    double seconds = result.seconds;
    for (int k = 0; k < 4 && options.goes_on(4 * seconds); ++k)
      seconds = std::min(
          seconds, integrator.integrate(f, box, {.relative = tolerance}, {.seconds = 4 * options.seconds}).seconds);
    if (result.status != Status::converged)
      break;
    if (options.ranks.rank() == 0)
      std::fprintf(stderr, "%-16s %-8s %7.0e  %9.3g ms  %9.2e evaluations  error %.1e, stated %.1e\n", work.c_str(),
                   result.method.c_str(), tolerance, 1e3 * seconds, static_cast<double>(result.evaluations),
                   std::abs(result.value / truth - 1), result.error / std::abs(truth));
    rows.push_back({{"work", work},
                    {"method", std::string(Described<Method>::name)},
                    {"tolerance", tolerance},
                    {"milliseconds", 1e3 * seconds},
                    {"evaluations", result.evaluations},
                    {"value", result.value},
                    {"error", result.error},
                    {"truth", truth}});
    if (!options.goes_on(seconds))
      break;
  }
}

/// Samples a second of the sampling methods by size, and whole calls to tolerances.
void throughputs(ArchitectureOptions const& options, Json& rows);
void ladders(ArchitectureOptions const& options, Json& rows);

} // namespace kubature::perf
