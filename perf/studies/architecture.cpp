// architecture: the same work on every machine: samples a second of each method by size, whole calls to tolerances,
// and calls of a few samples; by MPI, if it is there, on several devices. perf/study.py runs it with several numbers of
// threads, perf/compare.py shows the records of several machines side by side.
#include "architecture.hpp"

#ifdef KUBATURE_STUDY_BY_MPI
#include <kubature/mpi.hpp>
#endif
#include <kubature/suite/suite.hpp>

namespace {

using namespace kubature;
using perf::ArchitectureOptions, perf::Json, perf::Space, perf::row;

/// Seconds of calls of a used Integrator with few samples: the time that the machine takes to get started. `size` is
/// the tolerance or the number of samples an iteration, which identifies the row.
void small(ArchitectureOptions const& options, Json& rows) {
  using namespace suite;
  auto const add = [&](std::string const& work, auto const& method, auto const& f, auto const& box, double tolerance,
                       double size) {
    Integrator integrator(Space(), options.ranks, method);
    std::vector<double> seconds;
    Result<> result;
    for (double all = 0; seconds.size() < 5 || (seconds.size() < 1000 && options.goes_on(4 * all));) {
      result = integrator.integrate(f, box, {.relative = tolerance});
      seconds.push_back(result.seconds);
      all += result.seconds;
    }
    rows.push_back(row(options, work, result, static_cast<double>(result.evaluations), perf::median(seconds)));
    rows.back()["samples"] = size;
  };
  add("f3-3d", Pagani{}, F3<3>{}, Box<3>{}, 1e-3, 1e-3);
  add("f4-5d", Pagani{}, F4<5>{}, Box<5>{}, 1e-2, 1e-2);
  for (std::uint64_t const n : {1000, 10'000, 100'000})
    add("f4-5d", VegasPlus<>{.evaluations = n, .iterations = 5, .skip = 1, .channels = Channels::never}, F4<5>{},
        Box<5>{}, 0, static_cast<double>(n));
}

#if defined(KOKKOS_ENABLE_SERIAL) && defined(KOKKOS_ENABLE_OPENMP)
/// What OpenMP costs and gains beside Serial in the same program.
void serial(ArchitectureOptions const& options, Json& record) {
  using namespace suite;
  perf::throughput<Kokkos::Serial>(options, record["throughput"], "f4-5d",
                                   VegasPlus<>{.iterations = 10, .skip = 2, .channels = Channels::never}, F4<5>{},
                                   Box<5>{});
  perf::ladder<Kokkos::Serial>(options, record["calls"], "f4-5d", Pagani{}, F4<5>{}, Box<5>{}, 1.79132603674878596e-06);
}
#endif

void measure(ArchitectureOptions const& options, Json& record) {
  record["space"] = Space::name();
  record["processes"] = options.ranks.size();
  if (options.wants("throughput"))
    perf::throughputs(options, record["throughput"]);
  if (options.wants("calls"))
    perf::ladders(options, record["calls"]);
  if (options.wants("small"))
    small(options, record["small"]);
#if defined(KOKKOS_ENABLE_SERIAL) && defined(KOKKOS_ENABLE_OPENMP)
  if (perf::on_host && options.wants("serial"))
    serial(options, record["serial"]);
#endif
}

int study(int argc, char** argv, Communicator const& ranks) {
  ArchitectureOptions options;
  options.ranks = ranks;
  CLI::App app("The same work on every machine");
  app.add_option("--seconds", options.seconds, "About the longest that a row may take")->check(CLI::PositiveNumber);
  app.add_option("--most", options.most, "Samples an iteration")->check(CLI::Range(1e4, 1e12));
  app.add_option("--only", options.only, "Parts")->check(CLI::IsMember({"throughput", "calls", "small", "serial"}));
  return perf::study("architecture", app, argc, argv, [&](Json& record) { measure(options, record); }, ranks);
}

} // namespace

int main(int argc, char** argv) {
#ifdef KUBATURE_STUDY_BY_MPI
  MPI_Init(&argc, &argv);
  int const status = study(argc, argv, communicator(MPI_COMM_WORLD));
  MPI_Finalize();
  return status;
#else
  return study(argc, argv, {});
#endif
}
