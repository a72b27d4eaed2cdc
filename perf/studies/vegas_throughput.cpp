// vegas-throughput: samples per second of VEGAS methods, and the time of whole calls, on the integrands that the papers
// on m-Cubes and cuVegas use; on host backends also compared to a plain scalar loop over the same samples.
#include "iteration_times.hpp"
#include "record.hpp"
#include "scalar_loop.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace kubature;
using perf::Json, perf::IterationTimes, perf::Space, perf::on_host;

struct Options {
  double evaluations = on_host ? 4e6 : 1e9;
  int repeat = on_host ? 3 : 5;
};

template <class P, class F, int D>
Json throughput(std::string const& work, bool refined, P precision, F const& f, Box<D> const& box, double evaluations) {
  int const iterations = 8;
  MCubes const method{.evaluations = static_cast<std::uint64_t>(evaluations),
                      .iterations = iterations,
                      .adapt = refined ? iterations : 0,
                      .skip = 1,
                      .precision = precision};
  IterationTimes times;
  auto const result = integrate(method, f, box, {}, {}, times.callback());
  auto const samples = result.iterations.back().evaluations;
  double const rate = static_cast<double>(samples) / times.median() * 1e-9;
  std::fprintf(stderr, "%-32s %-9s %-8s %8.1e evaluations/iteration  %10.4f Geval/s\n", work.c_str(),
               result.precision.c_str(), refined ? "refined" : "frozen", static_cast<double>(samples), rate);
  return {{"work", work},
          {"method", result.method},
          {"precision", result.precision},
          {"map", refined ? "refined" : "frozen"},
          {"evaluations", samples},
          {"milliseconds", 1e3 * times.median()},
          {"geval_per_second", rate}};
}

/// Whole calls of 20 iterations with a fresh integrator, including allocation, set-up and result.
template <class F, int D>
Json whole_call(std::string const& work, F const& f, Box<D> const& box, double truth, double evaluations, int repeat) {
  MCubes const method{.evaluations = static_cast<std::uint64_t>(evaluations)};
  std::vector<double> fresh, warm;
  Result<> result;
  integrate(method, f, box); // loads the kernels
  for (int k = 0; k < repeat; ++k) {
    Kokkos::fence();
    Kokkos::Timer timer;
    Integrator integrator(Space(), method);
    result = integrator.integrate(f, box);
    fresh.push_back(timer.seconds());
    warm.push_back(integrator.integrate(f, box).seconds);
  }
  double const pull = (result.value - truth) / result.error;
  std::fprintf(stderr, "%-32s %8.1e evaluations/iteration  %10.3f ms, second call %10.3f ms  %s  pull %+.2f\n",
               work.c_str(), evaluations, 1e3 * perf::median(fresh), 1e3 * perf::median(warm),
               format(result.value, result.error).c_str(), pull);
  return {{"work", work},
          {"method", result.method},
          {"evaluations", evaluations},
          {"milliseconds", 1e3 * perf::median(fresh)},
          {"second_call_milliseconds", 1e3 * perf::median(warm)},
          {"value", result.value},
          {"error", result.error},
          {"pull", pull},
          {"chi2_per_dof", result.chi2_per_dof}};
}

#ifdef KOKKOS_ENABLE_OPENMP
/// The library on one thread and on all, compared to a scalar loop over the same samples, which must give the same
/// estimate.
Json against_scalar_loop(double evaluations, int repeat) {
  auto const n = static_cast<std::uint64_t>(evaluations);
  Kokkos::OpenMP const all;
  Kokkos::OpenMP const one(1);

  std::vector<double> loop_times, one_times, all_times;
  perf::LoopEstimate loop{};
  Result<> result;
  auto const library = [&](Kokkos::OpenMP const& exec, std::vector<double>& times) {
    Integrator integrator(exec, MCubes{.evaluations = n, .iterations = 1, .adapt = 0, .skip = 0});
    result = integrator.integrate(suite::F4<5>{}, Box<5>{}); // allocates
    auto const first = result;
    times.push_back(integrator.integrate(suite::F4<5>{}, Box<5>{}).seconds);
    result = first;
  };
  for (int k = 0; k < repeat; ++k) {
    auto const start = std::chrono::steady_clock::now();
    loop = perf::scalar_loop(n, 0, 0);
    loop_times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    library(one, one_times);
    library(all, all_times);
  }
  double const difference = std::abs(result.value - loop.value) / result.error;
  if (!(difference < 1e-6)) {
    std::fprintf(stderr, "the scalar loop gives %.17g, the library %.17g\n", loop.value, result.value);
    std::exit(1);
  }
  auto const rate = [&](std::vector<double> const& times) {
    return static_cast<double>(loop.evaluations) / perf::median(times) * 1e-9;
  };
  std::fprintf(stderr, "5-D f4, frozen: scalar loop %.4f Geval/s, one thread %.4f, %d threads %.4f\n", rate(loop_times),
               rate(one_times), all.concurrency(), rate(all_times));
  return {{"work", "5-D f4"},
          {"evaluations", loop.evaluations},
          {"threads", all.concurrency()},
          {"scalar_loop_geval_per_second", rate(loop_times)},
          {"one_thread_geval_per_second", rate(one_times)},
          {"all_threads_geval_per_second", rate(all_times)}};
}
#endif

void measure(Options const& options, Json& record) {
  using namespace suite;
  double const n = options.evaluations;
  auto& rows = record["throughput"];
  rows.push_back(throughput("5-D f4", true, fp64, F4<5>{}, Box<5>{}, n / 10));
  rows.push_back(throughput("5-D f4", true, fp64, F4<5>{}, Box<5>{}, n));
  rows.push_back(throughput("5-D f4", false, fp64, F4<5>{}, Box<5>{}, n));
  rows.push_back(throughput("8-D f5", true, fp64, F5<8>{}, Box<8>{}, n));
  rows.push_back(throughput("10-D linear", true, fp64, Linear<10>{}, Box<10>{}, n));
  rows.push_back(throughput("4-D ridge", true, fp64, Ridge<4>{}, Box<4>{}, n / 100));
  rows.push_back(throughput("5-D f4", true, fp32, F4<5>{}, Box<5>{}, n));
  rows.push_back(throughput("5-D f4", false, fp32, F4<5>{}, Box<5>{}, n));

  auto& calls = record["whole_calls"];
  double const unit = n / 1000; // the papers' million, if there is a device
  calls.push_back(whole_call("4-D Gaussian", Gaussian<4>{}, Box<4>{}, 1, unit, options.repeat));
  calls.push_back(whole_call("5-D f4", F4<5>{}, Box<5>{}, 1.79132603674878596e-06, 10 * unit, options.repeat));
  calls.push_back(whole_call("5-D f4", F4<5>{}, Box<5>{}, 1.79132603674878596e-06, 100 * unit, options.repeat));
  calls.push_back(whole_call("8-D f5", F5<8>{}, Box<8>{}, 2.42521762564188556e-06, 100 * unit, options.repeat));
  calls.push_back(whole_call("10-D Roos & Arnold", RoosArnold<10>{}, Box<10>{}, 1, 100 * unit, options.repeat));
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (on_host)
    record["against_scalar_loop"] = against_scalar_loop(n, options.repeat);
#endif
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Samples a second of VEGAS methods, and the time of whole calls");
  app.add_option("--evaluations", options.evaluations, "An iteration")->check(CLI::Range(1e4, 1e12));
  app.add_option("--repeat", options.repeat, "Calls of which the median counts")->check(CLI::PositiveNumber);
  return perf::study("vegas-throughput", app, argc, argv, [&](Json& record) { measure(options, record); });
}
