// cubature-ladder: the integrands of the PAGANI paper at relative tolerances from 1e-3, divided by 5 each time, down to
// 1.024e-10, by each cubature method: the time of whole calls, evaluations, regions, estimated and true error, and the
// share of the time spent on evaluation. PAGANI runs with and without its threshold classification (figure 8 of the
// paper), and on short rungs without the second look for narrow peaks, whose time that shows. On host backends a
// sequential Cuhre runs for comparison, on one core.
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/ladder.hpp>
#include <kubature/suite/suite.hpp>

#include <oracle/cuhre.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space, perf::on_host;

struct Options {
  double last = 1.024e-10;
  double seconds = on_host ? 2 : 10;
  int repeat = 5;
  std::string integrand = "ladder";
};

/// The time that kernels take, each of which is waited for: all of them, and those that evaluate the integrand.
struct KernelTimes {
  inline static double all = 0, evaluation = 0;
  inline static bool evaluates = false;
  inline static Kokkos::Timer timer;

  static void begin(char const* name, std::uint32_t, std::uint64_t*) {
    evaluates =
        std::string(name) == "kubature::regions::evaluate" || std::string(name) == "kubature::two_phase::refine_alone";
    Space().fence("kubature::study::begin");
    timer.reset();
  }
  static void end(std::uint64_t) {
    Space().fence("kubature::study::end");
    double const seconds = timer.seconds();
    all += seconds;
    evaluation += evaluates ? seconds : 0;
  }

  /// The share of evaluation in the time of all kernels of a call.
  template <class Call>
  static double share(Call const& call) {
    namespace tools = Kokkos::Tools::Experimental;
    all = evaluation = 0;
    tools::set_begin_parallel_for_callback(begin);
    tools::set_end_parallel_for_callback(end);
    tools::set_begin_parallel_scan_callback(begin);
    tools::set_end_parallel_scan_callback(end);
    call();
    tools::set_begin_parallel_for_callback(nullptr);
    tools::set_end_parallel_for_callback(nullptr);
    tools::set_begin_parallel_scan_callback(nullptr);
    tools::set_end_parallel_scan_callback(nullptr);
    return evaluation / all;
  }
};

Json row(suite::Entry const& entry, std::string const& method, double tolerance, std::string_view status,
         std::uint64_t regions, std::uint64_t evaluations, double value, double error, double seconds) {
  double const estimate = error / std::abs(value), truth = std::abs(value / entry.value - 1);
  std::fprintf(stderr, "%-6s %-20s %9.3e %-16s %11llu regions  estimated %8.2e true %8.2e  %10.3f ms%s\n",
               std::string(entry.name).c_str(), method.c_str(), tolerance, std::string(status).c_str(),
               static_cast<unsigned long long>(regions), estimate, truth, 1e3 * seconds,
               truth > estimate ? "  the true error is above the estimate" : "");
  return {{"integrand", entry.name},
          {"dimension", entry.dimension},
          {"method", method},
          {"tolerance", tolerance},
          {"status", status},
          {"regions", regions},
          {"evaluations", evaluations},
          {"estimated_relative_error", estimate},
          {"true_relative_error", truth},
          {"milliseconds", 1e3 * seconds}};
}

/// Descends the ladder until a rung is missed. Each time is the median of whole calls with a fresh Integrator.
template <class Method, class F, int D>
void climb(Json& rows, Options const& options, suite::Entry const& entry, std::string const& name, Method const& method,
           F const& f, Box<D> const& box, double seconds_at_most) {
  Limits const limits{.seconds = seconds_at_most};
  integrate(method, f, box, {.relative = 1e-2}, {.seconds = 0.1}); // loads the kernels
  for (double const tolerance : suite::ladder(options.last)) {
    Result<> result;
    std::vector<double> seconds;
    auto const call = [&] {
      Kokkos::Timer timer;
      result = integrate(method, f, box, {.relative = tolerance}, limits);
      return timer.seconds();
    };
    for (int k = 0; k < options.repeat && (k == 0 || seconds[0] < 1); ++k)
      seconds.push_back(call());
    rows.push_back(row(entry, name, tolerance, to_string(result.status), result.regions, result.evaluations,
                       result.value, result.error, perf::median(seconds)));
    rows.back()["iterations"] = result.iterations.size();
    if (seconds[0] < 1)
      rows.back()["evaluation_share"] = KernelTimes::share(call);
    if (result.status != Status::converged)
      return;
  }
}

template <class F, int D>
void climb_with_cuhre(Json& rows, Options const& options, suite::Entry const& entry, F const& f) {
  CubatureRule const rule(Rule::automatic, D);
  oracle::Cuhre cuhre(oracle::on_coordinates<D>(f), rule);
  for (double const tolerance : suite::ladder(options.last)) {
    oracle::CuhreResult result;
    std::vector<double> seconds;
    for (int k = 0; k < options.repeat && (k == 0 || seconds[0] < 0.2); ++k) {
      Kokkos::Timer timer;
      result = cuhre(tolerance, 0, static_cast<std::uint64_t>(options.seconds * 2e8));
      seconds.push_back(timer.seconds());
    }
    rows.push_back(row(entry, "sequential Cuhre", tolerance, result.converged ? "converged" : "evaluation_limit",
                       2 * result.regions - 1, result.evaluations, result.value, result.error, perf::median(seconds)));
    if (!result.converged)
      return;
  }
}

void measure(Options const& options, Json& rows) {
  suite::for_each<suite::Genz>([&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const& box) {
    if (!entry.answers_to("ladder") || !entry.answers_to(options.integrand))
      return;
    bool const filter = !entry.cancels;
    double const compared = options.seconds / (on_host ? 1 : 5); // what the others reach in less time is enough
    climb(rows, options, entry, "pagani", Pagani{.relative_filter = filter}, f, box, options.seconds);
    climb(rows, options, entry, "pagani, no threshold", Pagani{.relative_filter = filter, .threshold = false}, f, box,
          compared);
    climb(rows, options, entry, "pagani, no second look",
          Pagani{.relative_filter = filter, .channels = Channels::never}, f, box, compared / 4);
    climb(rows, options, entry, "two-phase", TwoPhase{}, f, box, compared);
    if constexpr (on_host)
      climb_with_cuhre<F, D>(rows, options, entry, f);
  });
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("The ladder of tolerances of the PAGANI paper, by each cubature method");
  app.add_option("--last", options.last, "The last tolerance")->check(CLI::PositiveNumber);
  app.add_option("--seconds", options.seconds, "A rung may take so long")->check(CLI::PositiveNumber);
  app.add_option("--repeat", options.repeat, "Calls of which the median counts")->check(CLI::PositiveNumber);
  app.add_option("--integrand", options.integrand, "One of the ladder's integrands; by default all");
  return perf::study("cubature-ladder", app, argc, argv, [&](Json& record) { measure(options, record["rows"]); });
}
