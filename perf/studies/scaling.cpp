// scaling: the same work on any number of processes, to be run with 1, 2, 3, ... of them: seconds per iteration, and
// the estimates, which have to agree to the bit; also the time that the transfers of an iteration take by themselves.
#include "iteration_times.hpp"
#include "record.hpp"

#include <kubature/detail/memory/messages.hpp>
#include <kubature/integrate.hpp>
#include <kubature/mpi.hpp>
#include <kubature/suite/random_gaussians.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::IterationTimes, perf::Space;

template <class Method, class F, int D>
Json strong(Communicator const& ranks, std::string const& work, Method const& method, F const& f, Box<D> const& box,
            double truth) {
  Integrator integrator(Space(), ranks, method);
  IterationTimes times(2); // the first iterations load the kernels and allocate
  auto const result = integrator.integrate(f, box, {}, {}, times.callback());
  auto const samples = result.iterations.back().evaluations;
  double const pull = (result.value - truth) / result.error;
  if (ranks.rank() == 0)
    std::fprintf(stderr, "%d processes  %-9s %-10s %8.1e evaluations/iteration  %10.4f ms  %.17g  pull %+.2f\n",
                 ranks.size(), work.c_str(), result.method.c_str(), static_cast<double>(samples), 1e3 * times.median(),
                 result.value, pull);
  return {{"work", work},           {"method", result.method},
          {"evaluations", samples}, {"milliseconds", 1e3 * times.median()},
          {"value", result.value},  {"error", result.error},
          {"pull", pull},           {"remarks", result.remarks}};
}

/// A whole call.
template <class Method, class F, int D>
Json call(Communicator const& ranks, std::string const& work, Method const& method, F const& f, Box<D> const& box,
          Tolerance const& tolerance, Limits const& limits = {.seconds = 60}) {
  auto const result = integrate(Space(), ranks, method, f, box, tolerance, limits);
  if (ranks.rank() == 0)
    std::fprintf(stderr, "%d processes  %-9s %-10s %8.2e  %s, %8.1e evaluations  %10.4f s  %.17g\n", ranks.size(),
                 work.c_str(), result.method.c_str(), tolerance.relative, std::string(to_string(result.status)).c_str(),
                 static_cast<double>(result.evaluations), result.seconds, result.value);
  return {{"work", work},
          {"method", result.method},
          {"tolerance", tolerance.relative},
          {"status", to_string(result.status)},
          {"regions", result.regions},
          {"evaluations", result.evaluations},
          {"milliseconds", 1e3 * result.seconds},
          {"value", result.value},
          {"error", result.error},
          {"remarks", result.remarks}};
}

/// The time of a collective call in microseconds, the median of many.
template <class Call>
double microseconds(Communicator const& ranks, Call const& call) {
  std::vector<double> times;
  for (int k = 0; k < 200; ++k) {
    ranks.any(false);
    Kokkos::Timer timer;
    call();
    times.push_back(1e6 * timer.seconds());
  }
  return perf::median(times);
}

Json transfers(Communicator const& ranks) {
  Json rows = Json::array();
  auto const add = [&](std::string const& what, std::size_t bytes, double time) {
    if (ranks.rank() == 0)
      std::fprintf(stderr, "%d processes  %-14s %8zu bytes  %10.2f us\n", ranks.size(), what.c_str(), bytes, time);
    rows.push_back({{"what", what}, {"bytes", bytes}, {"microseconds", time}});
  };
  add("agreement", 8, microseconds(ranks, [&] { ranks.any(false); }));
  for (std::size_t const words : {1u << 7, 1u << 10, 1u << 13, 1u << 16}) {
    std::vector<std::uint64_t> numbers(words);
    add("sum", 8 * words, microseconds(ranks, [&] { ranks.sum(numbers); }));
    std::vector<std::size_t> begins;
    for (int r = 0; r <= ranks.size(); ++r)
      begins.push_back(words * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks.size()));
    add("gather", 8 * words, microseconds(ranks, [&] { ranks.gather(numbers, begins); }));
  }
  // From each process's device to that of the next process.
  int const next = (ranks.rank() + 1) % ranks.size(), last = (ranks.rank() + ranks.size() - 1) % ranks.size();
  for (std::size_t const bytes : {std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 24}) {
    Kokkos::View<std::byte*, Space> const out("kubature::scaling::out", bytes), in("kubature::scaling::in", bytes);
    detail::Messages<Space> messages("kubature::scaling::messages");
    auto const exchange = [&](bool straight) {
      return microseconds(ranks, [&] {
        messages.send(next, detail::memory_of(out.data(), bytes));
        messages.receive(last, detail::memory_of(in.data(), bytes));
        messages.exchange(Space(), ranks, straight);
      });
    };
    add("message by host", bytes, exchange(false));
    if (ranks.device_buffers())
      add("message", bytes, exchange(true));
  }
  return rows;
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string const version(text);
  return version.substr(0, version.find_first_of(",\n"));
}

