// qmc: the true error of quasi-Monte Carlo against evaluations and against time, beside VEGAS+ and m-Cubes with as many
// evaluations in all, and its throughput. Errors are medians over some seeds.
#include "record.hpp"

#include <kubature/integrate.hpp>
#include <kubature/suite/suite.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace kubature;
using perf::Json, perf::Space, perf::on_host;

struct Options {
  int seeds = 5;
  std::uint64_t first = 1 << 16, last = on_host ? 1 << 22 : std::uint64_t{1} << 30;
  std::uint64_t throughput = on_host ? 1 << 24 : std::uint64_t{1} << 33;
  std::vector<std::string> only;
};

/// Those whose points are looked at: smooth, peaked and kinked ones of 4 to 10 variables.
constexpr std::string_view subjects[] = {"f1-5d",           "f1-8d",          "f2",     "f3-8d",       "f4-5d",
                                         "f4-8d",           "f5-8d",          "linear", "roos-arnold", "feynman-path",
                                         "two-phase-f1-5d", "two-phase-f1-7d"};

class Study {
public:
  explicit Study(Options const& options) : options_(options) {}

  void run(Json& record) {
    suite::for_each_by_dimension<4, 10>([&]<class F, int D>(suite::Entry const& entry, F const& f, Box<D> const& box) {
      auto const& of = options_.only;
      bool const usual = std::find(std::begin(subjects), std::end(subjects), entry.name) != std::end(subjects);
      if (of.empty() ? usual : std::find(of.begin(), of.end(), entry.name) != of.end())
        subject(entry, f, box);
    });
    record["rows"] = rows_;
    Json rates = Json::array();
    for (bool const mapped : {false, true}) {
      QuasiMonteCarlo const method{.evaluations = options_.throughput,
                                   .smooth_map = mapped ? QmcMap::smooth : QmcMap::none};
      Integrator integrator(Space(), method);
      for (int call = 0; call < 2; ++call) { // the first one sets up
        auto const result = integrator.integrate(suite::F4<5>{}, Box<5>{});
        if (call > 0)
          rates.push_back({{"work", "5-D f4"},
                           {"map", mapped ? "smooth" : "none"},
                           {"evaluations", result.evaluations},
                           {"geval_per_second", 1e-9 * static_cast<double>(result.evaluations) / result.seconds}});
      }
    }
    record["throughput"] = rates;
  }

private:
  template <class F, int D>
  void subject(suite::Entry const& entry, F const& f, Box<D> const& box) {
    for (std::uint64_t n = options_.first; n <= options_.last; n *= 4) {
      measure(entry, "qmc", QuasiMonteCarlo{.evaluations = n}, f, box);
      measure(entry, "qmc no map", QuasiMonteCarlo{.evaluations = n, .smooth_map = QmcMap::none}, f, box);
      if (D <= 6)
        measure(entry, "qmc korobov2",
                QuasiMonteCarlo{.evaluations = n, .transform = QmcTransform::korobov2, .smooth_map = QmcMap::none}, f,
                box);
      measure(entry, "qmc sobol", QuasiMonteCarlo{.evaluations = n, .rule = QmcRule::sobol}, f, box);
      measure(entry, "vegas+", VegasPlus{.evaluations = n / 20}, f, box);
      measure(entry, "mcubes", MCubes{.evaluations = n / 20}, f, box);
    }
  }

  template <class Method, class F, int D>
  void measure(suite::Entry const& entry, std::string const& name, Method method, F const& f, Box<D> const& box) {
    Integrator<Method, Space>(Space(), method).integrate(f, box, {}, {.evaluations = 4096}); // set-up
    std::vector<double> errors, estimates, seconds;
    std::uint64_t evaluations = 0;
    for (int seed = 1; seed <= options_.seeds; ++seed) {
      method.seed = static_cast<std::uint64_t>(seed);
      auto const result = integrate(Space(), method, f, box);
      double const scale = entry.value != 0 ? std::abs(entry.value) : 1;
      errors.push_back(std::abs(result.value - entry.value) / scale);
      estimates.push_back(result.error / scale);
      seconds.push_back(result.seconds);
      evaluations = result.evaluations;
    }
    rows_.push_back({{"work", entry.name},
                     {"dimension", D},
                     {"method", name},
                     {"evaluations", evaluations},
                     {"true_error", perf::median(errors)},
                     {"error", perf::median(estimates)},
                     {"milliseconds", 1e3 * perf::median(seconds)}});
    std::fprintf(stderr, "%-14s %-13s %8.2e evaluations: error %8.2e, true %8.2e, %8.2f ms\n",
                 std::string(entry.name).c_str(), name.c_str(), static_cast<double>(evaluations),
                 perf::median(estimates), perf::median(errors), 1e3 * perf::median(seconds));
  }

  Options options_;
  Json rows_ = Json::array();
};

} // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Errors of quasi-Monte Carlo against evaluations and time, beside VEGAS+ and m-Cubes, and its throughput");
  app.add_option("--seeds", options.seeds, "Seeds of each")->check(CLI::PositiveNumber);
  app.add_option("--first", options.first, "Evaluations to begin with")->check(CLI::Range(1e3, 1e13));
  app.add_option("--last", options.last, "Evaluations to end with, after steps of 4")->check(CLI::Range(1e3, 1e13));
  app.add_option("--throughput", options.throughput, "Evaluations of the throughput")->check(CLI::Range(1e3, 1e13));
  app.add_option("--only", options.only, "Integrals; by default twelve");
  return perf::study("qmc", app, argc, argv, [&](Json& record) { Study(options).run(record); });
}