struct Options {
  double scale = perf::on_host ? 1e-3 : 1;
  std::vector<std::string> only;

  bool wants(std::string const& what) const {
    return only.empty() || std::find(only.begin(), only.end(), what) != only.end();
  }
  std::uint64_t of(double evaluations) const {
    return static_cast<std::uint64_t>(std::max(1000.0, evaluations * scale));
  }
};

void measure(Communicator const& ranks, Options const& options, Json& record) {
  using namespace suite;
  record["processes"] = ranks.size();
  record["processes_of_a_machine"] = ranks.local_size();
  record["mpi"] = mpi_version();
  record["device_buffers"] = ranks.device_buffers();
  auto& rows = record["strong_scaling"];
  double const f4 = 1.79132603674878596e-06, ridge = 0.851317758241297887;
  if (options.wants("f4-5d")) {
    for (double const n : {1e8, 1e9, 1e10}) {
      VegasPlus<> const method{.evaluations = options.of(n), .iterations = 10};
      rows.push_back(strong(ranks, "f4-5d", method, F4<5>{}, Box<5>{}, f4));
    }
    for (double const n : {1e9, 1e10}) {
      MCubes<> const method{.evaluations = options.of(n), .iterations = 10};
      rows.push_back(strong(ranks, "f4-5d", method, F4<5>{}, Box<5>{}, f4));
    }
  }
  for (double const n : {1e8, 1e9, 1e10})
    if (options.wants(n > 5e9 ? "ridge-long" : "ridge")) {
      VegasPlus<> const method{.evaluations = options.of(n), .iterations = 5, .skip = 2};
      rows.push_back(strong(ranks, "ridge", method, Ridge<4>{}, Box<4>{}, ridge));
    }
  if (options.wants("weak")) { // as much work for each process
    VegasPlus<> const method{.evaluations = options.of(1e9 * ranks.size()), .iterations = 5, .skip = 2};
    record["weak_scaling"].push_back(strong(ranks, "ridge", method, Ridge<4>{}, Box<4>{}, ridge));
  }
  if (options.wants("qmc"))
    for (double const n : {1e9, 1e10})
      rows.push_back(call(ranks, "f5-8d", QuasiMonteCarlo{}, F5<8>{}, Box<8>{}, {.relative = 1e-15},
                          {.evaluations = options.of(n)}));
  if (options.wants("channels")) { // as many samples an iteration for all parts together; a limit of time changes bits
    VegasPlus<> const method{.evaluations = options.of(1e9), .iterations = 10, .channels = Channels::always};
    rows.push_back(
        call(ranks, "peaks-4d", method, random_gaussians<4>(4001), Box<4>{}, {}, {.evaluations = options.of(2e10)}));
  }
  // Two integrands whose lists of regions do not stay balanced. Of f4 the tightest tolerance that one H200 reaches,
  // after a loose one that loads the kernels, and the one after it.
  int rung = 0;
  for (double const tolerance : {1e-3, 2.56e-9, 5.12e-10})
    if (std::string const name = "f4-8d-" + std::to_string(rung++); options.wants(name))
      rows.push_back(
          call(ranks, name, Pagani{}, F4<8>{}, Box<8>{}, {.relative = std::min(1e-2, tolerance / options.scale)}));
  rung = 0;
  for (double const tolerance : {1e-1, 1e-2, 2e-3})
    if (std::string const name = "f5-8d-" + std::to_string(rung++); options.wants(name))
      rows.push_back(
          call(ranks, name, Pagani{}, F5<8>{}, Box<8>{}, {.relative = std::min(1e-1, tolerance / options.scale)}));
  if (options.wants("transfers") && ranks.size() > 1)
    record["transfers"] = transfers(ranks);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    auto const ranks = communicator(MPI_COMM_WORLD);
    Options options;
    CLI::App app("The same work by several processes");
    app.add_option("--scale", options.scale, "Work, relative to that of the study on H200s")
        ->check(CLI::PositiveNumber);
    app.add_option("--only", options.only,
                   "f4-5d, ridge, ridge-long, weak, qmc, channels, f4-8d-0 to f4-8d-2, f5-8d-0 to f5-8d-2, transfers; "
                   "by default all");
    status = perf::study("scaling", app, argc, argv, [&](Json& record) { measure(ranks, options, record); }, ranks);
  }
  MPI_Finalize();
  return status;
}
